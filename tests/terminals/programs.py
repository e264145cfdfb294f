"""What is done with a chat in a shell, however far away, and the processes that have to be gone with it."""

from __future__ import annotations

import contextlib
import os
import re
import select
import time
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from tests.e2e.terminal import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.e2e.terminal import Terminal
    from tests.terminals.tmux import Tmux

    Shown = Terminal | Tmux

SHELL = ("bash", "--norc", "--noprofile", "-i")
PROMPT = "there:"  # of the shell
FIRST, SECOND = "The secret word is banana. Say OK.", "What is the secret word?"
_THINKS = 60.0  # seconds that the embedded model may take
_VARIABLE = "MEWCODE_TEST_MARK"


class Marked:
    """A command whose processes, the embedded model among them, are known by a mark in their environment."""

    def __init__(self, *arguments: str) -> None:
        self._mark = f"{_VARIABLE}={uuid4().hex}"
        self.command = " ".join([self._mark, PROGRAM, *arguments])

    def running(self) -> set[int]:
        return {
            int(path.parent.name)
            for path in Path("/proc").glob("[0-9]*/environ")
            if self._mark.encode() in _read(path).split(b"\0")
        }


def _read(path: Path) -> bytes:
    with contextlib.suppress(OSError):
        return path.read_bytes()
    return b""


def seconds_until_gone(running: Iterable[int], lose: Callable[[], object]) -> float:
    """Lose what they run on, and count until these processes are gone."""
    with contextlib.ExitStack() as closing:
        ends = [os.pidfd_open(pid) for pid in running]
        for end in ends:
            closing.callback(os.close, end)
        began = time.monotonic()
        lose()
        for end in ends:
            assert select.select([end], [], [], 10)[0], "it is still there"
        return time.monotonic() - began


def remember(shown: Shown) -> None:
    """Two turns with the embedded model."""
    shown.wait("Ask anything")
    shown.send(f"{FIRST}\r")
    shown.wait(" s · tokens", _THINKS)
    shown.send(f"{SECOND}\r")
    shown.wait(lambda: shown.text.count(" s · tokens") == 2, _THINKS)
    assert "banana" in shown.text.split(SECOND)[1].lower()


def suspend_and_return(shown: Shown) -> None:
    """The shell has the terminal in between; the chat is drawn anew, with what was typed."""
    shown.send("draft")
    shown.wait("❯ draft")
    shown.send("\x1a")
    shown.wait("Stopped")
    shown.send("echo $((6*7))\r")
    shown.wait("\n42")
    shown.send("fg\r")
    shown.wait(lambda: fills(shown, "local") and PROMPT not in shown.text and "❯ draft" in shown.text)
    shown.send("\x15")
    shown.wait("Ask anything")


def begin_a_long_answer(shown: Shown) -> None:
    """Until some of it is there; the embedded model goes on for minutes."""
    shown.send("Tell me a very long story about a cat.\r")
    shown.wait(lambda: re.search(r"Imagining… \(\d+s\)$", shown.text, re.MULTILINE) is not None, _THINKS)


def fills(shown: Shown, provider: str) -> bool:
    """Whether the bar reaches from the left edge to the right one, on the last row."""
    return len(shown.rows[-1]) == shown.size[0] and shown.rows[-1].startswith(provider)
