"""Bodies that come compressed although `identity` was asked for: unpacked in small pieces, so that a small body that
unpacks to a huge one takes no memory. httpx2 must not unpack them again: its header is taken away.
"""

from __future__ import annotations

import re
import zlib
from itertools import chain
from typing import TYPE_CHECKING

import httpx2

if TYPE_CHECKING:
    from collections.abc import Iterator

    Inflater = zlib._Decompress

_PIECE = 64 * 1024  # bytes unpacked at a time
_GZIP = zlib.MAX_WBITS | 16
_ENOUGH = 12  # bytes by which a coding is known
_TEXT = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*\"|<[!?a-zA-Z]|(?:data|event|id|retry):|:[ \w\r\n])")


class UnknownCoding(ValueError):
    """A body that cannot be read; str() is what the server sent."""

    def __init__(self, coding: str) -> None:
        super().__init__(f"a body with Content-Encoding {coding}, which was not asked for and cannot be read")
        self.coding = coding


def codings(header: str) -> tuple[str, ...]:
    """The names in a Content-Encoding header, without those that change nothing."""
    names = (name.strip().lower() for name in header.split(","))
    return tuple(name for name in names if name not in ("", "identity"))


def unpacked(chunks: Iterator[bytes], names: tuple[str, ...]) -> Iterator[bytes]:
    """The body itself. Raises: UnknownCoding, httpx2.DecodingError, httpx2.RemoteProtocolError when it was cut."""
    return _unpacked(chunks, names) if names else chunks


def _unpacked(chunks: Iterator[bytes], names: tuple[str, ...]) -> Iterator[bytes]:
    opening = b""
    for chunk in chunks:
        opening += chunk
        if len(opening) >= _ENOUGH or _TEXT.match(opening):
            break
    window = _window(names, opening)
    whole = chain((opening,), chunks) if opening else chunks
    yield from whole if window is None else _inflated(whole, window)


def _window(names: tuple[str, ...], opening: bytes) -> int | None:
    """zlib's number for the coding, None for text."""
    if not opening or _TEXT.match(opening):
        return None  # the header lies: there are proxies that unpack a body and leave it, and `utf-8` is no coding
    match names:
        case ("gzip" | "x-gzip",):
            return _GZIP
        case ("deflate",):
            has_head = opening[0] & 15 == 8 and int.from_bytes(opening[:2], "big") % 31 == 0  # RFC 1950
            return zlib.MAX_WBITS if has_head else -zlib.MAX_WBITS
    raise UnknownCoding(", ".join(names))


def _inflated(chunks: Iterator[bytes], window: int) -> Iterator[bytes]:
    inflater = zlib.decompressobj(window)
    try:
        for chunk in chunks:
            left = chunk
            while left:
                if inflater.eof and not (window == _GZIP and left.startswith(b"\x1f")):
                    return  # padding, or nothing that belongs to it
                inflater = zlib.decompressobj(window) if inflater.eof else inflater  # gzip bodies may follow each other
                yield from _pieces(inflater, left)
                left = inflater.unused_data
    except zlib.error as error:
        raise httpx2.DecodingError(str(error)) from error
    if not inflater.eof:
        raise httpx2.RemoteProtocolError("the compressed body ended early")


def _pieces(inflater: Inflater, packed: bytes) -> Iterator[bytes]:
    while piece := inflater.decompress(packed, _PIECE):
        yield piece
        packed = inflater.unconsumed_tail
