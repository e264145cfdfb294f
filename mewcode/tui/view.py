"""The chat's widgets in their places, and the keys that belong to no single one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import urwid

from mewcode.text import one_line
from mewcode.tui.status import StatusBar
from mewcode.tui.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mewcode.tui.composer import Composer

_ONLY_WITHOUT_TEXT = ("home", "end", "ctrl d", "n", "N")
_QUEUED_ROWS = 3
_ROOMY = 10  # rows of a window in which one is left free above the prompt
_WHEEL = {4: -3, 5: 3}  # mouse button: lines


class View(urwid.WidgetWrap[urwid.Widget]):
    """Transcript above; what is queued, the composer and the status bar below.

    `on_key` maps keys to what the chat does with them; it answers whether it did. `before_key` runs before any key but
    Ctrl+C.
    """

    def __init__(self, composer: Composer, on_key: Mapping[str, Callable[[], bool]], before_key: Callable[[], None]):
        self.transcript = Transcript()
        self.composer = composer
        self.status = StatusBar()
        self._queued = urwid.Text("", wrap="ellipsis")
        self._has_queue = False
        self._window = (80, 24)
        self._on_key = on_key
        self._before_key = before_key
        self._scrolling: dict[str, Callable[[], None]] = {
            "page up": lambda: self.transcript.page(-1),
            "page down": lambda: self.transcript.page(1),
            "shift up": lambda: self.transcript.scroll(-1),
            "shift down": lambda: self.transcript.scroll(1),
            "home": self.transcript.to_start,
            "end": self.transcript.follow,
            "meta up": lambda: self.transcript.to_message(-1),
            "meta down": lambda: self.transcript.to_message(1),
        }
        self._footer = urwid.Pile([("pack", composer), ("pack", self.status)], focus_item=0)
        super().__init__(urwid.Frame(self.transcript, footer=self._footer, focus_part="footer"))

    def queue(self, texts: Sequence[str]) -> None:
        """Show what will be sent when the answer has come to its end."""
        lines = [f"queued: {one_line(text, 200)}" for text in texts[:_QUEUED_ROWS]]
        lines += [f"and {len(texts) - _QUEUED_ROWS} more"] if len(texts) > _QUEUED_ROWS else []
        self._queued.set_text(("dim", "\n".join(lines)))
        self._has_queue = bool(texts)

    def render(self, size: tuple[int, int], focus: bool = False) -> urwid.Canvas:  # type: ignore[override]
        self._fit(size)
        return super().render(size, focus)

    def keypress(self, size: tuple[int, int], key: str) -> str | None:  # type: ignore[override]
        self._fit(size)
        if key != "ctrl c":
            self._before_key()
        if self.composer.searching:
            return super().keypress(size, key)
        if not (key in _ONLY_WITHOUT_TEXT and self.composer.text):
            if key in self._on_key and self._on_key[key]():
                return None
            if key in self._scrolling:
                self._scrolling[key]()
                return None
        return super().keypress(size, key)

    def mouse_event(  # type: ignore[override]
        self, size: tuple[int, int], event: str, button: int, col: int, row: int, focus: bool
    ) -> bool:
        """The wheel scrolls, wherever it is turned."""
        if "press" in event and button in _WHEEL:
            self.transcript.scroll(_WHEEL[button])
            return True
        return False

    def _fit(self, size: tuple[int, int]) -> None:
        """The composer takes at most a third of the window: a footer taller than it would hide the transcript.

        What depends on the size, and on each other, is settled here before anything is drawn.
        """
        limit = max(1, size[1] // 3)
        if limit != self.composer.limit:
            self.composer.limit = limit
            self.composer._invalidate()
        above = [urwid.Text("")] if size[1] >= _ROOMY else []
        above += [self._queued] if self._has_queue else []
        if len(above) != len(self._footer.contents) - 2:
            widgets = (*above, self.composer, self.status)
            self._footer.contents = [(widget, self._footer.options("pack")) for widget in widgets]
            self._footer.focus_position = len(above)
        below = self._footer.rows((size[0],), True)
        self.transcript.fit((size[0], max(1, size[1] - below)), window_changed=size != self._window)
        self._window = size
        self.status.away(None if self.transcript.following else self.transcript.new_lines())
