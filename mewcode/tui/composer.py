"""The composer: where a message is written. What Enter does, how it grows, and which key leads where is decided here.

How its text is edited: `edit`. What a large paste looks like: `folds`, `marks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import urwid
from urwid.util import get_encoding

from mewcode.text import one_line
from mewcode.tui.edit import TextEdit
from mewcode.tui.editor import EditorError
from mewcode.tui.folds import Folds, fits
from mewcode.tui.history import History, Walk
from mewcode.tui.marks import MarkedLayout
from mewcode.tui.paste import Pasted, line_ends
from mewcode.tui.searching import Searching

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PROMPT = "❯ "
_ASCII_PROMPT = "> "
PLACEHOLDER = "Ask anything, /help for help"
_AFTER_CTRL_X = {"ctrl e": "ctrl g", "ctrl u": "ctrl _", "ctrl r": "meta e"}


def _completes_nothing(_text: str, _cursor: int) -> Sequence[str]:
    return ()


def _edits_nothing(_text: str) -> str:
    raise EditorError("no editor can be started from here")


def _says_nothing(_words: str) -> None:
    pass


class Composer(urwid.WidgetWrap[urwid.Columns]):
    """A flow widget of at most `limit` rows; a longer text scrolls within them.

    `complete(text, cursor)` gives what may stand before the cursor; `edit(text)` the text as an editor left it, or
    raises EditorError; `note(words)` shows some words until the next key, `tell(sentence)` a whole sentence. While
    `searching`, every key belongs here.
    """

    def __init__(
        self,
        on_send: Callable[[str], None],
        *,
        history: History | None = None,
        complete: Callable[[str, int], Sequence[str]] = _completes_nothing,
        edit: Callable[[str], str] = _edits_nothing,
        note: Callable[[str], None] = _says_nothing,
        tell: Callable[[str], None] = _says_nothing,
    ) -> None:
        self.limit = 8
        self.history = History() if history is None else history
        self._on_send = on_send
        self._open_editor = edit
        self._note = note
        self._tell = tell
        self._folds = Folds()
        self._walk = Walk(self.history, self._folds.tamed)
        self._ctrl_x = False  # the last key was Ctrl+X
        self._listed = False  # the last key was a Tab, and the note lists what it has found
        self._searching: Searching | None = None
        self._edit = TextEdit(MarkedLayout(self._folds.marks), PLACEHOLDER, complete)
        self._shown = urwid.SimpleFocusListWalker[urwid.Edit]([self._edit])
        self._keys: dict[str, Callable[[tuple[int]], None]] = {
            "enter": lambda size: self._enter(),
            **dict.fromkeys(("meta enter", "ctrl j", "shift enter", "ctrl enter"), lambda size: self._edit.put("\n")),
            "up": lambda size: self._move(size, "up", -1),
            "down": lambda size: self._move(size, "down", 1),
            "ctrl p": lambda size: self._recall(-1),
            "ctrl n": lambda size: self._recall(1),
            "tab": self._tab,
            "ctrl r": lambda size: self._search(),
            "ctrl g": lambda size: self._use_editor(),
            "ctrl o": lambda size: self._unfold(),
        }
        prompt = urwid.Text(("prompt", _prompt()), wrap="clip")
        beside = urwid.ListBox(self._shown)
        super().__init__(urwid.Columns([(len(PROMPT), urwid.Filler(prompt, "top")), beside], focus_column=1))

    @property
    def text(self) -> str:
        """What Enter would send."""
        return self._folds.unfolded(str(self._edit.edit_text))

    @property
    def searching(self) -> bool:
        return self._searching is not None

    def clear(self) -> None:
        """Empty it, as after sending. The way through the history begins anew; undo brings the text back."""
        self._stop_searching()
        self._forget_list()
        self._walk.reset()
        self._edit.change("", 0)

    def insert(self, text: str) -> None:
        """Put text at the cursor, as it is; folded only where it is too much to be shown."""
        self._stop_searching()
        self._edit.put(self._folds.tamed(line_ends(text)))

    def paste(self, text: str) -> None:
        """Put text at the cursor; a large one stands there folded."""
        self._stop_searching()
        self._edit.put(self._folds.pasted(text))

    def restore(self, text: str) -> None:
        """Put text back in front of what has been typed meanwhile."""
        self._stop_searching()
        back, typed = self._folds.tamed(line_ends(text)), str(self._edit.edit_text)
        before = f"{back}\n" if typed else back
        self._edit.change(before + typed, len(before) + (self._edit.edit_pos if typed else 0))

    def sizing(self) -> frozenset[urwid.Sizing]:
        return frozenset([urwid.FLOW])

    def rows(self, size: tuple[int], focus: bool = False) -> int:
        return min(self.limit, self._shown[0].rows(_inside(size), focus))

    def render(self, size: tuple[int], focus: bool = False) -> urwid.Canvas:  # type: ignore[override]
        return super().render((size[0], self.rows(size, focus)), focus)

    def get_cursor_coords(self, size: tuple[int]) -> tuple[int, int] | None:
        coords: tuple[int, int] | None = super().get_cursor_coords((size[0], self.rows(size, True)))
        return coords

    def keypress(self, size: tuple[int], key: str) -> str | None:  # type: ignore[override]
        if self._searching is not None:
            if self._searching.took(key):
                self._searched()
                return None
            self._take_found()
        if isinstance(key, Pasted):
            self.paste(key.text)
            return None
        self._forget_list()
        after_x, self._ctrl_x = self._ctrl_x, key == "ctrl x"
        if self._ctrl_x:
            return None
        key = _AFTER_CTRL_X.get(key, key) if after_x else key
        if key in self._keys:
            self._keys[key](size)
            return None
        return self._edit.keypress(_inside(size), key)  # not through the list, which has keys of its own

    def _enter(self) -> None:
        text, cursor = str(self._edit.edit_text), self._edit.edit_pos
        line = text[:cursor].rpartition("\n")[2]
        at_end = text[cursor : cursor + 1] in ("", "\n")
        if at_end and (len(line) - len(line.rstrip("\\"))) % 2:  # one that is not itself escaped
            self._edit.change(text[: cursor - 1] + "\n" + text[cursor:], cursor)
            return
        message = self.text
        if message.strip():
            self.history.add(message)
        self._on_send(message)

    def _move(self, size: tuple[int], key: str, by: int) -> None:
        if self._edit.keypress(_inside(size), key) is not None:
            self._recall(by)

    def _recall(self, by: int) -> None:
        text = self._walk.step(str(self._edit.edit_text), by)
        if text is not None:
            self._edit.change(text, len(text))

    def _tab(self, size: tuple[int]) -> None:
        """Complete; in the indentation of a line there is nothing to complete, and a tab is what is meant."""
        if self._edit.complete(_inside(size)):
            if cycle := self._edit.completion_cycle:
                self._list([str(text) for text, _ in cycle[0][1:]])
            return
        text, cursor = str(self._edit.edit_text), self._edit.edit_pos
        if text and not text[:cursor].rpartition("\n")[2].strip():
            self._edit.put("\t")

    def _list(self, found: Sequence[str]) -> None:
        self._note("  ".join(one_line(text.split()[-1], 40) for text in found if text.split()))
        self._listed = True

    def _forget_list(self) -> None:
        if self._listed:
            self._listed = False
            self._note("")

    def _use_editor(self) -> None:
        before = self.text
        try:
            after = self._open_editor(before)
        except EditorError as error:
            self._tell(f"{str(error)[:1].upper()}{str(error)[1:]}.")
            return
        if after != before:
            text = self._folds.tamed(after)
            self._edit.change(text, len(text))

    def _unfold(self) -> None:
        text = str(self._edit.edit_text)
        fold = self._folds.at(text, self._edit.edit_pos)
        if fold is None:
            return
        place, inside = fold
        if not fits(inside, beside=text):
            self._note("too long to unfold here; Ctrl+G shows it in an editor")
            return
        self._edit.change(text[:place] + inside + text[place + 1 :], place + len(inside))

    def _search(self) -> None:
        self._searching = Searching(self.history.entries)
        self._shown[0] = self._searching.row

    def _searched(self) -> None:
        assert self._searching is not None
        if self._searching.taken:
            self._take_found()
        elif self._searching.left:
            self._stop_searching()

    def _take_found(self) -> None:
        found = self._searching.found if self._searching is not None else None
        self._stop_searching()
        if found is not None:
            text = self._folds.tamed(line_ends(found))
            self._edit.change(text, len(text))

    def _stop_searching(self) -> None:
        self._searching = None
        self._shown[0] = self._edit


def _prompt() -> str:
    try:
        PROMPT.encode(get_encoding())
    except UnicodeEncodeError:
        return _ASCII_PROMPT
    return PROMPT


def _inside(size: tuple[int]) -> tuple[int]:
    """Beside the prompt."""
    return (max(1, size[0] - len(PROMPT)),)
