"""What was sent, and the way through it. In memory; in a private file as well when it is given one."""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
from typing import TYPE_CHECKING

from mewcode.private import SaveError, write_private

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

MOST = 1000  # entries
_KEPT = MOST * 9 // 10  # of them, when the file is made shorter: not at each entry from then on
_LONGEST = 100_000  # characters of an entry in the file: a large paste is kept in memory only

_log = logging.getLogger(__name__)


class History:
    """Entries, the oldest first, exactly as sent. A file that cannot be read or written is no reason to stop.

    The file holds one JSON string a line; several chats may append to it at the same time.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._entries: list[str] = []
        self._added = False  # the last entry came with the last add
        self._count = 0  # lines of the file, as far as this chat knows
        if path is not None:
            with _logged(), _locked(path) as descriptor:
                self._load(_lines(descriptor))

    @property
    def entries(self) -> Sequence[str]:
        return self._entries

    def add(self, text: str) -> None:
        """Remember what is sent; not again what was sent just before."""
        self._added = self._entries[-1:] != [text]
        if not self._added:
            return
        self._entries = [*self._entries[-MOST + 1 :], text]
        if self._path is None or len(text) > _LONGEST:
            return
        with _logged(), _locked(self._path) as descriptor:
            os.write(descriptor, _line(text))
            self._count += 1
            if self._count > MOST:
                self._load(_lines(descriptor))

    def forget_last(self) -> None:
        """Take out what was added last: it was given back to its writer."""
        if not self._added:
            return
        self._added = False
        text = self._entries.pop()
        if self._path is None or len(text) > _LONGEST:
            return
        with _logged(), _locked(self._path) as descriptor:
            lines, line = _lines(descriptor), _line(text)
            if line in lines:
                last = len(lines) - 1 - lines[::-1].index(line)
                self._replace([*lines[:last], *lines[last + 1 :]])

    def _load(self, lines: Sequence[bytes]) -> None:
        """Take over what the file holds, and shorten it where it holds too much."""
        self._entries = [entry for line in lines if (entry := _entry(line)) is not None][-MOST:]
        self._count = len(lines)
        if self._count > MOST:
            self._replace([_line(entry) for entry in self._entries[-_KEPT:]])

    def _replace(self, lines: Sequence[bytes]) -> None:
        assert self._path is not None
        write_private(self._path, b"".join(lines), force=True)
        self._count = len(lines)


class Walk:
    """The way through the history from the draft at its end and back. What was changed on the way stays changed."""

    def __init__(self, history: History, shown: Callable[[str], str]) -> None:
        self._history = history
        self._shown = shown  # an entry as it stands in the composer
        self.reset()

    def reset(self) -> None:
        """Back at the draft, with all changes gone: it was sent."""
        self._entries: Sequence[str] = ()
        self._changed: dict[int, str] = {}
        self._at = 0

    def step(self, text: str, by: int) -> str | None:
        """From the text that stands here to another; None at either end."""
        if not self._changed:  # what is added meanwhile does not move the walk
            self._entries = tuple(self._history.entries)
            self._at = len(self._entries)
        to = min(max(self._at + by, 0), len(self._entries))
        if to == self._at:
            return None
        self._changed[self._at] = text
        self._at = to
        return self._changed[to] if to in self._changed else self._shown(self._entries[to])


@contextlib.contextmanager
def _locked(path: Path) -> Generator[int, None, None]:
    """The file, opened to read and to append, with no other chat writing it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        descriptor = os.open(path, flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):  # else it was replaced while we waited
                os.fchmod(descriptor, 0o600)
                yield descriptor
                return
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def _logged() -> Generator[None, None, None]:
    try:
        yield
    except (OSError, SaveError) as error:
        _log.warning("the history of prompts: %s", error)


def _lines(descriptor: int) -> list[bytes]:
    """The whole lines; one that was cut short by a fault is made whole, so that the next begins anew."""
    size = os.fstat(descriptor).st_size
    data = os.pread(descriptor, size, 0)
    if data and not data.endswith(b"\n"):
        os.write(descriptor, b"\n")
        data += b"\n"
    return data.splitlines(keepends=True)


def _line(text: str) -> bytes:
    return json.dumps(text).encode() + b"\n"


def _entry(line: bytes) -> str | None:
    """None for a damaged line."""
    try:
        match json.loads(line):
            case str(text) if len(text) <= _LONGEST:
                text.encode()  # half a surrogate pair could not be sent
                return text
            case _:
                return None
    except (ValueError, RecursionError):
        return None
