"""A turn: one request, running in a worker thread, read through one bounded queue.

The worker iterates the blocking stream and puts events into the queue; when nobody reads, it waits (back-pressure,
not memory). Whatever happens, the last event is a terminal one, and there is exactly one.
"""

from __future__ import annotations

import itertools
import logging
import queue
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Protocol

from mewcode.errors import LLMError, MewcodeError, ProtocolError, TimedOut
from mewcode.llm.cancel import CancelToken
from mewcode.llm.events import Cancelled, StreamEnd, StreamError, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from mewcode.llm.events import Event

QUEUE_SIZE = 64
_PATIENCE = 1.0  # seconds that a stopped worker has to end the turn itself

_log = logging.getLogger(__name__)
_numbers = itertools.count(1)


class Source(Protocol):
    """Opens the stream and yields its events, a StreamEnd last; raises LLMError."""

    def __call__(self, cancel: CancelToken, /) -> Generator[Event, None, None]: ...


class Turn:
    """A running request. One consumer reads it, by iteration or `take()`; any thread may cancel or join it."""

    def __init__(self, source: Source, on_ready: Callable[[], None] | None = None, remarks: Sequence[str] = ()) -> None:
        """Start the worker. `on_ready` is called in the worker after each event put into the queue.

        `remarks` may grow until the terminal event: sentences for the user about what had to be left out.
        """
        self.remarks = remarks
        self.queue: queue.Queue[Event] = queue.Queue(maxsize=QUEUE_SIZE)
        self._source = source
        self._on_ready = on_ready
        self._cancel = CancelToken(self._expect_end)
        self._ending = threading.Lock()
        self._ended = False  # the terminal event is queued, or about to be
        self.end: Terminal | None = None  # once the consumer has read it: why the turn ended
        self._worker = threading.Thread(target=self._work, name=f"mewcode-turn-{next(_numbers)}", daemon=True)
        self._worker.start()

    @property
    def sent(self) -> bool:
        """Whether the request has gone out; until then it is being connected. A provider may not tell. Thread: any."""
        return self._cancel.sent

    def __iter__(self) -> Iterator[Event]:
        """Wait for events; stops after the terminal one, and at once when that was read before."""
        while self.end is None:
            event = self.queue.get()
            if isinstance(event, Terminal):
                self.end = event
            yield event

    def take(self) -> list[Event]:
        """What is there now, without waiting."""
        # at once, and no more: what comes while it is read, from a fast source, would keep the reader here
        with self.queue.mutex:  # Queue keeps its items in the deque `queue` (CPython 3.11-3.14)
            events = list(self.queue.queue)
            self.queue.queue.clear()
            self.queue.not_full.notify_all()
        if events and isinstance(events[-1], Terminal):
            self.end = events[-1]
        return events

    def cancel(self) -> None:
        """End the turn: what is queued stays, then comes Cancelled, unless the turn had ended already. Thread: any."""
        self._cancel.cancel()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the worker; True when it is gone. `timeout` in seconds."""
        self._worker.join(timeout)
        return not self._worker.is_alive()

    def _expect_end(self) -> None:
        """The turn was stopped: it ends soon, also where the worker cannot be woken, as while a name is looked up."""
        # A worker that waits for room has one event in hand and its end to come: make room for both, so that nothing
        # is lost and nobody has to read. Queue.put() looks at maxsize again each time it is woken (CPython 3.11-3.14).
        with self.queue.mutex:
            self.queue.maxsize = QUEUE_SIZE + 2
            self.queue.not_full.notify_all()
        if self._worker.is_alive():
            patience = threading.Timer(_PATIENCE, self._finish, [self._stopped()])
            patience.daemon = True
            patience.start()

    def _stopped(self) -> Terminal:
        if self._cancel.expired:
            return StreamError(TimedOut("the answer took longer than total_timeout.", retryable=False))
        return Cancelled()

    def _work(self) -> None:
        end: Terminal
        try:
            end = self._pass_on()
        except LLMError as error:
            end = StreamError(error)
        except MewcodeError as error:  # a setting that shows only now
            end = StreamError(_caused_by(error))
        except Exception as error:  # a bug must end the turn, not leave the spinner turning
            _log.exception("turn crashed")
            end = StreamError(LLMError(f"internal error ({type(error).__name__}); the log has the details"))
        if self._cancel.cancelled and not isinstance(end, StreamEnd):
            end = Cancelled()
        self._finish(end)

    def _finish(self, end: Terminal) -> None:
        """Queue the end, if none is yet."""
        with self._ending:
            ended, self._ended = self._ended, True
        if not ended:
            self._put(end)

    def _pass_on(self) -> Terminal:
        """Queue the source's progress; its end is returned."""
        end: Terminal | None = None
        try:
            with closing(self._source(self._cancel)) as events:  # releases the connection, however the loop is left
                for event in events:
                    if isinstance(event, Terminal) or self._cancel.cancelled:
                        end = event if isinstance(event, Terminal) else Cancelled()
                        break
                    if not self._ended:
                        self._put(event)
        except Exception:
            if end is None:
                raise
            _log.info("closing the stream failed after its end", exc_info=True)
        return end or StreamError(ProtocolError("the provider stopped without finishing"))

    def _put(self, event: Event) -> None:
        self.queue.put(event)
        if self._on_ready is not None:
            try:
                self._on_ready()
            except Exception:
                _log.exception("on_ready failed")


def _caused_by(error: MewcodeError) -> LLMError:
    failed = LLMError(str(error))
    failed.__cause__ = error
    return failed
