"""A keys.txt, played in a real terminal: one action a line."""

from __future__ import annotations

import re
import signal
import time
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.e2e.terminal import Terminal
    from tests.fakes.case_server import CaseServer

_PATIENCE = 60.0  # seconds: the first request has an SDK to import
_KEYS = {
    "enter": "\r",
    "cancel": "\x1b",
    "escape": "\x1b",
    "tab": "\t",
    "ctrl-c": "\x03",
    "ctrl-z": "\x1a",
    "up": "\x1b[A",
    "down": "\x1b[B",
}
_EMPTY_THE_PROMPT = "\x15"


def play_keys(chat: Terminal, script: str, server: CaseServer) -> list[tuple[str, str]]:
    """Each line with the screen as it is after it. What Enter sends is at the server when the next line begins."""
    screens = []
    for line in script.splitlines():
        sent = len(server.requests) + (line == "key enter")
        _act(chat, line)
        chat.wait(partial(_came, server, sent), _PATIENCE)
        screens.append((line, chat.text))
    return screens


def _came(server: CaseServer, count: int) -> bool:
    return len(server.requests) >= count


def _act(chat: Terminal, line: str) -> None:
    if found := re.fullmatch(r'text "(.*)"', line):
        chat.send(_EMPTY_THE_PROMPT)
        chat.quiet_for(0.05)
        chat.send(found[1])
    elif found := re.fullmatch(r"key (\S+)(?: x(\d+))?", line):
        chat.send(_KEYS[found[1]] * int(found[2] or 1))
    elif found := re.fullmatch(r"wait ([\d.]+)", line):
        _read_for(chat, float(found[1]))
    elif found := re.fullmatch(r"resize (\d+)x(\d+)", line):
        chat.resize((int(found[1]), int(found[2])))
    elif found := re.fullmatch(r"signal (\w+)", line):
        chat.signal(signal.Signals[f"SIG{found[1]}"])
    else:
        raise AssertionError(f"unknown action: {line}")
    chat.quiet_for(0.05, within=0.2)


def _read_for(chat: Terminal, seconds: float) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        chat.read(left)
