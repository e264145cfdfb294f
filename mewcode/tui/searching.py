"""The row in which what was sent is searched: its keys, and what it shows in the composer's place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import urwid

from mewcode.text import clean
from mewcode.tui.marks import MarkedLayout, unsafe
from mewcode.tui.paste import Pasted
from mewcode.tui.search import Search

if TYPE_CHECKING:
    from collections.abc import Sequence

_ERASE = ("backspace", "ctrl h")
_LEAVE = ("esc", "ctrl g", "ctrl c")
_SHOWN = 300  # characters of what was found


class Searching:
    """After a key, `taken`: what is `found` is wanted; `left`: nothing is. `row` has the cursor behind the words."""

    def __init__(self, entries: Sequence[str]) -> None:
        self._search = Search(entries)
        self.taken = False
        self.left = False
        self.row = urwid.Edit(("prompt", "search: "), layout=MarkedLayout(unsafe))
        self._show()

    @property
    def found(self) -> str | None:
        return self._search.found

    def took(self, key: str) -> bool:
        """Do what the key says; False for one that ends the search and then does its own."""
        if isinstance(key, Pasted):
            self._search.type(_folded(key.text))
        elif len(key) == 1:
            self._search.type(key)
        elif key in _ERASE:
            self._search.erase()
        elif key == "ctrl r":
            self._search.older()
        elif key == "ctrl s":
            self._search.newer()
        elif key in _LEAVE:
            self.left = True
        elif key == "enter":
            self.taken = True
        else:
            return False
        self._show()
        return True

    def _show(self) -> None:
        words = self._search.words
        if not words:
            after = "  (Enter takes what is found, Esc leaves)"
        elif self.found is None:
            after = "  (nothing found)"
        else:
            after = f"  {self._around(self.found)}"
        self.row.set_edit_text(words + after, edit_pos=len(words))

    def _around(self, entry: str) -> str:
        """The entry in one line, from a little before the words on."""
        at = entry.lower().find(self._search.words.lower())
        start = max(0, at - _SHOWN // 4) if len(entry) > _SHOWN else 0
        return clean(_folded(entry[start : start + _SHOWN]))


def _folded(text: str) -> str:
    return " ".join(text.split())
