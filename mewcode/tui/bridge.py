"""From the workers to the loop: one pipe that carries no data, only the news that the queue has some."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import urwid

FRAME = 1 / 30  # seconds between two drawings while text arrives


class Bridge:
    """`notify()` from any thread; in the loop `on_wake()` drains at once, `on_frame()` draws, at most 30 times/s."""

    def __init__(self, loop: urwid.MainLoop, on_wake: Callable[[], bool], on_frame: Callable[[], None]) -> None:
        """`on_wake` says whether there is something new to draw."""
        self._loop = loop
        self._on_wake = on_wake
        self._on_frame = on_frame
        self._lock = threading.Lock()
        self._fd: int | None = loop.watch_pipe(self._woken)
        self._pending = False
        self._frame_due = False
        self._last = 0.0

    def notify(self) -> None:
        """Ask for a drain. Thread: any; harmless after close()."""
        with self._lock:
            if not self._pending and self._fd is not None:
                self._pending = True
                os.write(self._fd, b"!")

    def close(self) -> None:
        with self._lock:
            fd, self._fd = self._fd, None
        if fd is not None:
            self._loop.remove_watch_pipe(fd)
            os.close(fd)

    def _woken(self, _data: bytes) -> None:
        with self._lock:
            self._pending = False  # before the queue is read: an event put after that reading asks again
        if self._on_wake() and not self._frame_due:
            self._frame_due = True
            wait = self._last + FRAME - time.monotonic()
            # the event loop's own alarm: MainLoop.set_alarm_in() would log an exception and carry on (urwid 5.1)
            self._loop.event_loop.alarm(max(0.0, wait), self._frame)

    def _frame(self) -> None:
        self._frame_due, self._last = False, time.monotonic()
        self._on_frame()  # draws by itself: while bytes keep coming the loop is never idle
