"""Blocks as rows: one flow widget each. What a block says is decided in `markdown`, colours in `theme`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import urwid
from urwid.str_util import calc_width
from urwid.text_layout import StandardTextLayout

from mewcode.markdown.blocks import Block, Lead, TableBlock
from mewcode.markdown.table import layout
from mewcode.tui.found import mark

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator
    from typing import Literal

    from mewcode.markdown.blocks import AnyBlock

    _Segment: TypeAlias = tuple[int, int, int | bytes] | tuple[int, int | None]

Row: TypeAlias = "TextRow | TableRow"

_WIDE = 10_000  # columns, in which no cell is wrapped
_ROOM = 10
"""Columns that leads leave to the text, however deep a list is; half of them in a window narrower than twice that."""


def rows_of(blocks: Iterable[AnyBlock]) -> list[Row]:
    return [_row(block) for block in blocks]


def _row(block: AnyBlock) -> Row:
    match block:
        case Block():
            return TextRow(block)
        case TableBlock():
            return TableRow(block)


def columns(text: str) -> int:
    """Columns of the screen, by grapheme cluster, as urwid draws them."""
    return calc_width(text, 0, len(text))


class TextRow(urwid.Text):
    """Its leads are the head of its text, and the layout puts them where they belong."""

    def __init__(self, block: Block) -> None:
        leads = [(lead.style, lead.text) for lead in block.leads]
        super().__init__([*leads, block.markup], wrap=block.wrap, layout=_Hanging(block.leads))


class _Hanging(StandardTextLayout):
    """Text right of its leads. Where they leave too little room the outer ones go."""

    def __init__(self, leads: tuple[Lead, ...]) -> None:
        super().__init__()
        self._leads = leads
        self._start = sum(len(lead.text) for lead in leads)

    def layout(
        self,
        text: str | bytes,
        width: int,
        align: Literal["left", "center", "right"] | urwid.Align,
        wrap: Literal["any", "space", "clip", "ellipsis"] | urwid.WrapMode,
    ) -> list[list[_Segment]]:
        room = _room(self._leads, width)
        lines = super().layout(text[self._start :], room, align, wrap)
        if not self._leads:
            return lines
        first, rest = self._margin(width - room, first=True), self._margin(width - room, first=False)
        return [[*(rest if row else first), *map(self._shifted, line)] for row, line in enumerate(lines)]

    def _margin(self, width: int, *, first: bool) -> list[_Segment]:
        """The leads as segments of together width columns, the innermost if they do not all fit."""
        margin: list[_Segment] = []
        end = self._start
        for lead in reversed(self._leads):
            taken = min(columns(lead.text), width)
            shown = taken == columns(lead.text) and (first or lead.every_row)
            if taken:
                margin.append((taken, end - len(lead.text), end) if shown else (taken, None))
            end -= len(lead.text)
            width -= taken
        return margin[::-1]

    def _shifted(self, segment: _Segment) -> _Segment:
        match segment:
            case (cols, None):
                return (cols, None)
            case (cols, int(start)):
                return (cols, start + self._start)
            case (cols, start, int(end)):
                return (cols, start + self._start, end + self._start)
            case (cols, start, inserted):
                return (cols, start + self._start, inserted)


def _room(leads: tuple[Lead, ...], width: int) -> int:
    return max(width - sum(columns(lead.text) for lead in leads), min(_ROOM, max(2, width // 2), width))


class TableRow(urwid.Widget):
    """Laid out anew for each width."""

    _sizing = frozenset([urwid.FLOW])
    ignore_focus = True

    def __init__(self, table: TableBlock) -> None:
        super().__init__()
        self._table = table
        self._laid_out: tuple[int, urwid.Pile] | None = None
        self._found: re.Pattern[str] | None = None

    @property
    def text(self) -> str:
        """What it says, a line of the table a line."""
        return "\n".join(str(TextRow(line).text) for line in self._lines(_WIDE))

    def mark(self, found: re.Pattern[str]) -> None:
        """Mark every place where a line fits the pattern, at any width."""
        self._found, self._laid_out = found, None

    def rows(self, size: tuple[int], focus: bool = False) -> int:
        return self._at(size[0]).rows(size, focus)

    def render(self, size: tuple[int], focus: bool = False) -> urwid.CompositeCanvas:  # type: ignore[override]
        return urwid.CompositeCanvas(self._at(size[0]).render(size, focus))

    def _at(self, width: int) -> urwid.Pile:
        if self._laid_out is None or self._laid_out[0] != width:
            lines = [TextRow(block) for block in self._lines(width)]
            if self._found is not None:
                for line in lines:
                    mark(line, self._found)
            self._laid_out = width, urwid.Pile(lines)
        return self._laid_out[1]

    def _lines(self, width: int) -> Iterator[Block]:
        leads = self._table.leads
        for block in layout(self._table, _room(leads, width), columns):
            yield replace(block, leads=leads)
            leads = tuple(lead if lead.every_row else replace(lead, text=" " * columns(lead.text)) for lead in leads)


class PairRow(urwid.Widget):
    """A word and what it means: beside it where there is room for a few words, else below."""

    _sizing = frozenset([urwid.FLOW])
    ignore_focus = True

    def __init__(self, word: str, meaning: str, column: int) -> None:
        """`column`: how wide the widest word of the table is."""
        super().__init__()
        self._needs = column + 2 + _ROOM
        gap = " " * (column - columns(word) + 2)
        self._beside = TextRow(Block(meaning, (Lead(word + gap, "word"),)))
        self._below = urwid.Pile([urwid.Text(("word", word)), TextRow(Block(meaning, (Lead("  ", "word"),)))])

    def rows(self, size: tuple[int], focus: bool = False) -> int:
        return self._at(size[0]).rows(size, focus)

    def render(self, size: tuple[int], focus: bool = False) -> urwid.CompositeCanvas:  # type: ignore[override]
        return urwid.CompositeCanvas(self._at(size[0]).render(size, focus))

    def _at(self, width: int) -> urwid.Pile | TextRow:
        return self._beside if width >= self._needs else self._below
