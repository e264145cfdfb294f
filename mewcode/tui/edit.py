"""The text of the composer: urwid's Edit with the keys of readline that it lacks, each change one step of undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import urwid
from urwid.command_map import Command
from urwid.str_util import move_next_char, move_prev_char

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mewcode.tui.marks import MarkedLayout

_COMPLETE = "complete"  # a name that no key has: Tab is completed by the composer, which knows when
_MORE = {
    Command.LEFT: ("ctrl b",),
    Command.RIGHT: ("ctrl f",),
    Command.WORD_LEFT: ("ctrl left", "meta left"),
    Command.WORD_RIGHT: ("ctrl right", "meta right"),
    Command.DELETE_WORD_LEFT: ("ctrl backspace", "meta ctrl h"),
    Command.DELETE_WORD_RIGHT: ("ctrl delete", "meta delete"),
    Command.REDO: ("meta e",),
    Command.COMPLETE_NEXT: (_COMPLETE,),
}
_CASES: dict[str, Callable[[str], str]] = {"meta u": str.upper, "meta l": str.lower, "meta c": str.title}


def _command_map() -> urwid.CommandMap:
    keys = urwid.command_map.copy()
    keys.bind_readline()
    for command, more in _MORE.items():
        keys.bind(command, *more)
    keys["home"], keys["end"] = Command.LINE_START, Command.LINE_END  # of the line, not of the row
    return keys


class TextEdit(urwid.Edit):
    def __init__(self, layout: MarkedLayout, placeholder: str, complete: Callable[[str, int], Sequence[str]]) -> None:
        """`complete(text, cursor)`: what may stand before the cursor."""
        self._complete = complete
        self._yanked: tuple[int, int, int] | None = None  # what the last key has put in: from, to, which of the kills
        super().__init__(
            multiline=True,
            allow_tab=True,
            expand_tabs=False,
            layout=layout,
            placeholder=("placeholder", placeholder),
            placeholder_grow=False,
            text_completer=self._completions,
            undo_limit=100,
            kill_buffer=[],
        )
        self._command_map = _command_map()

    def change(self, text: str, cursor: int) -> None:
        """Another text, which can be undone."""
        with self._editing():
            self.set_edit_text(text, edit_pos=cursor)

    def put(self, text: str) -> None:
        """Text at the cursor, which can be undone."""
        with self._editing():
            self.insert_text(text)

    def complete(self, size: tuple[int]) -> bool:
        """Step through what may stand before the cursor; whether there is anything."""
        return self.keypress(size, _COMPLETE) is None

    def valid_char(self, ch: str) -> bool:
        return len(ch) == 1 or super().valid_char(ch)  # a pasted control character can be deleted and yanked, too

    def keypress(self, size: tuple[int], key: str) -> str | None:  # type: ignore[override]
        with self._editing():
            yanked, self._yanked = self._yanked, None
            before = self.edit_pos
            if self._own(key, yanked):
                return None
            left = super().keypress(size, key)
            if left is None and self._command_map[key] == Command.YANK:
                self._yanked = (before, self.edit_pos, len(self._kills) - 1)
            return left

    @property
    def _kills(self) -> list[str]:
        return [str(kill) for kill in self.kill_buffer or ()]

    def _own(self, key: str, yanked: tuple[int, int, int] | None) -> bool:
        text, cursor = str(self.edit_text), self.edit_pos
        if key == "ctrl k" and text[cursor : cursor + 1] == "\n":
            self._kill_new_line(cursor, forward=True)
        elif key == "ctrl u" and cursor and text[cursor - 1] == "\n":
            self._kill_new_line(cursor - 1, forward=False)
        elif key == "meta y" and yanked is not None:
            self._yank_older(*yanked)
        elif key == "ctrl t" and cursor:
            self._transpose(text, cursor)
        elif key in _CASES:
            end = self._word_boundary(cursor, forward=True)
            self.change(text[:cursor] + _CASES[key](text[cursor:end]) + text[end:], end)
        else:
            return False
        return True

    def _kill_new_line(self, place: int, *, forward: bool) -> None:
        text = str(self.edit_text)
        self.change(text[:place] + text[place + 1 :], place)
        self._kill("\n", forward=forward)  # so that it joins its neighbours: urwid 5.1 has no other way in

    def _yank_older(self, start: int, end: int, number: int) -> None:
        number = (number - 1) % len(self._kills)
        kill, text = self._kills[number], str(self.edit_text)
        self.change(text[:start] + kill + text[end:], start + len(kill))
        self._yanked = (start, self.edit_pos, number)

    def _transpose(self, text: str, cursor: int) -> None:
        """Swap the characters around the cursor, at the end the last two."""
        if cursor == len(text):
            cursor = move_prev_char(text, 0, cursor)
        if not cursor:
            return
        start, end = move_prev_char(text, 0, cursor), move_next_char(text, cursor, len(text))
        self.change(text[:start] + text[cursor:end] + text[start:cursor] + text[end:], end)

    def _completions(self, text: str, cursor: int) -> list[tuple[str, int]]:
        """What they have in common, when that is more than there is; else each."""
        heads = [head for head in self._complete(text, cursor) if head != text[:cursor]]
        common = _in_common(heads)
        if len(heads) > 1 and len(common) > cursor and common.startswith(text[:cursor]):
            heads = [common]
        return [(head + text[cursor:], len(head)) for head in heads]


def _in_common(texts: Sequence[str]) -> str:
    """What they all begin with."""
    if not texts:
        return ""
    first, last = min(texts), max(texts)
    length = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length]
