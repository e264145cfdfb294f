"""Cancelling from any thread: a flag, a sleep that wakes, and a hook that wakes whoever is blocked on a socket."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


class CancelToken:
    """Cancelled once, for good. Thread: any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._event = threading.Event()
        self._abort: Callable[[], None] | None = None

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def cancel(self) -> None:
        """Set the flag, end every sleep, and run the hook of the block that `aborting` guards, if one is running."""
        with self._lock:  # a hook never runs after aborting() has left its block
            if self._event.is_set():
                return
            self._event.set()
            if self._abort is not None:
                self._abort()

    def sleep(self, seconds: float) -> bool:
        """Sleep; True when cancelled, then at once."""
        return self._event.wait(seconds)

    @contextmanager
    def aborting(self, abort: Callable[[], None]) -> Generator[None, None, None]:
        """While the block runs, cancel() also calls `abort`; at once if already cancelled. Blocks do not nest."""
        with self._lock:
            self._abort = abort
            if self._event.is_set():
                abort()
        try:
            yield
        finally:
            with self._lock:
                self._abort = None
