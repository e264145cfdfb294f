"""The transcript: rows that stand, the rows of the open answer, and a tail that holds the focus while the view
follows the newest text.

ListBox shows the top, not the bottom, of a focused row taller than itself (urwid 5.1), so what is pinned to the
bottom edge is the one-row tail, never the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import urwid

from mewcode.tui.rows import PairRow, TableRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FlowWidget: TypeAlias = urwid.Text | TableRow | PairRow

_SCROLL = {
    "page up": "page up",
    "page down": "page down",
    "shift up": "up",
    "shift down": "down",
    "home": "home",
    "end": "end",
}


class Transcript(urwid.WidgetWrap[urwid.ListBox[int]]):
    """Scrolling moves the focus off the tail; that is the whole state of following."""

    def __init__(self, tail: FlowWidget) -> None:
        self._rows: urwid.SimpleFocusListWalker[FlowWidget] = urwid.SimpleFocusListWalker([tail])
        self._open = 0  # index of the first row of the open answer
        self._size = (80, 24)
        super().__init__(urwid.ListBox(self._rows))

    @property
    def following(self) -> bool:
        """Whether the newest text is in view and stays there."""
        return bool(self._rows.focus == len(self._rows) - 1)

    def follow(self) -> None:
        self._w.scroll_to_bottom()

    def append(self, rows: Iterable[FlowWidget]) -> None:
        """Add rows that stand; what comes after them is open."""
        following = self.following
        self._rows[-1:-1] = list(rows)
        self._open = len(self._rows) - 1
        if following:
            self.follow()

    def replace_open(self, keep: int, rows: Sequence[FlowWidget]) -> None:
        """Let the first `keep` rows of the open answer stand as they are, and these follow."""
        if self.following:
            self._rows[self._open + keep : -1] = rows
            self.follow()
            return
        position, hidden = self._top()
        self._rows[self._open + keep : -1] = rows
        position = max(0, min(position, len(self._rows) - 2))
        lines = self._rows[position].rows((self._size[0],))
        self._w.change_focus(self._size, position, -min(hidden, lines - 1))

    def clear(self) -> None:
        self._rows[:-1] = []
        self._open = 0
        self.follow()

    def fit(self, size: tuple[int, int]) -> None:
        """Before drawing: at a new size the end stays in view, or has come into view."""
        resized = size != self._size
        self._size = size
        if resized if self.following else "bottom" in self._w.ends_visible(size):
            self.follow()

    def scroll(self, key: str) -> bool:
        """Scroll by a key; False for a key that does not."""
        if key not in _SCROLL:
            return False
        self._w.keypress(self._size, _SCROLL[key])
        self.fit(self._size)  # scrolled back to the end, or never away from it
        return True

    def _top(self) -> tuple[int, int]:
        """Index of the first row in view, and how many of its lines are above the view.

        This row is what a reader's place is held by: ListBox keeps a row that changes by its fraction (urwid 5.1).
        """
        middle, top, _ = self._w.calculate_visible(self._size)
        assert middle is not None  # there is always the tail
        assert top is not None
        return (top.fill[-1].position if top.fill else middle.focus_pos), top.trim
