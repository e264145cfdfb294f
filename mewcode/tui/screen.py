"""urwid's raw screen, asked to be quiet, to read through our own `Reader`, and to take Ctrl+C as a key."""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import sys
import termios
import tty
from typing import TYPE_CHECKING

import urwid
from urwid.util import get_encoding

from mewcode.text import takes_utf8
from mewcode.tui.clipboard import tmux_buffer
from mewcode.tui.reader import Reader
from mewcode.tui.signs import LINES_IN_ASCII

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any, Literal, TypeAlias

    from mewcode.tui.paste import Key

    SignalHandler: TypeAlias = Callable[[int, FrameType | None], Any] | int | None

    Heard: TypeAlias = Key | tuple[Literal["cursor position"], int, int]  # what urwid's own screens give


# On the alternate screen many terminals turn the wheel into Up and Down, which here would walk through what was sent.
# What it was before comes back; where that cannot be kept, what such terminals begin with.
_WHEEL_OFF = "\x1b[?1007s\x1b[?1007l"
_WHEEL_BACK = "\x1b[?1007h\x1b[?1007r"
_TIMES_STOPPED = 100  # in a row


class Screen(urwid.display.raw.Screen):
    def __init__(self) -> None:
        if isinstance(sys.stdout, io.TextIOWrapper):  # what it gets is encoded already, whatever Python was told
            sys.stdout.reconfigure(encoding=get_encoding(), errors="replace")
        super().__init__(bracketed_paste_mode=True, focus_reporting=False)
        self._reader = Reader(get_encoding(), _pasted_by_tmux)
        self._continued = False  # since the terminal was last prepared
        self._before_continue: SignalHandler = None
        self._early: list[int] = []  # what was typed before the screen was up
        self._stands_in = get_encoding() == "utf-8" and not takes_utf8(sys.stdout.encoding)

    def _detect_terminal_modes(self) -> None:
        """Ask the terminal nothing: answers come late over a slow link, and are typed into the prompt (urwid 5.1)."""

    def _start(self, alternate_buffer: bool = True) -> None:
        fd = self._input_fileno()
        _until_foreground(fd)
        before = termios.tcgetattr(fd) if fd is not None and os.isatty(fd) else None
        if fd is not None and before is not None:
            _never_stop(fd)
            self._early = _typed_early(fd)
        # anew: what was open when the terminal was given away has no rest
        self._reader = Reader(get_encoding(), _pasted_by_tmux)
        super()._start(alternate_buffer)
        if fd is not None and before is not None:
            self._old_termios_settings = before
            # Here, so that it survives a suspend. Enter and Ctrl+J are one key while the driver turns CR into LF. As
            # signals, Ctrl+C, Ctrl+Z and Ctrl+\ would overtake the keys before them, act from within a paste, and the
            # driver would drop what nobody has read yet.
            mode = termios.tcgetattr(fd)
            mode[0] &= ~termios.ICRNL
            mode[3] |= termios.NOFLSH
            for character in (termios.VINTR, termios.VQUIT, termios.VSUSP):
                mode[6][character] = bytes([os.fpathconf(fd, "PC_VDISABLE")])
            termios.tcsetattr(fd, termios.TCSANOW, mode)
        self.write(_WHEEL_OFF)
        if self._early:
            self._wake_input_loop()

    def signal_init(self) -> None:
        super().signal_init()
        self._before_continue = self.signal_handler_setter(signal.SIGCONT, self._continue)

    def signal_restore(self) -> None:
        self.signal_handler_setter(signal.SIGCONT, self._before_continue or signal.SIG_DFL)
        super().signal_restore()

    def _continue(self, _number: int, _frame: FrameType | None = None) -> None:
        """After a SIGSTOP the terminal is as the shell had it. After a SIGTSTP urwid begins the screen anew itself."""
        if self._started:
            _until_foreground(self._input_fileno())
            self._continued = True
            self._wake_input_loop()

    def get_available_raw_input(self) -> list[int]:
        codes = super().get_available_raw_input()
        if self._continued and self._started:
            self._continued = False
            self.stop()
            self.start()
            self._resized = True
        return codes

    def write(self, data: str) -> None:
        super().write(data.translate(LINES_IN_ASCII) if self._stands_in else data)

    def _stop(self) -> None:
        with contextlib.suppress(OSError):  # the terminal may be gone
            self.write(_WHEEL_BACK)
        super()._stop()

    def hook_event_loop(self, event_loop: urwid.EventLoop, callback: Callable[[list[Heard], list[int]], Any]) -> None:
        """Keys instead of urwid's own decoding, which is what `parse_input` would do."""

        def ready() -> None:
            take(self._reader.feed(self._read()))

        def late() -> None:
            self._input_timeout = None
            data = self._read()  # it may be there all the same, when the loop was busy
            take(self._reader.feed(data) if data else self._reader.expire())

        def take(keys: list[Key]) -> None:
            if self._input_timeout is not None:
                event_loop.remove_alarm(self._input_timeout)
                self._input_timeout = None
            if (wait := self._reader.wait) is not None:
                self._input_timeout = event_loop.alarm(wait, late)
            if self._resized:
                self._resized = False
                self.screen_buf = None
                keys = [*keys, "window resize"]
            if keys:
                callback([*keys], [])

        handles = [
            event_loop.watch_file(source if isinstance(source, int) else source.fileno(), ready)
            for source in self.get_input_descriptors()
        ]
        self._current_event_loop_handles = handles

    def _read(self) -> bytes:
        """What there is. Raises: InputClosedError."""
        self._reader.mouse = self._mouse_tracking_enabled
        read = self._early + self.get_available_raw_input()
        self._early = []
        return bytes(code for code in read if code < 256)  # above are codes of gpm's, for columns no report can name


def _pasted_by_tmux() -> str | None:
    return tmux_buffer(os.environ)


def _until_foreground(fd: int | None) -> None:
    """Stop again when `kill -CONT` or `bg` lets us go on while the terminal is the shell's: a frame would be drawn over
    its prompt. Where nobody can let us go on (an orphan, SIGTTOU ignored) the signal does nothing, and neither do we.
    """
    with contextlib.suppress(OSError):  # no terminal, or no longer
        for _ in range(_TIMES_STOPPED):
            if fd is None or os.tcgetpgrp(fd) == os.getpgrp():
                return
            os.kill(os.getpid(), signal.SIGTTOU)


def _never_stop(fd: int) -> None:
    """Ctrl+S would stop the screen, and nothing would say why; what it has stopped already goes on."""
    mode = termios.tcgetattr(fd)
    mode[0] &= ~termios.IXON
    termios.tcsetattr(fd, termios.TCSANOW, mode)


def _typed_early(fd: int) -> list[int]:
    """What waits at the terminal. urwid 5.1 enters its mode with TCSAFLUSH, which would drop it."""
    tty.setcbreak(fd, termios.TCSANOW)  # a line that is not ended can be read now
    typed = b""
    while select.select([fd], [], [], 0)[0] and (more := os.read(fd, 4096)):
        typed += more
    return list(typed)
