"""The row that says what is happening, and the bar at the bottom."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import urwid
from urwid.str_util import calc_width

from mewcode.desk import model_label
from mewcode.text import one_line

if TYPE_CHECKING:
    from mewcode.session import Session

_BACK = "↓ End"
_SHOWN = ("connecting", "waiting", "thinking")  # phases that the words before them do not say
_SILENT = 10.0  # seconds after which silence is worth a word


def activity(session: Session) -> str:
    """What an answer that runs is doing, and for how long."""
    words = f"Imagining… ({int(session.elapsed)}s)"
    retry = session.retry_note
    if retry is not None and session.retry_in > 0:
        return f"{words} · retrying {retry.attempt}/{retry.max_attempts} in {math.ceil(session.retry_in)} s"
    phase = "connecting" if session.connecting else session.phase
    silent = f"silent for {int(session.silence)} s" if session.silence >= _SILENT else ""
    return " · ".join(filter(None, (words, phase if phase in _SHOWN else "", silent)))


def reason(session: Session) -> str:
    """Why an answer that runs has to be asked for again; empty when it has not."""
    retry = session.retry_note
    return one_line(str(retry.error), 300) if retry is not None and session.retry_in > 0 else ""


class StatusBar(urwid.Widget):
    """One row: provider left, model right, a note between them, which takes the model's place where room is short.

    Where there is no note it shows what is looked for, else, away from the newest text and so from the activity below
    it, that and how to get back.
    """

    _sizing = frozenset([urwid.FLOW])
    ignore_focus = True

    def __init__(self) -> None:
        super().__init__()
        self._left = self._right = self._note = self._finding = self._activity = ""
        self._facts: tuple[str, ...] = ()
        self._away: int | None = None

    def show(self, provider: str, model: str) -> None:
        self._left, self._right = one_line(provider, 40), one_line(model_label(model), 80)
        self._invalidate()

    def note(self, words: str) -> None:
        words = one_line(words)
        if words != self._note:
            self._note = words
            self._invalidate()

    def finding(self, words: str) -> None:
        """What is looked for, as long as keys act on it; it outlives a note."""
        self._finding = words
        self._invalidate()

    def doing(self, words: str) -> None:
        """What runs; empty when nothing does."""
        self._activity = words
        if self._away is not None:
            self._invalidate()

    def facts(self, *facts: str) -> None:
        """What is shown while there is nothing else to say: as many as there is room for, the last ones first."""
        self._facts = facts
        self._invalidate()

    def away(self, away: int | None) -> None:
        """How many lines have come below since the newest text went out of view; None while it is in view."""
        if away != self._away:
            self._away = away
            self._invalidate()

    def rows(self, size: tuple[int], focus: bool = False) -> int:
        return 1

    def render(self, size: tuple[int], focus: bool = False) -> urwid.Canvas:  # type: ignore[override]
        return urwid.Text(("status", self._line(size[0])), wrap="ellipsis").render(size)

    def _line(self, width: int) -> str:
        left, right = self._left, self._right
        note = self._note or self._finding or self._below()
        room = width - _columns(left) - _columns(right)
        note = note or self._what_fits(room - 2)
        if note and _columns(note) > room - 2:
            return f"{left}  {note}" if _columns(left) + 2 + _columns(note) <= width else note
        if room < 1:  # the model's name is the longer one, and its head tells most
            return f"{left} {right}"
        before = (room - _columns(note)) // 2
        return f"{left}{' ' * before}{note}{' ' * (room - before - _columns(note))}{right}"

    def _what_fits(self, room: int) -> str:
        lines = (" · ".join(self._facts[first:]) for first in range(len(self._facts)))
        return next((line for line in lines if _columns(line) <= room), "")

    def _below(self) -> str:
        """What a reader away from the newest text does not see."""
        if self._away is None:
            return ""
        new = f"{self._away:,} new line{'' if self._away == 1 else 's'} " if self._away else ""
        return "  ".join(filter(None, (self._activity, f"{new}{_BACK}")))


def _columns(text: str) -> int:
    return calc_width(text, 0, len(text))
