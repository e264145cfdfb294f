"""The structure of a text, found line by line: what a line has settled stays, whatever may still come.

The same reader reads a growing text and a whole one, so the two cannot disagree. Blocks are found here and not by
mistune (3.4), which knows no offsets, puts some blocks in another order (`> q`, `- x` and a fence in three lines) and
makes a table with one short row a paragraph; it reads what stands inside of them (`inline`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from mewcode.markdown.leaves import OpenFence, OpenLeaf, OpenParagraph, OpenTable, leaf_of
from mewcode.markdown.lines import LIMIT
from mewcode.markdown.parts import Heading, Item, Placed, Quote, Rule
from mewcode.markdown.syntax import (
    ITEM,
    QUOTE,
    RULE,
    UNDERLINE,
    begins,
    dedent,
    indent,
    interrupts,
    is_blank,
    is_delimiters,
)
from mewcode.markdown.tail import has_only_begun

if TYPE_CHECKING:
    import re

    from mewcode.markdown.parts import Part

_DEPTH = 24
"""Quotes and items in one another; deeper ones are text."""

_SIZE = 1_000_000
"""Characters of a text; what follows is shown as it is written, since parsing takes 2 ms per 1,000 (mistune 3.4)."""


class Reader:
    """Takes lines without their ends. `parts` are those that have ended."""

    def __init__(self, column: int = 0, depth: int = 0, *, tight: bool = False) -> None:
        """`column`: where the lines stand in the source, for tabs. `tight`: only blank lines set parts apart."""
        self.parts: list[Placed] = []
        self.column = column
        self._depth = depth
        self._tight = tight
        self._open: _Open | None = None
        self._gap = False  # before what is open
        self._after_blank = False
        self._last: _Last | None = None
        self._left = _SIZE

    def feed(self, line: str) -> None:
        self._left -= len(line) + 1
        if self._left < 0 <= self._left + len(line) + 1:
            self._close()
            self._open, self._gap = OpenFence.endless(), self._last is not None
        match self._open:
            case None:
                self._begin(line)
            case OpenParagraph() as paragraph:
                self._follow(paragraph, line)
            case other if other.take(line):
                if other.ended:
                    self._close()
            case _:
                self._close()
                self._begin(line)
        self._after_blank = is_blank(line)

    def take(self) -> list[Placed]:
        """The parts that have ended since the last call."""
        taken, self.parts = self.parts, []
        return taken

    def end(self) -> list[Placed]:
        """All parts that were not taken, when no line follows."""
        self._close()
        return self.parts

    def peek(self, begun: str) -> list[Placed]:
        """The same when more may follow; `begun` is the line that has no end yet."""
        ahead = self.copy()
        if begun and not ahead.holds(begun):
            ahead.feed(begun)
        return ahead.growing()

    def growing(self) -> list[Placed]:
        """The parts, and the open one as far as nothing can change it."""
        if self._open is None:
            return self.parts
        return [*self.parts, Placed(self._open.part(growing=True), self._gap)]

    def copy(self) -> Reader:
        other = Reader(self.column, self._depth, tight=self._tight)
        other.parts = [*self.parts]
        other._open = None if self._open is None else self._open.copy()
        other._gap, other._after_blank, other._last, other._left = self._gap, self._after_blank, self._last, self._left
        return other

    @property
    def is_empty(self) -> bool:
        return self._open is None and not self.parts

    @property
    def fence(self) -> OpenFence | None:
        """The code that is open, unless something is around it."""
        match self._open:
            case OpenFence() as fence:
                return fence
        return None

    def holds(self, begun: str) -> bool:
        """Whether a line that has only begun must wait, since what follows decides what it is."""
        match self._open:
            case OpenFence() as fence:
                return fence.begun(begun) is None
            case OpenTable():
                return True
            case OpenQuote(inner=inner) if found := QUOTE.match(begun):
                return inner.holds(dedent(begun[found.end() :], 1, found.end()))
            case OpenItem(width=width, inner=inner) if indent(begun, self.column) >= width:
                return inner.holds(dedent(begun, width, self.column))
        return has_only_begun(begun)

    def is_lazy(self, line: str) -> bool:
        """Whether the line goes on with a paragraph in here, though it lacks the marks around it."""
        match self._open:
            case OpenParagraph():
                return not is_blank(line) and not begins(line)
            case OpenQuote(inner=inner) | OpenItem(inner=inner):
                return inner.is_lazy(line)
        return False

    def go_on(self, line: str) -> None:
        """Take a lazy line."""
        match self._open:
            case OpenParagraph() as paragraph:
                self._add(paragraph, line)
            case OpenQuote(inner=inner) | OpenItem(inner=inner):
                inner.go_on(line)

    def _follow(self, paragraph: OpenParagraph, line: str) -> None:
        """A line after one of a paragraph: it goes on, or it has ended, or was a heading or the header of a table."""
        lines = paragraph.lines
        if found := UNDERLINE.match(line):
            self._open = None
            self._place(Heading(1 if found[1][0] == "=" else 2, "\n".join(lines)))
        elif "|" in lines[-1] and is_delimiters(line):
            header = lines.pop()
            if lines:
                self._close()
                self._gap = not self._tight
            self._open = OpenTable([header, line])
        elif is_blank(line) or interrupts(line):
            self._close()
            self._begin(line)
        else:
            self._add(paragraph, line)

    def _add(self, paragraph: OpenParagraph, line: str) -> None:
        if sum(map(len, paragraph.lines)) + len(line) > LIMIT:
            self._close()
            self._open = paragraph = OpenParagraph([])
            self._gap = False
        paragraph.take(line)

    def _begin(self, line: str) -> None:
        if is_blank(line):
            return
        within = self._depth < _DEPTH and not RULE.match(line)
        item = ITEM.match(line) if within else None
        self._gap = self._gap_before(item)
        if item:
            self._open = self._item(item, line)
        elif within and (quote := QUOTE.match(line)):
            self._open = OpenQuote(Reader(self.column + quote.end() + 1, self._depth + 1))
            self._open.take(line)
        elif RULE.match(line):
            self._place(Rule())
        else:
            self._open = leaf_of(line, self.column)

    def _item(self, found: re.Match[str], line: str) -> OpenItem:
        """The item that a line begins: its text begins after one to four columns, or is code."""
        rest, end = line[found.end() :], self.column + found.end()
        blanks = indent(rest, end)
        taken = 1 if is_blank(rest) or blanks > 4 else blanks
        width = found.end() + taken
        if len(found[2]) > 2:
            width = min(width, len(found[1]) + 3)  # unlike CommonMark: models indent below `10.` as below `9.`
        inner = Reader(self.column + width, self._depth + 1, tight=True)
        if not is_blank(rest):
            inner.feed(dedent(rest, taken, end))
        return OpenItem(self._number(found), found[2][-1], width, inner)

    def _number(self, item: re.Match[str]) -> str:
        """As it is written, but a list numbered 1, 1, 1 is counted."""
        number = item[2][:-1]
        if number and self._last and self._last.is_before(item) and int(number) <= self._last.number:
            return str(self._last.number + 1)
        return number

    def _gap_before(self, item: re.Match[str] | None) -> bool:
        if self._last is None:
            return False
        if self._after_blank:
            return True
        if self._tight:
            return item is None and self._last.bullet != ""
        return item is None or not self._last.is_before(item)

    def _close(self) -> None:
        if self._open is not None:
            closed, self._open = self._open, None
            self._place(closed.part(growing=False))
            match closed:
                case OpenItem(number=number, bullet=bullet):
                    self._last = _Last(bullet, int(number or 0))

    def _place(self, part: Part) -> None:
        self.parts.append(Placed(part, self._gap))
        self._last = _Last("", 0)


class _Last(NamedTuple):
    """The part before: the sign and the number of an item, no sign for anything else."""

    bullet: str
    number: int

    def is_before(self, item: re.Match[str]) -> bool:
        """Whether the item is one of the same list."""
        return self.bullet == item[2][-1]


@dataclass(slots=True)
class OpenQuote:
    inner: Reader
    ended: bool = False

    def take(self, line: str) -> bool:
        if found := QUOTE.match(line):
            self.inner.feed(dedent(line[found.end() :], 1, found.end()))
            return True
        return _lazily(self.inner, line)

    def part(self, *, growing: bool) -> Quote:
        return Quote(tuple(self.inner.growing() if growing else self.inner.end()))

    def copy(self) -> OpenQuote:
        return replace(self, inner=self.inner.copy())


@dataclass(slots=True)
class OpenItem:
    """`width`: how far its lines are indented."""

    number: str
    bullet: str
    width: int
    inner: Reader
    ended: bool = False

    def take(self, line: str) -> bool:
        if is_blank(line) and self.inner.is_empty:
            return False
        if is_blank(line) or indent(line, self.inner.column - self.width) >= self.width:
            self.inner.feed(dedent(line, self.width, self.inner.column - self.width))
            return True
        return _lazily(self.inner, line)

    def part(self, *, growing: bool) -> Item:
        mark = f"{self.number}{self.bullet} " if self.number else "• "
        return Item(mark, tuple(self.inner.growing() if growing else self.inner.end()))

    def copy(self) -> OpenItem:
        return replace(self, inner=self.inner.copy())


def _lazily(inner: Reader, line: str) -> bool:
    if not inner.is_lazy(line):
        return False
    inner.go_on(line)
    return True


_Open: TypeAlias = OpenLeaf | OpenQuote | OpenItem
