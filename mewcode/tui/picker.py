"""The list of providers, where the configuration leaves the choice open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import urwid

from mewcode.text import one_line
from mewcode.tui.status import model_label

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mewcode.config.settings import ProviderEntry


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
        self._note = urwid.Text("")
        width = max(len(one_line(entry.name, 40)) for entry in entries)
        self._list = urwid.ListBox(urwid.SimpleFocusListWalker([_item(entry, width) for entry in entries]))
        header = urwid.Pile([urwid.Text(("banner.name", "Which provider?")), urwid.Text("")])
        footer = urwid.Pile([self._note, urwid.Text(("dim", "Up and Down move · Enter chooses · Esc leaves"))])
        super().__init__(urwid.Frame(self._list, header, footer))

    def tell(self, sentence: str) -> None:
        self._note.set_text(("error", sentence))

    def keypress(self, size: tuple[int, int], key: str) -> str | None:  # type: ignore[override]
        if key == "enter":
            self._on_choice(self._entries[self._list.focus_position])
        elif key in ("esc", "ctrl d"):
            self._on_leave()
        else:
            return super().keypress(size, key)
        return None


def _item(entry: ProviderEntry, width: int) -> urwid.AttrMap[urwid.SelectableIcon]:
    label = f"{one_line(entry.name, 40):{width}}  {one_line(model_label(entry.model), 80)}".rstrip()
    return urwid.AttrMap(urwid.SelectableIcon(label, 0), None, "picked")
