"""The open answer: what is settled stands, only the rest is rendered anew while text arrives."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from mewcode.markdown.blocks import BLANK
from mewcode.markdown.render import render
from mewcode.markdown.stable import stable_prefix
from mewcode.tui.rows import rows_of

if TYPE_CHECKING:
    from mewcode.markdown.blocks import AnyBlock
    from mewcode.tui.rows import Row


class Answer:
    """Turns a growing text into rows. Each call says how many of the rows before stay, and which follow them."""

    def __init__(self) -> None:
        self._settled = 0  # characters
        self._stand: list[AnyBlock] = []  # blocks of the settled text
        self._open: list[AnyBlock] = []  # blocks of the rest

    def grow(self, text: str) -> tuple[int, list[Row]]:
        """The rows for the whole text so far."""
        tail = text[self._settled :]
        cut = stable_prefix(tail)
        stood, before = len(self._stand), self._open
        if cut:
            self._settled += cut
            self._stand += self._apart(render(tail[:cut]))
        self._open = self._apart(render(tail[cut:]))
        after = self._stand[stood:] + self._open
        keep = _common(before, after)
        return stood + keep, rows_of(after[keep:])

    def finish(self, text: str) -> tuple[int, list[Row]]:
        """The whole text rendered once from its source: a slip while it grew can only have been transient."""
        before = self._stand + self._open
        self._settled, self._stand, self._open = len(text), render(text), []
        keep = _common(before, self._stand)
        return keep, rows_of(self._stand[keep:])

    def _apart(self, blocks: list[AnyBlock]) -> list[AnyBlock]:
        """The blocks, set off from those that stand."""
        return [BLANK, *blocks] if blocks and self._stand else blocks


def _common(before: list[AnyBlock], after: list[AnyBlock]) -> int:
    """How many blocks at the head are the same."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    return sum(1 for _ in same)
