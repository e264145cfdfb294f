"""Copying inside a real tmux: what its buffer holds, and what its own terminal is told."""

from __future__ import annotations

import base64
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from mewcode.tui.clipboard import copy
from tests.e2e.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "pip install x\n\t# ünï 日本\n"


@pytest.fixture
def attached(folder: Path):
    """A tmux with a client in a terminal."""
    socket = str(folder / "socket")
    start = ["-S", socket, "-f", "/dev/null", "new-session", "printf ready; exec cat"]
    ended = Terminal(["/usr/bin/env", "tmux", *start], TERM="xterm-256color")
    try:
        ended.wait("ready")
        yield ended, socket
    finally:
        subprocess.run(["tmux", "-S", socket, "kill-server"], check=False, capture_output=True)
        ended.close()


def test_tmux_has_the_text_in_its_buffer_and_hands_it_to_its_terminal(attached):
    shown, socket = attached
    written: list[bytes] = []
    sentence = copy(TEXT, written.append, {**os.environ, "TERM": "tmux-256color", "TMUX": f"{socket},1,0"})
    assert sentence.startswith("Put into tmux's buffer, and sent to the terminal (OSC 52)")
    buffer = subprocess.run(["tmux", "-S", socket, "show-buffer"], check=True, capture_output=True)
    assert buffer.stdout.decode() == TEXT
    coded = base64.b64encode(TEXT.encode())
    shown.wait(lambda: b"\x1b]52;" in shown.raw and coded in shown.raw)
    assert written == [b"\x1b]52;c;" + coded + b"\x1b\\"]
