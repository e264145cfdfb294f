"""The chat's widgets in their places, and the keys that belong to no single one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import urwid

from mewcode.tui.composer import Composer
from mewcode.tui.paste import Pasted
from mewcode.tui.status import StatusBar
from mewcode.tui.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ONLY_WITHOUT_TEXT = ("home", "end", "ctrl d")


class View(urwid.WidgetWrap[urwid.Widget]):
    """Transcript above, composer and status bar below. `on_key` maps keys to what the chat does with them."""

    def __init__(
        self,
        on_send: Callable[[str], None],
        on_key: Mapping[str, Callable[[], None]],
        before_key: Callable[[], None],  # before any but Ctrl+C
    ) -> None:
        self._activity = urwid.Text("")
        self.transcript = Transcript(self._activity)
        self.composer = Composer(on_send)
        self.status = StatusBar()
        self._on_key = on_key
        self._before_key = before_key
        footer = urwid.Pile([("pack", self.composer), ("pack", self.status)], focus_item=0)
        super().__init__(urwid.Frame(self.transcript, footer=footer, focus_part="footer"))

    def show_activity(self, words: str, *, below_text: bool) -> None:
        """Say what runs, below the open answer and set off from its text by a blank row."""
        self._activity.set_text(("activity", f"\n{words}" if below_text else words))
        self.status.doing(words)

    def rest(self) -> None:
        """Nothing runs."""
        self._activity.set_text("")
        self.status.doing("")

    def render(self, size: tuple[int, int], focus: bool = False) -> urwid.Canvas:  # type: ignore[override]
        self._fit(size)
        return super().render(size, focus)

    def keypress(self, size: tuple[int, int], key: str) -> str | None:  # type: ignore[override]
        self._fit(size)
        if key != "ctrl c":
            self._before_key()
        if isinstance(key, Pasted):
            self.composer.insert(key.text)
            return None
        if not (key in _ONLY_WITHOUT_TEXT and self.composer.text):
            if key in self._on_key:
                self._on_key[key]()
                return None
            if self.transcript.scroll(key):
                return None
        return super().keypress(size, key)

    def _fit(self, size: tuple[int, int]) -> None:
        """The composer takes at most a third of the window: a footer taller than it would hide the transcript.

        What depends on the size, and on each other, is settled here before anything is drawn.
        """
        limit = max(1, size[1] // 3)
        if limit != self.composer.limit:
            self.composer.limit = limit
            self.composer._invalidate()
        self.transcript.fit((size[0], max(1, size[1] - self.composer.rows((size[0],), True) - 1)))
        self.status.away(not self.transcript.following)
