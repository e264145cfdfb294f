"""Cancelling from any thread: a flag, a sleep that wakes, and a hook that wakes whoever is blocked on a socket."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


class CancelToken:
    """Stopped once, for good: cancelled by somebody, or out of time. Thread: any."""

    def __init__(self, on_stop: Callable[[], None] = lambda: None) -> None:
        """`on_stop` is called once, in the thread that stops it."""
        self._on_stop = on_stop
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._abort: Callable[[], None] | None = None
        self.expired = False  # the time of the whole turn is up
        self.sent = False  # a request has gone out: what is waited for now is its answer

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    @property
    def cancelled(self) -> bool:
        return self._stopped.is_set() and not self.expired

    def mark_sent(self) -> None:
        self.sent = True

    def cancel(self) -> None:
        """Set the flag, end every sleep, and run the hook of the block that `aborting` guards, if one is running."""
        self._stop(expired=False)

    @contextmanager
    def limited(self, seconds: float | None) -> Generator[None, None, None]:
        """Stop what still runs in the block after that time; None is no limit."""
        if seconds is None:
            yield
            return
        timer = threading.Timer(seconds, self._stop, kwargs={"expired": True})
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _stop(self, *, expired: bool) -> None:
        with self._lock:  # a hook never runs after aborting() has left its block
            if self._stopped.is_set():
                return
            self.expired = expired
            self._stopped.set()
            if self._abort is not None:
                self._abort()
        self._on_stop()

    def sleep(self, seconds: float) -> bool:
        """Sleep; True when stopped, then at once."""
        return self._stopped.wait(seconds)

    @contextmanager
    def aborting(self, abort: Callable[[], None]) -> Generator[None, None, None]:
        """While the block runs, being stopped also calls `abort`; at once if that is so. Blocks do not nest."""
        with self._lock:
            self._abort = abort
            if self._stopped.is_set():
                abort()
        try:
            yield
        finally:
            with self._lock:
                self._abort = None
