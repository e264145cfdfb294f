"""The row that says what is happening, and the bar at the bottom."""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import TYPE_CHECKING

import urwid
from urwid.str_util import calc_width

from mewcode.text import one_line

if TYPE_CHECKING:
    from mewcode.llm.events import Retrying

_BACK = "↓ End"


def model_label(model: str) -> str:
    """How the bar shows a model: the stem of a file, else its id."""
    return PurePath(model).stem if model.endswith(".gguf") else model


def activity(phase: str, elapsed: float, retry: Retrying | None = None, retry_in: float = 0.0) -> str:
    """What an answer that runs is doing; both times in seconds, `retry_in` until the attempt that `retry` names."""
    words = f"Imagining… ({int(elapsed)}s)"
    if retry is not None and retry_in > 0:
        number = f"{retry.attempt}/{retry.max_attempts}"
        return f"{words} · retrying {number} in {math.ceil(retry_in)} s: {one_line(str(retry.error), 300)}"
    return f"{words} · thinking" if phase == "thinking" else words


class StatusBar(urwid.Widget):
    """One row: provider left, model right, a note between them, which takes the model's place where room is short.

    Away from the newest text, and so from the activity below it, it shows that and how to get back, unless there is a
    note.
    """

    _sizing = frozenset([urwid.FLOW])
    ignore_focus = True

    def __init__(self) -> None:
        super().__init__()
        self._left = self._right = self._note = self._activity = ""
        self._away = False

    def show(self, provider: str, model: str) -> None:
        self._left, self._right = one_line(provider, 40), one_line(model_label(model), 80)
        self._invalidate()

    def note(self, words: str) -> None:
        words = one_line(words)
        if words != self._note:
            self._note = words
            self._invalidate()

    def doing(self, words: str) -> None:
        """What runs; empty when nothing does."""
        self._activity = words
        if self._away:
            self._invalidate()

    def away(self, away: bool) -> None:
        """Whether the newest text is out of view."""
        if away != self._away:
            self._away = away
            self._invalidate()

    def rows(self, size: tuple[int], focus: bool = False) -> int:
        return 1

    def render(self, size: tuple[int], focus: bool = False) -> urwid.Canvas:  # type: ignore[override]
        return urwid.Text(("status", self._line(size[0])), wrap="clip").render(size)

    def _line(self, width: int) -> str:
        left, right = self._left, self._right
        note = self._note or ("  ".join(filter(None, (self._activity, _BACK))) if self._away else "")
        room = width - _columns(left) - _columns(right)
        if note and _columns(note) > room - 2:
            return f"{left}  {note}" if _columns(left) + 2 + _columns(note) <= width else note
        if room < 1:  # the model's name is the longer one, and its head tells most
            return f"{left} {right}"
        before = (room - _columns(note)) // 2
        return f"{left}{' ' * before}{note}{' ' * (room - before - _columns(note))}{right}"


def _columns(text: str) -> int:
    return calc_width(text, 0, len(text))
