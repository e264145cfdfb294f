"""urwid's raw screen, asked to be quiet and to tell Ctrl+J from Enter."""

from __future__ import annotations

import termios

import urwid

_LINE_FEED = 10
_ESCAPE = 27
# what a terminal with extended keys sends for Ctrl+J; urwid names the plain byte `enter` (5.1)
_CTRL_J = tuple(b"\x1b[106;5u")
_ESCAPE_WAIT = 0.03  # seconds a lone Esc is held, since it could begin a sequence


class Screen(urwid.display.raw.Screen):
    def __init__(self) -> None:
        super().__init__(bracketed_paste_mode=True, focus_reporting=False)
        self.set_input_timeouts(complete_wait=_ESCAPE_WAIT)

    def _detect_terminal_modes(self) -> None:
        """Ask the terminal nothing: answers come late over a slow link, and are typed into the prompt (urwid 5.1)."""

    def _start(self, alternate_buffer: bool = True) -> None:
        super()._start(alternate_buffer)
        fd = self._input_fileno()
        if fd is not None and self._old_termios_settings is not None:
            # Enter and Ctrl+J are one key while the driver turns CR into LF; here, so that it survives a suspend
            mode = termios.tcgetattr(fd)
            mode[0] &= ~termios.ICRNL
            termios.tcsetattr(fd, termios.TCSANOW, mode)

    def get_available_raw_input(self) -> list[int]:
        codes: list[int] = []
        for code in super().get_available_raw_input():
            if code == _LINE_FEED and codes[-1:] != [_ESCAPE]:
                codes.extend(_CTRL_J)
            else:
                codes.append(code)
        return codes
