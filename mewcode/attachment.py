"""Text files that go along with a message, each as a fenced block under its name."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from mewcode.errors import MewcodeError
from mewcode.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 2_000_000  # bytes: more than any model reads, and read at once
STDIN = "-"
_LISTED = 50  # names that are offered
_TICKS = re.compile("`{3,}")


class AttachError(MewcodeError):
    """A file that cannot go along; `is_there` where it can be read, but is no text that anybody could use."""

    def __init__(self, sentence: str, *, is_there: bool = True) -> None:
        super().__init__(sentence)
        self.is_there = is_there


class Attachment(NamedTuple):
    name: str
    text: str

    @property
    def block(self) -> str:
        """What the model gets: a fence that nothing in the text can close."""
        fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(self.text)), default=0))
        end = "" if self.text.endswith("\n") else "\n"
        return f"{self.name}:\n\n{fence}\n{self.text}{end}{fence}"

    @property
    def size(self) -> str:
        """In words."""
        lines = self.text.count("\n") + (not self.text.endswith("\n"))
        return f"{lines:,} line{'' if lines == 1 else 's'}"


def attach(name: str) -> Attachment:
    """Read a file, or stdin to its end for `-`. Raises: AttachError, one sentence."""
    shown = "stdin" if name == STDIN else one_line(name, 200)
    try:
        data = _read(name)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no name of a file"
        raise AttachError(f"{shown} cannot be read: {reason}", is_there=False) from None
    if len(data) > MOST:
        raise AttachError(f"{shown} is larger than {MOST // 1_000_000} MB; cut the part out that matters")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise AttachError(f"{shown} is not text in UTF-8; only such files can go along")
    if not text.strip():
        raise AttachError(f"{shown} is empty")
    return Attachment(one_line(os.path.basename(name), 80) if name != STDIN else shown, text.replace("\r\n", "\n"))


def with_attachments(files: Sequence[Attachment], message: str) -> str:
    """The message, and what goes along with it in front: what is asked last is remembered best."""
    return "\n\n".join([*(file.block for file in files), *([message] if message else [])])


def files_beginning(begun: str) -> list[str]:
    """Names of files that go on so, as they were begun, folders with a slash; hidden ones only where a dot says so."""
    folder, _, head = begun.rpartition("/")
    place = os.path.expanduser(f"{folder}/" if "/" in begun else ".")
    found: list[str] = []
    with contextlib.suppress(OSError, ValueError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(head) and (head or not entry.name.startswith(".")) and entry.name.isprintable():
                found.append(entry.name + ("/" if entry.is_dir() else ""))
    prefix = begun[: len(begun) - len(head)]
    return [prefix + name for name in sorted(found)[:_LISTED]]


def _read(name: str) -> bytes:
    if name == STDIN:
        return sys.stdin.buffer.read(MOST + 1) if sys.stdin is not None else b""
    with open(os.path.expanduser(name), "rb") as file:
        return file.read(MOST + 1)
