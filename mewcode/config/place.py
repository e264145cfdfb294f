"""Where something stands in a config file, for the sentence that asks to mend it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewcode.errors import ConfigError
from mewcode.text import clean

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """Line and column count from 1; the column is in characters."""

    path: Path
    line: int = 1
    column: int = 1

    def error(self, sentence: str) -> ConfigError:
        """The error to raise. The sentence must hold the fix and no value of the file."""
        return ConfigError(f"{self}: {sentence}")

    def __str__(self) -> str:
        return f"{shown(self.path)}:{self.line}:{self.column}"


def shown(path: Path) -> str:
    """The path for a sentence: `~` for the home directory, and nothing in it that a terminal would obey."""
    text, home = str(path), os.path.expanduser("~").rstrip("/")
    if home and text.startswith(home + "/"):
        text = "~" + text[len(home) :]
    return clean(text).replace("\n", "␊")
