"""Finding text in the transcript: which rows hold it, and which of them is looked at."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

from mewcode.text import one_line
from mewcode.tui.look import text_of

if TYPE_CHECKING:
    from mewcode.tui.transcript import Transcript


class Finder:
    """`words` is what the status bar shows while something is looked for, "" when nothing is."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._pattern: re.Pattern[str] | None = None
        self._text = ""
        self._at: tuple[int, int] | None = None  # entry and row of the hit that is looked at
        self.words = ""

    @property
    def active(self) -> bool:
        return self._pattern is not None

    def start(self, text: str) -> None:
        """Mark every place, and show the last one that is not below the view, else the first."""
        flags = re.IGNORECASE if text.islower() else 0  # a capital letter is meant
        self._text, self._pattern, self._at = text, re.compile(re.escape(text), flags), None
        self._transcript.look = replace(self._transcript.look, found=self._pattern)
        self.step(-1)

    def stop(self) -> None:
        self._pattern, self.words = None, ""
        self._transcript.look = replace(self._transcript.look, found=None)

    def step(self, way: int) -> None:
        """Go to the next place below (1) or above (-1); past the last one comes the first again."""
        hits, shown = self._hits(), one_line(self._text, 30)
        if not hits:
            self.words = f"“{shown}” is not there · Esc"
            return
        if self._at is None:
            foot = self._transcript.last_in_view()
            number = bisect_right(hits, (foot.entry, foot.row)) - 1 if foot is not None else 0
        else:
            number = bisect_right(hits, self._at) if way > 0 else bisect_left(hits, self._at) - 1
        number = max(number, 0) if self._at is None else number % len(hits)
        self._at = hits[number]
        self._transcript.show(*self._at)
        self.words = f"“{shown}” {number + 1}/{len(hits)} · n N · Esc"

    def _hits(self) -> list[tuple[int, int]]:
        """Rows that hold it, in order. Only entries whose source holds it are made into rows."""
        pattern = self._pattern
        assert pattern is not None
        return [
            (number, place)
            for number, entry in enumerate(self._transcript.entries)
            if pattern.search(entry.source)
            for place, row in enumerate(self._transcript.rows_of(number))
            if pattern.search(text_of(row))
        ]
