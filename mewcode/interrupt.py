"""Signals that end `once`: the first one cancels, nothing is torn, and nobody waits for ever.

A handler that raised would do so between any two instructions, in the middle of a line or inside the queue. This one
writes a byte to a pipe, and a thread does the rest.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from typing import TYPE_CHECKING

from mewcode import exits

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType, TracebackType

_PATIENCE = 3.0  # seconds from the first signal to the end, for a writer that is stuck


class Interrupts:
    """While the block runs, the first SIGINT, SIGTERM or SIGHUP is kept in `number` and calls what `cancels` was given.

    A second one ends the process at once, and so does a block that does not end within three seconds of the first.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._reader, self._writer = os.pipe()
        self._thread: threading.Thread | None = None
        self._before: dict[signal.Signals, signal._HANDLER] = {}

    def __enter__(self) -> Interrupts:
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(each) is not signal.SIG_IGN:  # nohup stays in force
                self._before[each] = signal.signal(each, self._note)
        return self

    def cancels(self, cancel: Callable[[], None]) -> None:
        """From now on; also for a signal that has come already."""
        self._thread = threading.Thread(target=self._watch, args=(cancel,), name="mewcode-signals", daemon=True)
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)
        os.close(self._writer)
        if self._thread is not None:
            self._thread.join()
        os.close(self._reader)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        os.write(self._writer, bytes([number]))

    def _watch(self, cancel: Callable[[], None]) -> None:
        first = os.read(self._reader, 1)
        if not first:
            return  # the block has ended
        self.number = first[0]
        cancel()
        ready, _, _ = select.select([self._reader], [], [], _PATIENCE)
        if not ready or os.read(self._reader, 1):
            os._exit(exits.by_signal(self.number))
