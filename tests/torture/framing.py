"""A body in HTTP, whole or cut at any byte, in the four ways in which an answer can end too early."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from tests.torture.stage import Wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Way = Literal["chunked", "close", "length", "reset"]
WAYS: tuple[Way, ...] = get_args(Way)

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
CHUNKED_HEAD = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
LAST_CHUNK = b"0\r\n\r\n"


def cut(pieces: tuple[bytes, ...], place: int, way: Way) -> Wire:
    """The answer up to `place` bytes of its body. All of it, too, is ended in this way: only then it is no cut."""
    whole = place == sum(map(len, pieces))
    if way == "close":
        return Wire((HEAD + b"\r\n" + b"".join(pieces)[:place],))
    if way == "length":
        length = sum(map(len, pieces))
        return Wire((HEAD + b"Content-Length: %d\r\n\r\n" % length + b"".join(pieces)[:place],))
    chunks = b"".join(_chunks_until(pieces, place))
    if way == "reset":
        return Wire((CHUNKED_HEAD + chunks,), "reset")
    return Wire((CHUNKED_HEAD + chunks + (LAST_CHUNK if whole else b""),))


def chunked(pieces: Iterable[bytes]) -> bytes:
    """A whole answer, each piece a chunk of its own: so the client gets them one by one."""
    return CHUNKED_HEAD + b"".join(chunk(piece) for piece in pieces) + LAST_CHUNK


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _chunks_until(pieces: tuple[bytes, ...], place: int) -> Iterator[bytes]:
    """A chunk an event; the one that is cut says the length it should have had."""
    for piece in pieces:
        if place <= 0:
            return
        spelled = chunk(piece)
        yield spelled if place >= len(piece) else spelled[: spelled.index(b"\n") + 1 + place]
        place -= len(piece)
