"""What holds for every test: an empty home, no keys, no network but loopback, and nothing left behind."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from mewcode.providers._memory import MEMORY

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_HANGS = 120  # seconds, then every thread's stack is shown
_WINDING_DOWN = 5.0

# a shell's background jobs ignore it, and so would every program that a test starts and interrupts
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("mewcode", deadline=None)
settings.load_profile("mewcode")


@pytest.fixture(autouse=True)
def _empty_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine's own shows through, and nothing is written to it."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "OPENAI_", "XDG_", "MEWCODE_LOCAL")) or name.upper().endswith(
            ("_API_KEY", "_PROXY")
        ):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))


@pytest.fixture(autouse=True)
def _nothing_learned() -> None:
    """What one test's server taught does not hold for the next one, which may listen on the same port."""
    MEMORY.forget()


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.socket.connect

    def connect(self: socket.socket, address: tuple[str, int] | str) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test tried to connect to {address[0]}")
        real(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> Generator[None, None, None]:
    """No thread of ours and no open socket outlives its test."""
    faulthandler.dump_traceback_later(_HANGS)
    before, threads = _sockets(), set(threading.enumerate())  # a server may serve all tests of a session
    yield
    faulthandler.cancel_dump_traceback_later()
    deadline = time.monotonic() + _WINDING_DOWN
    for thread in set(threading.enumerate()) - threads:
        if thread.name.startswith("mewcode-"):
            thread.join(max(0.0, deadline - time.monotonic()))
            assert not thread.is_alive(), f"{thread.name} is still running"
    if not _sockets() <= before:
        gc.collect()  # an SDK's client goes with a cycle; collecting after every test would take most of the time
    assert _sockets() <= before


def _sockets() -> set[str]:
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            continue
        if target.startswith("socket:"):
            found.add(target)
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
