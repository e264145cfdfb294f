"""Large texts in the composer: each stands there as one character, shows as one line, and is sent as it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mewcode.tui.marks import unsafe

if TYPE_CHECKING:
    from mewcode.tui.marks import Mark

# a stretch of Unicode's last private plane; a text that holds one of these stands folded itself
_FIRST, _COUNT = 0x10F000, 0xFFE
_FOLDED = re.compile(f"[{chr(_FIRST)}-{chr(_FIRST + _COUNT - 1)}]")

_LINES, _CHARACTERS = 10, 1000  # a paste beyond these is folded
_MOST_LINES, _MOST_CHARACTERS = 500, 20_000  # and beyond these any text: laying it out would be felt at each key


class Folds:
    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._next = 0

    def pasted(self, text: str) -> str:
        """A paste as it stands in the composer."""
        return self._fold(text) if text.count("\n") >= _LINES or len(text) > _CHARACTERS else self.tamed(text)

    def tamed(self, text: str) -> str:
        """Any other text as it stands in the composer: folded only where it has to be."""
        return text if fits(text) else self._fold(text)

    def unfolded(self, text: str) -> str:
        """What is sent for what stands in the composer."""
        return _FOLDED.sub(lambda found: self._texts.get(found[0], found[0]), text)

    def at(self, text: str, place: int) -> tuple[int, str] | None:
        """The fold at this place in the text, else the nearest before it, else the first: its place and its text."""
        found = [fold.start() for fold in _FOLDED.finditer(text)]
        if not found:
            return None
        nearest = max((fold for fold in found if fold <= place), default=found[0])
        return nearest, self.unfolded(text[nearest])

    def marks(self, text: str) -> list[Mark]:
        """What shows in the place of single characters."""
        folds = [(fold.start(), _label(self.unfolded(fold[0]))) for fold in _FOLDED.finditer(text)]
        return sorted([*folds, *unsafe(text)])

    def _fold(self, text: str) -> str:
        character = chr(_FIRST + self._next % _COUNT)
        self._next += 1
        self._texts[character] = text
        return character


def fits(text: str, beside: str = "") -> bool:
    """Whether it can stand in the composer as it is, beside what stands there."""
    lines = text.count("\n") + beside.count("\n")
    return len(text) + len(beside) <= _MOST_CHARACTERS and lines < _MOST_LINES and not _FOLDED.search(text)


def _label(text: str) -> str:
    lines = text.count("\n") + (not text.endswith("\n"))
    size = len(text.encode("utf-8", "surrogatepass"))
    if size < 1000:
        amount = f"{size} bytes"
    elif size < 999_500:
        amount = f"{size / 1000:.0f} kB"
    else:
        amount = f"{size / 1_000_000:.1f} MB"
    return f"[pasted {lines:,} line{'s' if lines > 1 else ''}, {amount}]"
