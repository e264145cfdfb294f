"""The open answer: what is settled stands, only the rest is rendered anew while text arrives."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from mewcode.markdown.lines import begun, lines_of
from mewcode.markdown.reader import Reader
from mewcode.markdown.render import blocks_of, code_line, leaf_blocks
from mewcode.tui.rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewcode.markdown.blocks import AnyBlock
    from mewcode.markdown.leaves import OpenFence
    from mewcode.markdown.parts import Leaf, Placed
    from mewcode.tui.rows import Row


class Answer:
    """Turns a growing text into rows. Each call says how many of the rows before stay, and which follow them.

    A call costs what has come since the one before, and what is open at the end: a paragraph, an item of the outermost
    list, a line of code.
    """

    def __init__(self) -> None:
        self.settled = 0
        """Rows at the head that no later call replaces."""
        self._reader = Reader()
        self._read = 0  # characters of lines that have ended
        self._open: list[AnyBlock] = []  # what follows the settled ones
        self._listed: int | None = None  # how many of these stand however the open code goes on
        self._drawn = _Drawn()

    def grow(self, text: str) -> tuple[int, list[Row]]:
        """The rows for the text so far; it begins with the text of the call before."""
        known = len(self._reader.fence.lines) if self._reader.fence else 0
        closed = self._feed(text, whole=False)
        rest = begun(text, self._read)
        if not closed and self._listed is not None and (fence := self._reader.fence):
            return self._list(fence, known, rest)
        result = self._replace(closed, self._drawn.blocks(self._reader.peek(rest)))
        self._drawn.next_frame()
        fence = self._reader.fence
        if fence and (fence.lines or fence.info):
            self._listed = len(self._open) - (fence.begun(rest) is not None)
        return result

    def finish(self, text: str) -> tuple[int, list[Row]]:
        """The rows for the whole text, when nothing follows."""
        closed = self._feed(text, whole=True)
        return self._replace(closed + self._drawn.blocks(self._reader.end()), [])

    def _feed(self, text: str, *, whole: bool) -> list[AnyBlock]:
        """Read the lines that have ended; the blocks that have ended with them."""
        for line, end in lines_of(text, self._read, whole=whole):
            self._reader.feed(line)
            self._read = end
        return self._drawn.blocks(self._reader.take())

    def _replace(self, closed: list[AnyBlock], open: list[AnyBlock]) -> tuple[int, list[Row]]:
        """Let the first be settled and the others follow; blocks that are equal keep their rows."""
        after = closed + open
        same = takewhile(lambda pair: pair[0] == pair[1], zip(self._open, after, strict=False))
        kept = sum(1 for _ in same)
        stay = self.settled + kept
        self.settled, self._open, self._listed = self.settled + len(closed), open, None
        return stay, rows_of(after[kept:])

    def _list(self, fence: OpenFence, known: int, rest: str) -> tuple[int, list[Row]]:
        """New lines at the end of code that is open: long listings are common, and those above stay as they are."""
        assert self._listed is not None
        kept = self._listed
        ended = [code_line(line) for line in fence.lines[known:]]
        growing = fence.begun(rest)
        self._open[kept:] = ended if growing is None else [*ended, code_line(growing)]
        self._listed = kept + len(ended)
        return self.settled + kept, rows_of(self._open[kept:])


class _Drawn:
    """The blocks of leaves, remembered from one frame to the next."""

    def __init__(self) -> None:
        self._before: dict[Leaf, list[AnyBlock]] = {}
        self._now: dict[Leaf, list[AnyBlock]] = {}

    def blocks(self, parts: Iterable[Placed]) -> list[AnyBlock]:
        return list(blocks_of(parts, self._of_leaf))

    def next_frame(self) -> None:
        self._before, self._now = self._now, {}

    def _of_leaf(self, leaf: Leaf) -> list[AnyBlock]:
        blocks = self._now[leaf] = self._before.get(leaf) or leaf_blocks(leaf)
        return blocks
