"""urwid's raw screen, asked to be quiet, to tell Ctrl+J from Enter, and to take Ctrl+C as a key."""

from __future__ import annotations

import os
import select
import termios
import tty

import urwid

_LINE_FEED = 10
_ESCAPE = 27
# what a terminal with extended keys sends for Ctrl+J; urwid names the plain byte `enter` (5.1)
_CTRL_J = tuple(b"\x1b[106;5u")
_PASTE_MARKS = (list(b"[200~"), list(b"[201~"))  # without their Esc
_ESCAPE_WAIT = 0.03  # seconds a lone Esc is held, since it could begin a sequence
_REST_WAIT = 1.0  # seconds a torn sequence or character is held: over a slow link its rest comes later


class Screen(urwid.display.raw.Screen):
    def __init__(self) -> None:
        super().__init__(bracketed_paste_mode=True, focus_reporting=False)
        self._ended_in_escape = False  # the last input
        self._early: list[int] = []  # what was typed before the screen was up

    def _detect_terminal_modes(self) -> None:
        """Ask the terminal nothing: answers come late over a slow link, and are typed into the prompt (urwid 5.1)."""

    def _start(self, alternate_buffer: bool = True) -> None:
        fd = self._input_fileno()
        before = termios.tcgetattr(fd) if fd is not None and os.isatty(fd) else None
        if fd is not None and before is not None:
            self._early = _typed_early(fd)
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
        if self._early:
            self._wake_input_loop()

    def get_available_raw_input(self) -> list[int]:
        read = self._early + super().get_available_raw_input()
        self._early = []
        if self._ended_in_escape and read[: len(_PASTE_MARKS[0])] in _PASTE_MARKS:
            # over a slow link the mark came torn after an Esc that has been taken for a key; what follows is no typing
            read = [_ESCAPE, *read]
        if read:
            self._ended_in_escape = read[-1] == _ESCAPE
        return self._told_apart(read)

    def _told_apart(self, read: list[int]) -> list[int]:
        codes: list[int] = []
        for code in read:
            if code == _LINE_FEED and codes[-1:] != [_ESCAPE]:
                codes.extend(_CTRL_J)
            else:
                codes.append(code)
        self.complete_wait = _ESCAPE_WAIT if codes[-1:] == [_ESCAPE] else _REST_WAIT
        return codes


def _typed_early(fd: int) -> list[int]:
    """What waits at the terminal. urwid 5.1 enters its mode with TCSAFLUSH, which would drop it."""
    tty.setcbreak(fd, termios.TCSANOW)  # a line that is not ended can be read now
    typed = b""
    while select.select([fd], [], [], 0)[0] and (more := os.read(fd, 4096)):
        typed += more
    return list(typed)
