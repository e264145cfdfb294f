"""A response's body on its way to the SDK: unpacked, mended, counted, and read on to its end for the connection's sake.

What the SDKs do not bound is bounded here, before their decoders keep it: httpx2 2.16, anthropic 2.14, openai 3.57.
"""

from __future__ import annotations

import contextlib
import re
import threading
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import httpx2

from mewcode.providers._coding import codings, unpacked
from mewcode.providers._sse import Repair

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

_EVENT = 1_000_000  # bytes
_EVENT_OF: Mapping[str, int] = {"openai": 5_000_000}  # the last event of Responses repeats the whole answer
_BODY = 1_000_000_000  # bytes: a delta of four characters takes 300, so this is no bound of an answer
_EXCERPT = 64 * 1024  # bytes of a body that is no event stream
_PATIENCE = 3.0  # seconds with such a body
_LINGER = 0.1  # seconds for what comes between an answer's end mark and the end of its body
_LAST_WORDS = 3.0  # seconds after a finish reason for what still belongs to the answer; pings do not prolong them

_BEFORE = b"\xef\xbb\xbf\r\n"  # what may come before the first field
_STREAM = re.compile(rb"[\xef\xbb\xbf\r\n]*+(?::|(?:data|event|id|retry)[:\r\n])")
_LONGEST_FIELD = len(b"event:")
_BLANK = 1024  # bytes of blank lines after which a body is no event stream


class TooLarge(ValueError):
    """A body that is not read on; `limit` is in bytes, str() what the server sent. Both SDKs let it through."""

    def __init__(self, limit: int, what: str) -> None:
        super().__init__(f"an {what} of more than {limit // 1_000_000:,} MB")
        self.limit = limit
        self.what = what


@dataclass(frozen=True, slots=True)
class Head:
    """What a response says of its body. `framed`: where it ends, so that a cut is an error and not an end."""

    status: int
    is_stream: bool
    codings: tuple[str, ...]
    framed: bool


def watching(protocol: str, abort: Callable[[], None]) -> Callable[[httpx2.Response], None]:
    """An event hook that puts a Watched in each response's place of the body; `abort` wakes whoever reads it."""

    def on_response(response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = Watched(response.stream, _head(response), protocol, abort)
            response.headers.pop("content-encoding", None)  # or httpx2 would unpack it again
            response.encoding = "utf-8"  # whatever charset is claimed: the SDKs read errors as text, and some are none

    return on_response


def _head(response: httpx2.Response) -> Head:
    headers = response.headers
    return Head(
        status=response.status_code,
        is_stream=headers.get("content-type", "").strip().lower().startswith("text/event-stream"),
        codings=codings(headers.get("content-encoding", "")),
        framed="chunked" in headers.get("transfer-encoding", "").lower() or "content-length" in headers,
    )


class Watched(httpx2.SyncByteStream):
    """The body of one response: events in the spelling that the SDK reads right, or an excerpt of an error's.

    `done`: `[DONE]` went by, which the SDK swallows; without it and without a finish reason a chat stream that ends was
    cut. A body whose end mark was seen is read to its end when it is closed, since only then is the connection used
    again. `document` is how the body began, of use when no event came out of it: a page, or an error in plain JSON.
    """

    def __init__(
        self,
        body: httpx2.SyncByteStream,
        head: Head,
        protocol: str,
        abort: Callable[[], None],
        patience: float = _PATIENCE,
    ) -> None:
        """`abort` wakes whoever reads the body; `patience`, in seconds, is for one that is no event stream."""
        self._body = body
        self._head = head
        self._named = protocol == "anthropic"
        self._limit = _EVENT_OF.get(protocol, _EVENT)
        self._abort = abort
        self._patience = patience
        self._raw: Iterator[bytes] = iter(())
        self._hurry: threading.Timer | None = None
        self.done = False
        self.document = b""

    def __iter__(self) -> Iterator[bytes]:
        self._raw = iter(self._body)
        chunks = unpacked(self._raw, self._head.codings)
        return self._events(chunks) if 200 <= self._head.status < 300 else self._excerpt(chunks)

    def hurry(self) -> None:
        """The answer is over but for its usage, which comes at once if it comes: nobody waits longer."""
        if self._hurry is None:
            self._hurry = _timer(_LAST_WORDS, self._abort)

    def take_time(self) -> None:
        """It is not over."""
        if self._hurry is not None:
            _stop(self._hurry)

    def close(self) -> None:
        if self._hurry is not None:
            _stop(self._hurry)
        if self.done and self._head.framed:
            # what breaks after the end mark does not matter
            with _within(_LINGER, self._abort), contextlib.suppress(Exception):
                for _ in self._raw:
                    pass
        self._body.close()

    def _events(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        opening = _opening(chunks)
        chunks = chain((opening,), chunks)
        if not self._head.is_stream and not _STREAM.match(opening):
            self.document = b"".join(self._excerpt(chunks))
            return
        self.document = opening[:_EXCERPT]
        repair = Repair(named=self._named)
        size = 0
        for chunk in chunks:
            size += len(chunk)
            events = repair.feed(chunk)
            if repair.waiting > self._limit:
                raise TooLarge(self._limit, "event")
            if size > _BODY:
                raise TooLarge(_BODY, "answer")
            self.done = self.done or repair.done
            if events:
                yield events
        rest = repair.rest(framed=self._head.framed)
        self.done = self.done or repair.done
        if rest:
            yield rest

    def _excerpt(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """As much as says what it is. That it breaks off does not matter, for the status and the type say enough."""
        room = _EXCERPT
        with _within(self._patience, self._abort), contextlib.suppress(Exception):
            for chunk in chunks:
                yield chunk[:room]
                room -= len(chunk)
                if room <= 0:
                    return


def _opening(chunks: Iterator[bytes]) -> bytes:
    """As much of the body as tells whether it is an event stream."""
    opening = b""
    for chunk in chunks:
        opening += chunk
        if _STREAM.match(opening) or len(opening) > _BLANK or len(opening.lstrip(_BEFORE)) >= _LONGEST_FIELD:
            break
    return opening


@contextlib.contextmanager
def _within(seconds: float, abort: Callable[[], None]) -> Generator[None, None, None]:
    """Abort when the block takes longer. The timer is gone afterwards, so that it never hits a later turn."""
    timer = _timer(seconds, abort)
    try:
        yield
    finally:
        _stop(timer)


def _timer(seconds: float, abort: Callable[[], None]) -> threading.Timer:
    timer = threading.Timer(seconds, abort)
    timer.daemon = True
    timer.start()
    return timer


def _stop(timer: threading.Timer) -> None:
    timer.cancel()
    timer.join()  # or it might still hit the next turn on the same line
