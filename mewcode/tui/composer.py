"""The composer: where a message is written. Enter sends; how it grows and scrolls is decided here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import urwid

if TYPE_CHECKING:
    from collections.abc import Callable

PROMPT = "❯ "
PLACEHOLDER = "Ask anything, /help for help"
_NEW_LINE = ("meta enter", "ctrl j", "shift enter")


def _command_map() -> urwid.CommandMap:
    keys = urwid.command_map.copy()
    keys.bind_readline()
    return keys


class Composer(urwid.WidgetWrap[urwid.Columns]):
    """A flow widget of at most `limit` rows; a longer text scrolls within them."""

    def __init__(self, on_send: Callable[[str], None]) -> None:
        self.limit = 8
        self._on_send = on_send
        self._edit = urwid.Edit(
            multiline=True,
            allow_tab=True,
            expand_tabs=False,
            placeholder=("placeholder", PLACEHOLDER),
            placeholder_grow=False,
            undo_limit=100,
            kill_buffer=[],
        )
        self._edit._command_map = _command_map()
        self._list = urwid.ListBox(urwid.SimpleFocusListWalker([self._edit]))
        prompt = urwid.Text(("prompt", PROMPT), wrap="clip")
        super().__init__(urwid.Columns([(len(PROMPT), urwid.Filler(prompt, "top")), self._list], focus_column=1))

    @property
    def text(self) -> str:
        return str(self._edit.edit_text)

    def sizing(self) -> frozenset[urwid.Sizing]:
        return frozenset([urwid.FLOW])

    def clear(self) -> None:
        self._edit.set_edit_text("")

    def insert(self, text: str) -> None:
        """Put text at the cursor, as it is."""
        self._edit.insert_text(text)

    def rows(self, size: tuple[int], focus: bool = False) -> int:
        room = max(1, size[0] - len(PROMPT))
        return min(self.limit, self._edit.rows((room,), focus))

    def render(self, size: tuple[int], focus: bool = False) -> urwid.Canvas:  # type: ignore[override]
        return super().render((size[0], self.rows(size, focus)), focus)

    def get_cursor_coords(self, size: tuple[int]) -> tuple[int, int] | None:
        coords: tuple[int, int] | None = super().get_cursor_coords((size[0], self.rows(size, True)))
        return coords

    def keypress(self, size: tuple[int], key: str) -> str | None:  # type: ignore[override]
        if key == "enter":
            self._on_send(self.text)
            return None
        if key in _NEW_LINE:
            self.insert("\n")
            return None
        return super().keypress((size[0], self.rows(size, True)), key)
