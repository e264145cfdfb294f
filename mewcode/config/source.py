"""A config file as text: bounded in size, strict about its encoding, opened once."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewcode.config.place import Place, shown
from mewcode.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 1_000_000  # bytes
# ruamel.yaml 0.19 looks a tag over again for each of its characters: 14 s for one of 900 kB
_LONGEST_LINE = 100_000  # characters


@dataclass(frozen=True, slots=True)
class Source:
    """`open_to_others` is whether anybody but the owner may read or write the file."""

    path: Path
    text: str
    open_to_others: bool


def read(path: Path) -> Source:
    """The file's text. A pipe will do, such as a shell's `<(…)`. Raises: ConfigError."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            data = file.read(LIMIT + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigError(
            f"{shown(path)}: cannot be read ({reason}): mend that, or name another file with -c"
        ) from None
    if len(data) > LIMIT:
        raise Place(path).error(
            "the file is larger than 1 MB: a config is never that long, name the right file with -c"
        )
    open_to_others = stat.S_ISREG(status.st_mode) and bool(status.st_mode & 0o077)
    return Source(path, _decoded(data, path), open_to_others)


def position(path: Path, before: str) -> Place:
    """The place just behind the text `before`, which begins where the file does."""
    lines = re.split(r"\r\n?|\n", before)
    return Place(path, len(lines), len(lines[-1]) + 1)


def _decoded(data: bytes, path: Path) -> str:
    text = data.decode("utf-8-sig", errors="surrogateescape")
    # surrogateescape, not strict: an error object would carry the file's bytes
    if bad := re.search("[\udc80-\udcff]", text):
        raise position(path, text[: bad.start()]).error("this is not UTF-8 text: save the file as UTF-8")
    if long := re.search(rf"[^\r\n]{{{_LONGEST_LINE + 1}}}", text):
        raise position(path, text[: long.start()]).error("this line is longer than 100,000 characters: break it")
    return text
