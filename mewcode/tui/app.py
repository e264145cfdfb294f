"""The program around the chat: loop, signals, warming up, and the way out. The only file that knows them all."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import signal
import sys
import termios
import threading
from typing import TYPE_CHECKING

import urwid
from urwid.display.common import InputClosedError
from urwid.util import get_encoding

from mewcode import exits
from mewcode.config.settings import ProviderChoiceError
from mewcode.desk import Desk
from mewcode.errors import MewcodeError
from mewcode.farewell import leave, transcript
from mewcode.session import Session
from mewcode.text import write_to
from mewcode.tui.bridge import Bridge
from mewcode.tui.chat import Chat
from mewcode.tui.picker import Picker
from mewcode.tui.screen import Screen
from mewcode.tui.signs import IN_ASCII
from mewcode.tui.theme import palette

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from types import FrameType

    from mewcode.attachment import Attachment
    from mewcode.config.settings import ProviderEntry
    from mewcode.launch import Launcher
    from mewcode.llm.client import LLMClient

_log = logging.getLogger(__name__)
_WAIT = 1.0  # seconds a worker has to close its connection on the way out
_ENDS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT)
_STALLED = 0.8  # seconds after which a loop that has not ended is blocked by a terminal that takes nothing


def run(launcher: Launcher, files: Sequence[Attachment] = ()) -> int:
    """The whole chat; the exit code. `files` go along with the first message.

    Raises: ConfigError, before the screen is touched.
    """
    return App(launcher, files).run()


class App:
    def __init__(self, launcher: Launcher, files: Sequence[Attachment] = ()) -> None:
        urwid.set_ascii_fallbacks(IN_ASCII)
        write_to(get_encoding())
        ui = launcher.settings.ui
        self._launcher = launcher
        self._files = files
        self._session: Session | None = None
        self._chat: Chat | None = None
        self._screen = Screen()
        if ui.theme == "mono":
            self._screen.set_terminal_properties(colors=1)
        self._code = exits.OK
        self._loop = urwid.MainLoop(
            urwid.SolidFill(),
            palette(ui.theme, os.environ.get("TERM", "")),
            self._screen,
            handle_mouse=ui.mouse,
            unhandled_input=_unhandled,
        )
        self._bridge = Bridge(self._loop, self._pump, self._frame)
        self._start()

    def run(self) -> int:
        for number in (signal.SIGINT, *_ENDS):
            signal.signal(number, self._signalled)
        ended = threading.Event()
        before = signal.set_wakeup_fd(_doorkeeper(ended, self._bridge.notify), warn_on_full_buffer=False)
        try:
            self._loop.run()
        except InputClosedError:
            self._code = exits.by_signal(signal.SIGHUP)
        except OSError as error:
            if error.errno not in (errno.EIO, errno.ENXIO, errno.EPIPE):
                raise
            self._code = exits.by_signal(signal.SIGHUP)  # the terminal is gone
        finally:
            ended.set()
            os.close(signal.set_wakeup_fd(before))
            self._bridge.close()
            if self._session is not None:
                self._session.close(_WAIT)
            self._say_farewell()  # after a crash all the more
        return self._code

    def _start(self) -> None:
        """The chat at once where the provider is clear, else the list of them."""
        try:
            entry = self._launcher.choose()
        except ProviderChoiceError:
            if self._launcher.asked_for_one:
                raise
            self._loop.widget = Picker(self._launcher.entries(), self._picked, self.leave)
        else:
            self._open(entry)

    def _picked(self, entry: ProviderEntry) -> None:
        try:
            self._open(entry)
        except MewcodeError as error:
            picker = self._loop.widget
            assert isinstance(picker, Picker)
            picker.tell(str(error))

    def _open(self, entry: ProviderEntry) -> None:
        client = self._launcher.client(entry)
        self._session = Session(client, self._bridge.notify)
        desk = Desk(self._session, self._launcher, entry)
        desk.attached += self._files
        self._chat = Chat(desk, self, self._launcher.settings.ui)
        self._chat.open([*self._launcher.warnings, *filter(None, [desk.along])])
        self._loop.widget = self._chat.view
        # the alarm that draws the first screen was set before this one
        self._loop.event_loop.alarm(0, lambda: _in_background(client))

    # what the chat wants: see mewcode.tui.chat.Terminal

    def after(self, seconds: float, callback: Callable[[], None]) -> object:
        return self._loop.event_loop.alarm(seconds, callback)

    def leave(self) -> None:
        raise urwid.ExitMainLoop

    def write(self, data: bytes) -> None:
        self._screen.write(data.decode("ascii"))  # a frame is written whole, in this thread
        self._screen.flush()

    def use_mouse(self, on: bool) -> None:
        self._loop.handle_mouse = on  # also after a suspend
        self._screen.set_mouse_tracking(on)

    def paused(self) -> AbstractContextManager[object]:
        return self._loop.paused()

    def choose_provider(self) -> None:
        chat = self._chat
        assert chat is not None

        def back() -> None:
            self._loop.widget = chat.view

        def chosen(entry: ProviderEntry) -> None:
            back()
            chat.send(f"/provider {entry.name}")

        self._loop.widget = Picker(self._launcher.entries(), chosen, back)

    def _pump(self) -> bool:
        return self._chat is not None and self._chat.pump()

    def _frame(self) -> None:
        if self._chat is not None:
            self._chat.refresh()
            self._loop.draw_screen()

    def _signalled(self, number: int, _frame: FrameType | None) -> None:
        try:
            self._loop.call_from_thread(self._act_on, number)
        except RuntimeError:  # the loop is not up yet, and does this first, or is on its way down, and never does
            self._loop.event_loop.alarm(0, lambda: self._act_on(number))

    def _act_on(self, number: int) -> None:
        """SIGINT is what Ctrl+C sends; the others end the program, the terminal restored."""
        if number != signal.SIGINT:
            self._code = exits.by_signal(number)
            self.leave()
        elif self._chat is not None:
            self._chat.interrupt()
        else:
            self.leave()

    def _say_farewell(self) -> None:
        """Leave the conversation on the main screen, where there is still one."""
        if self._chat is None or self._launcher.settings.ui.on_exit != "transcript":
            return
        messages = self._chat.desk.session.conversation.snapshot()
        text = transcript(messages, self._chat.desk.reasons(messages), sys.stdout.encoding)
        if text and self._code != exits.by_signal(signal.SIGHUP):
            leave(text, sys.stdout.fileno(), _WAIT)


def _unhandled(key: str | tuple[str, int, int, int]) -> None:
    if key == "ctrl z":
        os.kill(os.getpid(), signal.SIGTSTP)  # urwid's own handler gives the terminal back first


def _doorkeeper(ended: threading.Event, wake: Callable[[], None]) -> int:
    """Where the numbers of signals go as they come, for a thread that wakes the main one and frees a way out which is
    blocked.

    The handlers run in the main thread. The kernel may give the signal to another: then nothing interrupts the loop. Or
    the main one has begun to wait for the terminal just before.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)

    def watch() -> None:
        with open(reading, "rb", buffering=0) as numbers:
            while number := numbers.read(1):
                wake()
                if number[0] in _ENDS and not ended.wait(_STALLED):
                    while not ended.wait(_STALLED / 20):
                        _free_output()

    threading.Thread(target=watch, name="mewcode-door", daemon=True).start()
    return writing


def _free_output() -> None:
    """Give a blocked write room: let a stopped terminal go on, and drop what it has not taken."""
    with contextlib.suppress(termios.error, OSError, ValueError):
        for action in (termios.TCOOFF, termios.TCOON):  # Linux lets on what Ctrl+S has stopped only in this order
            termios.tcflow(sys.stdout, action)
        termios.tcflush(sys.stdout, termios.TCOFLUSH)


def _in_background(client: LLMClient) -> None:
    threading.Thread(target=_warm, args=(client,), name="mewcode-warm", daemon=True).start()


def _warm(client: LLMClient) -> None:
    """Import the SDK while the user types, in short slices, so that the screen does not notice."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.0005)
    try:
        client.warm()
    except Exception:  # the first turn meets the same error, and shows it
        _log.info("warming up failed", exc_info=True)
    finally:
        sys.setswitchinterval(interval)
