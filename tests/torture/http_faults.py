"""HTTP that is not as it should be, around an answer that is: every case of R8."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tests.torture.framing import CHUNKED_HEAD, HEAD, LAST_CHUNK, chunk, chunked
from tests.torture.stage import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.torture.streams import Speech

Must = Literal["answer", "error", "either"]

OK = b"HTTP/1.1 200 OK\r\n"
TYPE = b"Content-Type: text/event-stream\r\nConnection: close\r\n"
_MEGABYTES = 12
_BLOCK = b"x" * 65536
_BLOCKS = _MEGABYTES * 16


@dataclass(frozen=True, slots=True)
class HttpFault:
    """`must`: the whole answer in spite of it, an error, or either, but never half an answer that passes for whole."""

    name: str
    must: Must
    wire: Wire


def http_faults(speech: Speech) -> Iterator[HttpFault]:
    yield from _heads(speech)
    yield from _statuses(speech)
    yield from _sizes(speech)
    yield from _chunks(speech)
    yield from _lengths(speech)
    yield from _encodings(speech)


def _fault(name: str, must: Must, *pieces: bytes) -> HttpFault:
    return HttpFault(name, must, Wire(pieces))


def _heads(speech: Speech) -> Iterator[HttpFault]:
    whole, body = chunked(speech.pieces), speech.body
    for name, line in {
        "without a colon": b"Nonsense\r\n",
        "with a NUL": b"X-A: a\0b\r\n",
        "with a blank in its name": b"X A: b\r\n",
        "with a carriage return": b"X-A: a\rb\r\n",
        "folded": b"X-A: a\r\n b\r\n",
        "in no encoding": b"X-A: \xff\xfe\r\n",
        "without a name": b": a\r\n",
        "twice": b"Content-Type: text/html\r\n",
    }.items():
        yield _fault(f"a header {name}", "either", OK + line + TYPE + b"\r\n" + body)
    yield _fault("lines that end in LF", "either", (OK + TYPE).replace(b"\r", b"") + b"\n" + body)
    yield _fault(
        "names in capitals", "answer", OK + TYPE.upper().replace(b"TEXT/EVENT", b"text/event") + b"\r\n" + body
    )
    yield _fault("a character set", "answer", whole.replace(b"stream\r", b"stream; charset=utf-8\r", 1))
    yield _fault("no content type", "either", OK + b"Connection: close\r\n\r\n" + body)
    yield _fault("an empty line before it", "either", b"\r\n" + whole)


def _statuses(speech: Speech) -> Iterator[HttpFault]:
    whole, body = chunked(speech.pieces), speech.body
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"
    yield _fault("100 before it", "answer", b"HTTP/1.1 100 Continue\r\n\r\n" + whole)
    yield _fault("103 before it", "answer", hints + whole)
    yield _fault("103 fifty times before it", "answer", hints * 50 + whole)
    yield _fault("100 and nothing else", "error", b"HTTP/1.1 100 Continue\r\n\r\n")
    yield _fault("101", "error", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n")
    for status in (b"204 No Content", b"205 Reset Content", b"304 Not Modified"):
        yield _fault(status.decode(), "error", b"HTTP/1.1 " + status + b"\r\n" + TYPE + b"\r\n")
    yield _fault("206", "either", whole.replace(b"200 OK", b"206 Partial Content"))
    for status in (b"99 Low", b"1000 High", b"600 Odd", b"abc", b"-1 No", b""):
        yield _fault(f"status {status.decode() or 'missing'}", "error", whole.replace(b"200 OK", status))
    yield _fault("no reason", "answer", whole.replace(b"200 OK", b"200"))
    yield _fault("HTTP/0.9", "error", body)
    yield _fault("HTTP/1.0", "answer", b"HTTP/1.0 200 OK\r\n" + TYPE + b"\r\n" + body)
    yield _fault("HTTP/9.9", "either", whole.replace(b"HTTP/1.1", b"HTTP/9.9"))
    yield _fault("another protocol", "error", b"SSH-2.0-\x1b[31mOpenSSH\r\n")


def _sizes(speech: Speech) -> Iterator[HttpFault]:
    end = TYPE + b"\r\n" + speech.body
    yield _fault("a status line of 12 MB", "error", b"HTTP/1.1 200 ", *[_BLOCK] * _BLOCKS, b"\r\n" + end)
    yield _fault("a header of 12 MB", "error", OK + b"X-A: ", *[_BLOCK] * _BLOCKS, b"\r\n" + end)
    lines = b"X-A: " + b"x" * 994 + b"\r\n"
    yield _fault("headers of 12 MB", "error", OK, *[lines * 64] * _BLOCKS, end)
    yield _fault("headers without an end", "error", OK, *[lines * 64] * _BLOCKS)
    yield _fault("a chunk's size of 12 MB", "error", CHUNKED_HEAD, *[b"1" * 65536] * _BLOCKS)
    yield _fault("trailers of 12 MB", "answer", CHUNKED_HEAD + chunk(speech.body) + b"0\r\n", *[lines * 64] * _BLOCKS)


def _chunks(speech: Speech) -> Iterator[HttpFault]:
    half = len(speech.pieces) // 2
    begin = CHUNKED_HEAD + b"".join(map(chunk, speech.pieces[:half]))
    whole = CHUNKED_HEAD + b"".join(map(chunk, speech.pieces))
    for size in (b"zz", b"-5", b"", b"0x20", b"F" * 17, b" 20", b"2 0"):
        yield _fault(f"chunk size {size.decode()!r}", "error", begin + size + b"\r\n" + speech.pieces[half])
        yield _fault(f"chunk size {size.decode()!r} after the end mark", "answer", whole + size + b"\r\nx")
    yield _fault("no line end after a chunk", "error", begin + b"5\r\n: hell5\r\n")
    yield _fault("no last chunk", "answer", whole)
    yield _fault("extra bytes", "answer", whole + LAST_CHUNK + b"extra")
    yield _fault("another answer behind it", "answer", whole + LAST_CHUNK + whole + LAST_CHUNK)
    yield _fault(
        "an extension", "answer", CHUNKED_HEAD + b"%x;a=b\r\n" % len(speech.body) + speech.body + b"\r\n0\r\n\r\n"
    )
    yield _fault("zeros before a size", "answer", CHUNKED_HEAD + b"0000" + chunk(speech.body) + LAST_CHUNK)
    yield _fault("trailers", "answer", whole + b"0\r\nX-A: b\r\n\r\n")
    for coding in (b"gzip, chunked", b"unknown", b"chunked, chunked", b""):
        head = HEAD + b"Transfer-Encoding: " + coding + b"\r\n\r\n"
        yield _fault(f"transfer coding {coding.decode()!r}", "either", head + chunk(speech.body) + LAST_CHUNK)


def _lengths(speech: Speech) -> Iterator[HttpFault]:
    body = speech.body
    yield _fault("too short a length", "error", HEAD + b"Content-Length: %d\r\n\r\n" % (len(body) // 2) + body)
    yield _fault("too long a length", "answer", HEAD + b"Content-Length: %d\r\n\r\n" % (len(body) + 99) + body)
    yield _fault("a length of none", "error", HEAD + b"Content-Length: 0\r\n\r\n" + body)
    for length in (b"-1", b"many", b"9" * 30, b"", b"1e3", b"10, 20", b"+5"):
        yield _fault(f"length {length.decode()!r}", "either", HEAD + b"Content-Length: " + length + b"\r\n\r\n" + body)
    two = b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n"
    yield _fault("two lengths", "either", HEAD + two + body)
    both = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
    yield _fault("a length and chunks", "either", HEAD + both + chunk(body) + LAST_CHUNK)


def _encodings(speech: Speech) -> Iterator[HttpFault]:
    body = speech.body
    packed = gzip.compress(body, mtime=0)
    head = HEAD + b"Content-Encoding: gzip\r\n\r\n"
    for place in range(0, len(packed), 16):
        yield _fault(f"gzip cut at {place} of {len(packed)}", "either", head + packed[:place])
    yield _fault("gzip that is whole", "either", head + packed)
    yield _fault("gzip with a wrong checksum", "either", head + packed[:-8] + b"\0" * 8)
    for name in (b"gzip", b"deflate", b"br", b"zstd", b"GZIP", b"x-unknown", b"gzip, gzip", b"identity", b"utf-8", b""):
        head = HEAD + b"Content-Encoding: " + name + b"\r\n\r\n"
        yield _fault(f"encoding {name.decode()!r} that it does not have", "either", head + body)
