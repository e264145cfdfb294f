"""A text in lines, each cleaned: the same ones whether the text is whole or still grows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mewcode.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 4_000
"""Characters of a line and of a paragraph; longer ones are cut, lines before a word if they have one.

What is open is parsed anew with each delta: some 2 ms per 1,000 characters (mistune 3.4).
"""

_WORD = re.compile(r" (?=[^\W\d_])")  # where a line may begin that begins nothing else


def lines_of(text: str, start: int = 0, *, whole: bool = False) -> Iterator[tuple[str, int]]:
    """The lines from an offset on that have ended, and the last if the text is whole; each with the offset after it."""
    while start < len(text):
        end = text.find("\n", start, start + LIMIT)
        if end >= 0:
            line, start = text[start:end].removesuffix("\r"), end + 1
        elif len(text) - start > LIMIT:
            end = max((found.end() for found in _WORD.finditer(text, start, start + LIMIT)), default=start + LIMIT)
            line, start = text[start:end], end
        elif whole:
            line, start = text[start:], len(text)
        else:
            return
        yield clean(line), start


def begun(text: str, start: int) -> str:
    """The line that has no end yet."""
    return clean(text[start:].removesuffix("\r"))
