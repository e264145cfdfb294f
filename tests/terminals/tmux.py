"""A real tmux server of the test's own: one window with one program, of which the screen can be read."""

from __future__ import annotations

import os
import select
import subprocess
import time
from typing import TYPE_CHECKING

import pyte

from tests.fakes.sse_server import LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_SESSION = "chat"
_SETTINGS = ("status off", "default-terminal tmux-256color", "escape-time 10")


class Tmux:
    """What it writes is told by a client in control mode: nothing sleeps until something may have changed."""

    def __init__(self, argv: Sequence[str], folder: Path, size: tuple[int, int] = (80, 24), **environ: str) -> None:
        settings = folder / "tmux.conf"
        settings.write_text("".join(f"set -g {each}\n" for each in _SETTINGS))
        self._command = ["tmux", "-S", str(folder / "tmux"), "-f", str(settings)]
        self._environ = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", **environ}
        self._environ.pop("TMUX", None)
        self._size = size
        width, height = map(str, size)
        self._run("new-session", "-d", "-s", _SESSION, "-x", width, "-y", height, *argv)
        self._run("set", "-g", "window-size", "manual")  # tmux 3.3a crashes when a window begins so
        self._watch = subprocess.Popen(
            [*self._command, "-C", "attach", "-t", _SESSION],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self._environ,
        )

    @property
    def size(self) -> tuple[int, int]:
        return self._size

    @property
    def rows(self) -> list[str]:
        shown = self._run("capture-pane", "-p", "-t", _SESSION).decode().split("\n")[:-1]
        return [row.rstrip() for row in (*shown, *[""] * self._size[1])][: self._size[1]]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    def cells(self) -> pyte.Screen:
        """The screen with its styles, as an emulator of the same size reads what tmux has captured."""
        screen = pyte.Screen(*self._size)
        stream = pyte.Stream(screen)
        captured = self._run("capture-pane", "-e", "-N", "-p", "-t", _SESSION).decode()
        for number, row in enumerate(captured.split("\n")[:-1]):
            stream.feed(f"\x1b[{number + 1};1H{row}")  # styles go on from row to row
        return screen

    @property
    def cursor(self) -> tuple[int, int] | None:
        """Column and row; None while it is hidden."""
        x, y, shown = self._told("#{cursor_x} #{cursor_y} #{cursor_flag}").split()
        return (int(x), int(y)) if shown == "1" else None

    def width(self, text: str) -> int:
        """The columns that the text takes, as tmux counts them."""
        self._run("set", "-g", "@text", text)
        return int(self._told("#{w:@text}"))

    def send(self, keys: str) -> None:
        """As they come from a keyboard, byte by byte."""
        self._run("send-keys", "-t", _SESSION, "-H", *(f"{byte:x}" for byte in keys.encode()))

    def paste(self, text: str) -> None:
        """Through tmux's own buffer, in brackets where the program asked for them."""
        self._run("set-buffer", text)
        self._run("paste-buffer", "-p", "-t", _SESSION)

    def buffer(self) -> str:
        """The newest of tmux's buffers."""
        return self._run("show-buffer").decode()

    def resize(self, size: tuple[int, int]) -> None:
        self._size = size
        self._run("resize-window", "-t", _SESSION, "-x", str(size[0]), "-y", str(size[1]))

    def follow_clients(self) -> None:
        """Let the window be as large as the client that was attached last."""
        self._run("set", "-g", "window-size", "latest")
        self._run("set", "-w", "-u", "-t", _SESSION, "window-size")  # which a resize has set for the window

    def attaching(self) -> list[str]:
        """The command of a client, for a terminal."""
        return [*self._command, "attach", "-t", _SESSION]

    def detach(self) -> None:
        """Send all clients away, as a lost connection does."""
        for client in self._run("list-clients", "-F", "#{client_tty}").decode().split():
            self._run("detach-client", "-t", client)

    def wait(self, condition: str | Callable[[], bool], within: float = LIMIT) -> None:
        """Look again whenever tmux says that something has changed."""
        deadline = time.monotonic() + within
        while not (condition in self.text if isinstance(condition, str) else condition()):
            left = deadline - time.monotonic()
            assert left > 0, f"waited in vain for {condition!r}:\n{self.text}"
            self._changed(min(left, 0.5))

    def quiet_for(self, seconds: float) -> None:
        """Wait until nothing has changed for so long."""
        while self._changed(seconds):
            pass

    def close(self) -> None:
        self._watch.kill()
        self._watch.communicate()
        subprocess.run([*self._command, "kill-server"], env=self._environ, capture_output=True, check=False)

    def _changed(self, within: float) -> bool:
        assert self._watch.stdout is not None
        ready, _, _ = select.select([self._watch.stdout], [], [], within)
        return bool(ready) and bool(os.read(self._watch.stdout.fileno(), 1 << 16))

    def _told(self, form: str) -> str:
        return self._run("display-message", "-p", "-t", _SESSION, form).decode()

    def _run(self, *words: str) -> bytes:
        done = subprocess.run([*self._command, *words], env=self._environ, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout
