"""Answers that come compressed although nobody asked for it."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING

import pytest

from mewcode import errors
from mewcode.providers._body import TooLarge
from mewcode.providers._coding import UnknownCoding
from tests.fakes.bodies import EVENTS, MEGABYTE, answered, peak, singly, whole
from tests.fakes.dialects import ask, each_dialect, failure, text
from tests.fakes.sse_server import Reply, serving

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 60 * MEGABYTE  # bytes of memory that no server can make us take


def deflated(body: bytes) -> bytes:
    return zlib.compress(body)


def raw_deflated(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def in_members(body: bytes) -> bytes:
    return b"".join(gzip.compress(part) for part in (body[:100], b"", body[100:])) + b"\0" * 600


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "GZIP, identity": in_members,
    "deflate": deflated,
    " Deflate ": raw_deflated,
}


@each_dialect
@pytest.mark.parametrize("coding", [*PACKED, "gzip ", "utf-8"])
def test_a_compressed_answer_is_unpacked_and_a_false_label_is_passed_over(dialect, coding):
    plain = answered(dialect, dialect.answer("Hel", "lo"))
    body = PACKED.get(coding, bytes)(whole(dialect, "Hel", "lo"))
    for pieces in ((body,), singly(body)):
        reply = Reply(pieces, headers={**EVENTS, "Content-Encoding": coding})
        assert answered(dialect, reply) == plain


@each_dialect
@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "something"])
def test_a_coding_that_cannot_be_read_is_named(dialect, coding):
    reply = Reply((gzip.compress(whole(dialect, "Hi")),), headers={**EVENTS, "Content-Encoding": coding})
    error = failure(answered(dialect, reply))
    assert isinstance(error.__cause__, UnknownCoding)
    assert error.__cause__.coding == coding


@each_dialect
def test_a_compressed_answer_that_is_cut_is_never_whole(dialect):
    packed = gzip.compress(whole(dialect, *map(str, range(99))))
    places = range(1, len(packed) - 80, 16)
    headers = {**EVENTS, "Content-Encoding": "gzip"}
    with serving(*(Reply((packed[:at],), headers=headers) for at in places)) as server:
        endings = [ask(dialect.config(server.url)) for _ in places]
    for events in endings:
        assert type(failure(events)) in (errors.NetworkError, errors.StreamInterrupted)
        assert "".join(map(str, range(99))).startswith(text(events))
    assert text(endings[-1])


@each_dialect
def test_a_compressed_answer_that_is_damaged_is_an_error(dialect):
    packed = bytearray(gzip.compress(whole(dialect, "Hi")))
    packed[20:24] = b"\xff\xff\xff\xff"
    reply = Reply((bytes(packed),), headers={**EVENTS, "Content-Encoding": "gzip"})
    assert type(failure(answered(dialect, reply))) in (errors.NetworkError, errors.StreamInterrupted)


@each_dialect
@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "utf-8"])
def test_the_body_of_an_error_may_be_compressed(dialect, coding):
    said = b'{"error": {"message": "The words"}}'
    body = {"gzip": gzip.compress(said), "utf-8": said}.get(coding, b"\x1b\x00\x01\x02 not to be read")
    headers = {"Content-Type": "application/json", "Content-Encoding": coding}
    error = failure(answered(dialect, Reply((body,), 401, headers)))
    assert type(error) is errors.AuthError
    assert ("The words" in str(error)) == (coding in ("gzip", "utf-8"))


@each_dialect
@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_small_body_that_unpacks_to_a_huge_line_is_refused(dialect, coding):
    packer = zlib.compressobj(9, wbits=31 if coding == "gzip" else 15)
    body = packer.compress(b"".join(dialect.begun("Hi")) + b"data: ")
    body += b"".join(packer.compress(b"x" * MEGABYTE) for _ in range(100)) + packer.flush()
    assert len(body) < MEGABYTE / 4
    with peak() as used:
        error = failure(answered(dialect, Reply((body,), headers={**EVENTS, "Content-Encoding": coding})))
    assert isinstance(error.__cause__, TooLarge)
    assert used[0] < MOST


@each_dialect
def test_an_error_body_that_unpacks_to_a_huge_one_is_left_after_its_beginning(dialect):
    body = gzip.compress(b"The words " + b"x" * 20 * MEGABYTE)
    with peak() as used:
        error = failure(answered(dialect, Reply((body,), 500, {"Content-Encoding": "gzip"})))
    assert "The words" in str(error)
    assert used[0] < 5 * MEGABYTE
