"""Ways in which the bytes of one stream can arrive. None of them may change what it says."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Pieces = Iterator[bytes]

_SEED = 20261130  # joined with the stream's name: it is cut into the same pieces again
_LONG = 20_000  # bytes


def whole(wire: bytes, name: str) -> Pieces:
    yield wire


def in_random_pieces(wire: bytes, name: str) -> Pieces:
    chance, at = random.Random(f"{_SEED} {name}"), 0
    while at < len(wire):
        size = chance.choice((1, 7, 100, 1000, 4000))
        yield wire[at : at + size]
        at += size


def byte_by_byte(wire: bytes, name: str) -> Pieces:
    return (wire[at : at + 1] for at in range(len(wire)))


def mostly_byte_by_byte(wire: bytes, name: str) -> Pieces:
    """The middle of a long stream comes in larger pieces: reading HTTP's framing takes 30 µs a byte."""
    yield from byte_by_byte(wire[:_LONG], name)
    yield from in_random_pieces(wire[_LONG:], name)


def ended_by(mark: bytes) -> Callable[[bytes, str], Pieces]:
    """With these line ends. JSON holds no raw line end, so nothing else changes."""
    return lambda wire, name: whole(re.sub(rb"\r\n|\r|\n", lambda _: mark, wire), name)


def torn(wire: bytes, name: str) -> Pieces:
    """With CRLF for its line ends, and each of them in two pieces."""
    [crlf] = ended_by(b"\r\n")(wire, name)
    return iter(re.split(rb"(?<=\r)", crlf))


DELIVERIES: Mapping[str, Callable[[bytes, str], Pieces]] = {
    "whole": whole,
    "in random pieces": in_random_pieces,
    "byte by byte": byte_by_byte,
    "LF": ended_by(b"\n"),
    "CR": ended_by(b"\r"),
    "CRLF": ended_by(b"\r\n"),
    "CRLF torn": torn,
}
QUICK = {**DELIVERIES, "byte by byte": mostly_byte_by_byte}
