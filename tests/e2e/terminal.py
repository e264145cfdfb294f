"""A terminal for the program: a pty with a size, an emulator that reads it, and conditions to wait for."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyte

from tests.fakes.sse_server import LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

# makes the pty its controlling terminal, then becomes the program: what a terminal's login does
_ON_TERMINAL = (
    "import fcntl,os,sys,termios;os.setsid();fcntl.ioctl(0,termios.TIOCSCTTY,0);os.execvp(sys.argv[1],sys.argv[1:])"
)
_MODES = re.compile(rb"\x1b\[\?([\d;]+)([hl])")
PROGRAM = str(Path(sys.executable).parent / "mewcode")


class Emulated(pyte.Screen):
    """pyte knows no XTRESTORE (`CSI ? … r`) and takes it for margins, which have no such argument (0.8.2)."""

    def set_margins(self, top: int | None = None, bottom: int | None = None, private: bool = False) -> None:
        if not private:
            super().set_margins(top, bottom)


class Terminal:
    """Runs one program. Nothing sleeps: what is waited for is something on the screen, or the end."""

    def __init__(self, argv: Sequence[str], size: tuple[int, int] = (80, 24), **environ: str) -> None:
        self._master, self._slave = os.openpty()
        self._screen = Emulated(*size)
        self._emulator = pyte.ByteStream(self._screen)
        self.raw = b""
        self._set_size(size)  # before the start: without a size nothing is drawn
        self.modes_before = self.modes
        environ = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environ}
        environ.pop("COLORTERM", None)
        self._process = subprocess.Popen(
            [sys.executable, "-ISc", _ON_TERMINAL, *argv],
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env=environ,
        )

    @property
    def modes(self) -> object:
        """What the driver is set to."""
        return termios.tcgetattr(self._slave)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return self._screen.columns, self._screen.lines

    @property
    def rows(self) -> list[str]:
        return [row.rstrip() for row in self._screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row."""
        return self._screen.cursor.x, self._screen.cursor.y

    def colours(self, words: str) -> set[str]:
        """The colours of the first place where these words stand."""
        for y, row in enumerate(self._screen.display):
            if words in row:
                start = row.index(words)
                return {self._screen.buffer[y][x].fg for x in range(start, start + len(words))}
        raise AssertionError(f"{words!r} is not on the screen:\n{self.text}")

    def cells(self) -> pyte.Screen:
        """The screen with its styles."""
        return self._screen

    def send(self, keys: str | bytes) -> None:
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)

    @property
    def pid(self) -> int:
        return self._process.pid

    def be_legacy(self) -> None:
        """A terminal that knows no UTF-8, but the second character set with lines in it."""
        self._emulator.select_other_charset("@")

    def take_nothing(self) -> None:
        """Let the driver hold back what the program writes, as a window does that nobody reads."""
        termios.tcflow(self._slave, termios.TCOOFF)

    def signal(self, number: int) -> None:
        os.kill(self._process.pid, number)

    def resize(self, size: tuple[int, int]) -> None:
        self.read()
        self._screen.resize(size[1], size[0])
        self._set_size(size)

    def wait(self, condition: str | Callable[[], bool], within: float = LIMIT) -> None:
        """Read until words are on the screen, or something else holds."""
        deadline = time.monotonic() + within
        while not (condition in self.text if isinstance(condition, str) else condition()):
            left = deadline - time.monotonic()
            assert left > 0, f"waited in vain for {condition!r}:\n{self.text}"
            self.read(left)

    def read(self, timeout: float = 0.0) -> bytes:
        """What the program writes next, if it does so within the time; a process that ends counts too."""
        ready, _, _ = select.select([self._master], [], [], min(timeout, 0.05))
        if not ready:
            return b""
        data = os.read(self._master, 65536)
        self.raw += data
        self._emulator.feed(data)
        return data

    def quiet_for(self, seconds: float, within: float = LIMIT) -> bool:
        """Wait until nothing has come for so long; False if something always does."""
        started = silent_since = time.monotonic()
        while time.monotonic() - silent_since < seconds:
            if time.monotonic() - started > within:
                return False
            if self.read(seconds):
                silent_since = time.monotonic()
        return True

    def exit_code(self, within: float = LIMIT) -> int:
        """Wait for the end; all that was written is read. A death by signal n is 128 + n, as a shell says it."""
        self.wait(lambda: self._process.poll() is not None, within)
        while self.read():
            pass
        code = self._process.returncode
        return code if code >= 0 else 128 - code

    def hang_up(self) -> None:
        """Close the terminal's own end, as a lost connection does."""
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = -1

    def gone(self, within: float) -> int:
        """Wait for the end of a program whose terminal is gone."""
        return self._process.wait(within)

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        if self._master >= 0:
            self.hang_up()

    def _set_size(self, size: tuple[int, int]) -> None:
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))


@contextlib.contextmanager
def terminal(*argv: str, size: tuple[int, int] = (80, 24), **environ: str) -> Generator[Terminal, None, None]:
    """The program, with these arguments, in a terminal of its own."""
    started = Terminal([PROGRAM, *argv], size, **environ)
    try:
        yield started
    finally:
        started.close()


def assert_restored(ended: Terminal) -> None:
    """The terminal is as it was, and no word of a crash stands on it."""
    assert_modes_restored(ended)
    assert b"Traceback" not in ended.raw
    assert b"internal error" not in ended.raw
    assert b"Exception" not in ended.raw


def assert_modes_restored(ended: Terminal) -> None:
    """What the driver was set to, main screen, cursor, mouse, paste, focus, colours and the keyboard's protocols."""
    assert ended.modes == ended.modes_before
    last = {mode: way for modes, way in _MODES.findall(ended.raw) for mode in modes.split(b";")}
    assert {mode for mode, way in last.items() if way != b"l"} <= {b"25", b"1007"}  # as terminals have them
    assert last.get(b"25") != b"l"
    assert ended.raw.count(b"\x1b[?1007s") == ended.raw.count(b"\x1b[?1007r")
    assert len(re.findall(rb"\x1b\[>\d*u", ended.raw)) == ended.raw.count(b"\x1b[<u")  # kitty's, a stack
    assert ended.raw.rfind(b"\x1b[>4m") >= ended.raw.rfind(b"\x1b[>4;")  # xterm's modifyOtherKeys
    assert ended.cells().cursor.attrs == ended.cells().default_char
