from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest
import urwid
from urwid.testing import ScriptedScreen

from mewcode.tui.bridge import FRAME, Bridge

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


class Loop:
    """A running loop with a bridge; notes when it was woken and when it drew."""

    def __init__(self) -> None:
        self.woken: list[float] = []
        self.drawn: list[float] = []
        self.news = True
        self.until: Callable[[], bool] = lambda: False
        self._loop = urwid.MainLoop(urwid.SolidFill(), screen=ScriptedScreen())
        self.bridge = Bridge(self._loop, self._wake, self._frame)

    def run(self, until: Callable[[], bool], within: float = 10.0) -> None:
        """Run the event loop, without a screen, until something holds after a wake-up or a frame."""
        self.until = until
        late = self._loop.event_loop.alarm(within, self._too_late)
        self._loop.event_loop.run()
        self._loop.event_loop.remove_alarm(late)

    def run_for(self, seconds: float) -> None:
        self._loop.event_loop.alarm(seconds, _leave)
        self._loop.event_loop.run()

    def _wake(self) -> bool:
        self.woken.append(time.monotonic())
        self._leave_if_done()
        return self.news

    def _frame(self) -> None:
        self.drawn.append(time.monotonic())
        self._leave_if_done()

    def _leave_if_done(self) -> None:
        if self.until():
            raise urwid.ExitMainLoop

    def _too_late(self) -> None:
        raise AssertionError("it never came")


def _leave() -> None:
    raise urwid.ExitMainLoop


@pytest.fixture
def loop() -> Generator[Loop, None, None]:
    running = Loop()
    yield running
    running.bridge.close()


def in_threads(count: int, work: Callable[[], object]) -> list[threading.Thread]:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads


def test_many_notices_before_the_loop_looks_are_one_wake_up(loop):
    for thread in in_threads(8, lambda: [loop.bridge.notify() for _ in range(1000)]):
        thread.join()
    loop.run_for(0.1)
    assert len(loop.woken) == 1
    assert len(loop.drawn) == 1


def test_a_notice_that_comes_during_a_wake_up_is_another_one(loop):
    loop.bridge.notify()

    def again() -> bool:
        if len(loop.woken) == 1 and not loop.drawn:
            loop.bridge.notify()
        return len(loop.woken) >= 2

    loop.run(again)


def test_the_first_frame_is_drawn_at_once(loop):
    loop.bridge.notify()
    loop.run(lambda: bool(loop.drawn))
    assert loop.drawn[0] - loop.woken[0] < FRAME


def test_a_flood_is_drained_at_once_and_drawn_thirty_times_a_second_at_most(loop):
    ended = threading.Event()

    def flood() -> None:
        while not ended.is_set():
            loop.bridge.notify()

    threads = in_threads(2, flood)
    try:
        loop.run(lambda: len(loop.drawn) == 6)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert loop.drawn[-1] - loop.drawn[0] >= 5 * FRAME * 0.99
    assert len(loop.woken) > len(loop.drawn)


def test_nothing_new_is_not_drawn(loop):
    loop.news = False
    loop.bridge.notify()
    loop.run(lambda: bool(loop.woken))
    loop.news = True
    loop.bridge.notify()
    loop.run(lambda: bool(loop.drawn))
    assert len(loop.woken) == 2
    assert len(loop.drawn) == 1


def test_notices_while_and_after_it_closes_are_harmless(loop):
    ended = threading.Event()

    def flood() -> None:
        while not ended.is_set():
            loop.bridge.notify()

    threads = in_threads(4, flood)
    loop.bridge.close()
    ended.set()
    for thread in threads:
        thread.join()
    loop.bridge.notify()
    loop.bridge.close()
