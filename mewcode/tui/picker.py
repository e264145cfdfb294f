"""The list of providers, where the configuration leaves the choice open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import urwid

from mewcode.desk import model_label
from mewcode.text import clean, one_line
from mewcode.tui.rows import columns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mewcode.config.settings import ProviderEntry

_ROWS = 3  # of the title and one entry, which a long note leaves in view


class Picker(urwid.WidgetWrap[urwid.Widget]):
    """Arrow keys move, Enter chooses, Esc leaves. A note says why a choice did not work."""

    def __init__(
        self,
        entries: Sequence[ProviderEntry],
        on_choice: Callable[[ProviderEntry], None],
        on_leave: Callable[[], None],
    ) -> None:
        self._entries = entries
        self._on_choice = on_choice
        self._on_leave = on_leave
        self._foot = urwid.Text(("dim", "Up, Down · Enter chooses · Esc leaves"), wrap="ellipsis")
        self._foot_box = urwid.Filler(self._foot, "top")
        width = max(columns(one_line(entry.name, 40)) for entry in entries)
        self._list = urwid.ListBox(urwid.SimpleFocusListWalker([_item(entry, width) for entry in entries]))
        title = urwid.Text([("banner.name", "Which provider?"), "\n"])
        self._pile = urwid.Pile([("pack", title), self._list, (1, self._foot_box)], focus_item=1)
        super().__init__(self._pile)

    def tell(self, sentence: str) -> None:
        self._foot.set_layout("left", "space")
        self._foot.set_text(("error", clean(sentence)))

    def render(self, size: tuple[int, int], focus: bool = False) -> urwid.Canvas:  # type: ignore[override]
        tall = min(self._foot.rows((size[0],)), max(1, size[1] - _ROWS))
        if self._pile.contents[-1][1][1] != tall:
            self._pile.contents[-1] = (self._foot_box, (urwid.GIVEN, tall))
        return super().render(size, focus)

    def keypress(self, size: tuple[int, int], key: str) -> str | None:  # type: ignore[override]
        if key == "enter":
            self._on_choice(self._entries[self._list.focus_position])
        elif key in ("esc", "ctrl c", "ctrl d"):
            self._on_leave()
        else:
            return super().keypress(size, key)
        return None


def _item(entry: ProviderEntry, width: int) -> urwid.AttrMap[urwid.SelectableIcon]:
    name = one_line(entry.name, 40)
    label = f"{name}{' ' * (width - columns(name))}  {one_line(model_label(entry.model), 80)}".rstrip()
    return urwid.AttrMap(urwid.SelectableIcon(label, 0, wrap="ellipsis"), None, "picked")
