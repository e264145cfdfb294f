"""The transcript: a view of entries, each a few rows, that follows the newest line or stays on the one being read.

Rows are made when they come into view and dropped when they are far from it, so that a long conversation costs what is
seen of it. No row has the focus; urwid's ListBox, which keeps a place by the focused row, is not used: see
docs/notes/0018-the-transcript-is-a-view.md.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol

import urwid

from mewcode.tui.look import Look
from mewcode.tui.places import Lines, Place, height, line_at, offset_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewcode.tui.places import FlowWidget

_KEPT = 200  # entries whose rows are kept
_OVERLAP = 1  # lines of a page that are still there after the next


class Entry(Protocol):
    """Something in the transcript. Rows may be made anew for another look; the same look gives equal rows."""

    speaks: bool  # whether it begins a message: what the keys from message to message stop at
    source: str  # what is looked through by /find

    def rows(self, look: Look) -> Sequence[FlowWidget]: ...


class Transcript(urwid.Widget):
    """A box widget. `top` None means that the newest line is in view and stays there."""

    _sizing = frozenset([urwid.BOX])
    _selectable = False
    ignore_focus = True

    def __init__(self) -> None:
        super().__init__()
        self._entries: list[Entry] = []
        self._made: OrderedDict[int, Sequence[FlowWidget]] = OrderedDict()
        self._lines = Lines(self._entries, self.rows_of)
        self._look = Look()
        self._top: Place | None = None
        self._left: Place | None = None  # the last line when following ended: what comes after it is new
        self._foot: tuple[Place, int] | None = None  # the last line in view after a change of size, and its text
        self._size = (80, 24)

    @property
    def following(self) -> bool:
        return self._top is None

    @property
    def look(self) -> Look:
        return self._look

    @look.setter
    def look(self, look: Look) -> None:
        """Show everything in another way. A reader stays at the row: what comes or goes stands at an entry's head."""
        behind = len(self.rows_of(self._top.entry)) - self._top.row if self._top is not None else 0
        self._look = look
        self._made.clear()
        if self._top is not None:
            row = max(0, len(self.rows_of(self._top.entry)) - behind)
            self._top = self._lines.nearest(self._top._replace(row=row), self._size[0])
        self._invalidate()

    def add(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._invalidate()

    def add_before_last(self, entry: Entry) -> None:
        """Put it above the answer that runs; a reader of that stays there."""
        last = len(self._entries) - 1
        self._made.pop(last, None)
        self._entries.insert(last, entry)
        if self._top is not None and self._top.entry == last:
            self._top = self._top._replace(entry=last + 1)
        self._invalidate()

    def last_changed(self) -> None:
        """The last entry has other rows than before."""
        self._made.pop(len(self._entries) - 1, None)
        self._invalidate()

    def replace_last(self, entry: Entry, rows: Sequence[FlowWidget]) -> None:
        """Let this entry, with these rows, stand where the last one stood."""
        self._entries[-1] = entry
        self._made[len(self._entries) - 1] = self._look.marked(rows)
        self._invalidate()

    def drop_from(self, number: int) -> None:
        """Take out an entry and all that come after it."""
        for gone in range(number, len(self._entries)):
            self._made.pop(gone, None)
        del self._entries[number:]
        if self._top is not None:
            self._top = self._lines.nearest(self._top, self._size[0])
        self._invalidate()

    def clear(self) -> None:
        self._entries.clear()
        self._made.clear()
        self.follow()

    def follow(self) -> None:
        self._top = self._left = None
        self._invalidate()

    def new_lines(self) -> int:
        """How many lines have come below what was the last one when the reader left it."""
        width = self._size[0]
        last = self._lines.last(width)
        if self._left is None or last is None or (start := self._lines.nearest(self._left, width)) is None:
            return 0
        return self._lines.between(start, last, width)

    # moving

    def scroll(self, lines: int) -> None:
        """Move the view down by so many lines, up by a negative number."""
        top = self._first_in_view()
        if top is None:
            return
        width = self._size[0]
        moved = self._lines.down(top, lines, width) if lines > 0 else self._lines.up(top, -lines, width)
        self._stand_at(moved)

    def page(self, pages: int) -> None:
        self.scroll(pages * max(1, self._size[1] - _OVERLAP))

    def to_start(self) -> None:
        if (first := self._lines.first()) is not None:
            self._stand_at(first)

    def to_message(self, step: int) -> None:
        """The head of the message before (-1) or after (1) the first line in view."""
        top = self._first_in_view()
        if top is None:
            return
        at_head = top.row == top.line == 0
        if step < 0:
            numbers = range(top.entry - (1 if at_head else 0), -1, -1)
        else:
            numbers = range(top.entry + 1, len(self._entries))
        found = next((number for number in numbers if self._entries[number].speaks), None)
        if found is not None:
            self._stand_at(Place(found, 0, 0))
        elif step > 0:
            self.follow()

    def show(self, entry: int, row: int) -> None:
        """Bring a row into view, a third of the way down unless it is there already."""
        place = Place(entry, row, 0)
        top = self._first_in_view()
        if top is not None and top <= place <= self._lines.down(top, self._size[1] - 1, self._size[0]):
            return
        self._stand_at(self._lines.up(place, self._size[1] // 3, self._size[0]))

    @property
    def entries(self) -> Sequence[Entry]:
        return self._entries

    def rows_of(self, number: int) -> Sequence[FlowWidget]:
        """The rows of an entry as they are shown now."""
        if number not in self._made:
            self._made[number] = self._look.marked(self._entries[number].rows(self._look))
        return self._made[number]

    def last_in_view(self) -> Place | None:
        top = self._first_in_view()
        return None if top is None else self._lines.down(top, self._size[1] - 1, self._size[0])

    # drawing

    def render(self, size: tuple[int, int], focus: bool = False) -> urwid.Canvas:  # type: ignore[override]
        self.fit(size)
        width, rows = size
        canvases: list[tuple[urwid.Canvas, None, bool]] = []
        place, room = self._first_in_view(), rows
        while place is not None and room > 0:
            canvas = self._cut(place, room, width)
            canvases.append((canvas, None, False))
            room -= canvas.rows()
            place = self._lines.next_row(place)
        self._forget_far()
        if room > 0:
            canvases.append((urwid.SolidCanvas(" ", width, room), None, False))
        return urwid.CanvasCombine(canvases)

    def _cut(self, place: Place, room: int, width: int) -> urwid.CompositeCanvas:
        """A row's canvas from that line on, as far as there is room."""
        row = self.rows_of(place.entry)[place.row]
        canvas = urwid.CompositeCanvas(row.render((width,)))
        canvas.trim(place.line, min(room, height(row, width) - place.line))
        return canvas

    def fit(self, size: tuple[int, int], *, window_changed: bool = False) -> None:
        """Before drawing, and before a key that scrolls. At the end of all lines the view follows; before it, the line
        at the head stays there; when the window has changed the last line in view stays in view, as in terminals.
        """
        top = None if self._top is None else self._lines.nearest(self._top, self._size[0])
        if top is not None and (window_changed or size[0] != self._size[0]):
            top = self._moved_to(size, top)
        self._size = size
        if self._top is None:
            return
        if top is None or top >= self._lowest(top):
            self.follow()
        else:
            self._top = top

    def _moved_to(self, size: tuple[int, int], top: Place) -> Place:
        """The head of the view in that size. While nothing but the size changes, what stood at the foot is kept as
        text: from line to line it would creep.
        """
        last = self._lines.down(top, self._size[1] - 1, self._size[0])
        row = self.rows_of(last.entry)[last.row]
        kept, text = self._foot or (None, 0)
        if kept != last:
            text = offset_of(row, last.line, self._size[0])
        last = last._replace(line=line_at(row, text, size[0]))
        self._foot = last, text
        return self._lines.up(last, size[1] - 1, size[0])

    def _first_in_view(self) -> Place | None:
        if self._top is not None:
            return self._top
        last = self._lines.last(self._size[0])
        return None if last is None else self._lowest(last)

    def _lowest(self, default: Place) -> Place:
        """The line at the head of the view when the last one is at its foot."""
        last = self._lines.last(self._size[0])
        return default if last is None else self._lines.up(last, self._size[1] - 1, self._size[0])

    def _stand_at(self, place: Place) -> None:
        if place >= self._lowest(place):
            self.follow()
            return
        if self._top is None:
            self._left = self._lines.last(self._size[0])
        self._top, self._foot = place, None
        self._invalidate()

    def _forget_far(self) -> None:
        """Drop the rows that were made first; those in view were asked for last."""
        while len(self._made) > _KEPT:
            self._made.popitem(last=False)
