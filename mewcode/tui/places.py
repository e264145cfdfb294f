"""Places in rows of flow widgets: where a line is, how many lines lie between, and which text a line begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import urwid

from mewcode.tui.rows import PairRow, TableRow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    RowsOf: TypeAlias = "Callable[[int], Sequence[FlowWidget]]"

FlowWidget: TypeAlias = urwid.Text | TableRow | PairRow

_SHARES = 1_000  # of a row that is no single text: what part of its lines lies above


class Place(NamedTuple):
    """A line: that of a row of an entry, all counted from 0. Later places are greater."""

    entry: int
    row: int
    line: int


def height(row: FlowWidget, width: int) -> int:
    """Lines of a row. urwid caches the layout that it counts."""
    return max(1, row.rows((width,)))


def offset_of(row: FlowWidget, line: int, width: int) -> int:
    """Which text stands at the head of a line, as a number that means the same at any width."""
    if isinstance(row, urwid.Text):
        return _starts(row, width)[line]
    return line * _SHARES // height(row, width)


def line_at(row: FlowWidget, offset: int, width: int) -> int:
    """The line that holds the text which `offset_of` gave, at a width that may be another."""
    if isinstance(row, urwid.Text):
        starts = _starts(row, width)
        return max((line for line, start in enumerate(starts) if start <= offset), default=0)
    return min(height(row, width) - 1, -(-offset * height(row, width) // _SHARES))


def _starts(row: urwid.Text, width: int) -> list[int]:
    """Where in the row's text each line begins, what stands in the margin left out."""
    starts: list[int] = []
    for segments in row.get_line_translation(width):
        # (columns, from, to) is text, (columns, None) a gap, (0, at) the end of a line; the margin's text comes first
        texts = [int(segment[1]) for segment in segments if len(segment) == 3]
        ends = [at for _, at, *more in segments if not more and at is not None]
        starts.append((texts or ends or starts or [0])[-1])
    return starts


class Lines:
    """Rows of entries as one column of lines. `rows_of(entry)` gives the rows, none for an entry that shows nothing."""

    def __init__(self, entries: Sequence[object], rows_of: RowsOf) -> None:
        self._entries = entries
        self._rows_of = rows_of

    def first(self) -> Place | None:
        return self._after(-1)

    def last(self, width: int) -> Place | None:
        """The last line; None where there is none."""
        return self._before(len(self._entries), width)

    def up(self, place: Place, lines: int, width: int) -> Place:
        """So many lines above, or the first one."""
        entry, row, line = place
        line -= lines
        while line < 0:
            if row > 0:
                row -= 1
            elif (before := self._before(entry, width)) is not None:
                entry, row = before.entry, before.row
            else:
                return Place(entry, row, 0)
            line += height(self._rows_of(entry)[row], width)
        return Place(entry, row, line)

    def down(self, place: Place, lines: int, width: int) -> Place:
        """So many lines below, or the last one."""
        entry, row, line = place
        line += lines
        while line >= (tall := height(self._rows_of(entry)[row], width)):
            if row + 1 < len(self._rows_of(entry)):
                row += 1
            elif (after := self._after(entry)) is not None:
                entry, row = after.entry, 0
            else:
                return Place(entry, row, tall - 1)
            line -= tall
        return Place(entry, row, line)

    def next_row(self, place: Place) -> Place | None:
        """The first line of the row below; None after the last row."""
        if place.row + 1 < len(self._rows_of(place.entry)):
            return Place(place.entry, place.row + 1, 0)
        return self._after(place.entry)

    def between(self, first: Place, last: Place, width: int) -> int:
        """How many lines `last` is below `first`."""
        lines, place = -first.line, first
        while (place.entry, place.row) < (last.entry, last.row):
            lines += height(self._rows_of(place.entry)[place.row], width)
            below = self.next_row(place)
            if below is None:
                break
            place = below
        return max(0, lines + last.line)

    def nearest(self, place: Place, width: int) -> Place | None:
        """The place itself, or what is left nearest to it when rows have gone."""
        entry = min(place.entry, len(self._entries) - 1)
        rows = self._rows_of(entry) if entry >= 0 else ()
        if not rows:
            return self._after(entry) or self.last(width)
        if place.row >= len(rows):
            return Place(entry, len(rows) - 1, 0)
        return Place(entry, place.row, min(place.line, height(rows[place.row], width) - 1))

    def _after(self, entry: int) -> Place | None:
        later = range(entry + 1, len(self._entries))
        return next((Place(number, 0, 0) for number in later if self._rows_of(number)), None)

    def _before(self, entry: int, width: int) -> Place | None:
        for number in range(entry - 1, -1, -1):
            if rows := self._rows_of(number):
                return Place(number, len(rows) - 1, height(rows[-1], width) - 1)
        return None
