"""A terminal that shows nothing and keeps every byte: a raw pty with a text stream to write to."""

from __future__ import annotations

import contextlib
import io
import os
import tty
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

ROOM = 4000  # bytes that a pty takes before anybody reads


class Teletype:
    """`stream` is a terminal for whoever writes to it; `written` is what arrived, once it is closed."""

    def __init__(self, encoding: str) -> None:
        self._master, slave = os.openpty()
        tty.setraw(slave)
        raw = io.FileIO(slave, "wb")
        self.stream = io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, errors="strict")
        self.written = b""

    def close(self) -> None:
        self.stream.close()
        with contextlib.suppress(OSError):  # EIO: all was read
            while data := os.read(self._master, 65536):
                self.written += data
        os.close(self._master)


@contextlib.contextmanager
def teletype(encoding: str = "utf-8") -> Generator[Teletype, None, None]:
    """What is written to it in the block, at most ROOM bytes, is in `written` after it."""
    terminal = Teletype(encoding)
    try:
        yield terminal
    finally:
        terminal.close()
