"""What stands in the transcript: the banner, questions, answers that are whole, notes and tables of our own words.

Each entry but the banner begins with a blank row. The answer that runs is in mewcode.tui.running.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import urwid

from mewcode.readable import ended, tokens
from mewcode.text import clean
from mewcode.tui.composer import PROMPT
from mewcode.tui.rows import PairRow, columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from mewcode.errors import LLMError
    from mewcode.llm.messages import Message
    from mewcode.tui.look import Look
    from mewcode.tui.places import FlowWidget

_TALL, _HEAD, _FOOT = 40, 8, 16  # rows of a question that is shown in part, and of the parts
_LONGEST_ROW = 2_000  # characters of a line of source: a longer one is several rows, so that none is slow to lay out


def blank() -> urwid.Text:
    return urwid.Text("")


class Banner:
    """The cat with name, version and directory beside it, then the ready line."""

    speaks = False
    source = ""

    def __init__(self, rows: Iterable[tuple[str, str]], ready: str) -> None:
        self._rows = list(rows)
        self._ready = ready

    def rows(self, look: Look) -> Sequence[FlowWidget]:
        drawn = [urwid.Text([("banner.cat", cat), "  ", _beside(words)], wrap="clip") for cat, words in self._rows]
        return [*drawn, blank(), urwid.Text(("dim", self._ready))]


def _beside(words: str) -> tuple[str, str]:
    return "banner.name" if words.startswith("mewcode") else "dim", clean(words)


class Note:
    """A sentence of the program's."""

    speaks = False

    def __init__(self, text: str, style: str = "note") -> None:
        self.source = text
        self._style = style

    def rows(self, look: Look) -> Sequence[FlowWidget]:
        return [blank(), urwid.Text((self._style, clean(self.source)))]


class Explained:
    """Words of our own and what they mean."""

    speaks = False
    source = ""

    def __init__(self, table: Iterable[tuple[str, str]]) -> None:
        self._table = [(clean(word), clean(meaning)) for word, meaning in table]

    def rows(self, look: Look) -> Sequence[FlowWidget]:
        width = max(columns(word) for word, _ in self._table)
        return [blank(), *(PairRow(word, meaning, width) for word, meaning in self._table)]


class Question:
    """A message of the user: no margin stands in front of its rows, so that it can be selected as it is."""

    speaks = True

    def __init__(self, text: str, asked_at: datetime) -> None:
        self.source = text
        self._asked_at = asked_at

    def rows(self, look: Look) -> Sequence[FlowWidget]:
        first, *rest = self._shown(look)
        marked = urwid.Text([("user.mark", PROMPT), ("user", first.text)])
        times = [urwid.Text(("dim", clock(self._asked_at)))] if look.times else []
        return [blank(), *times, marked, *rest]

    def _shown(self, look: Look) -> list[urwid.Text]:
        """All of it, but of a long one, which has files or a paste in it, the beginning and the end."""
        rows = source_rows(self.source, "user")
        hidden = len(rows) - _HEAD - _FOOT
        if len(rows) > _TALL and not look.raw:
            rows[_HEAD:-_FOOT] = [urwid.Text(("dim", f"… {hidden:,} more lines; /raw shows them"))]
        return rows


class Reply:
    """An answer that has ended: what was thought, what was said, why it ended and what it took."""

    speaks = True

    def __init__(self, message: Message, thought: str, failure: LLMError | None, note: str | None) -> None:
        self.source = message.text
        self._message = message
        self._thought = thought
        self._failure = failure
        self._note = note

    def rows(self, look: Look) -> Sequence[FlowWidget]:
        from mewcode.markdown.render import render  # mistune: after the first paint
        from mewcode.tui.rows import rows_of

        body = source_rows(self.source) if look.raw else rows_of(render(self.source))
        return self.around(body if self.source else [], look)

    def around(self, body: Sequence[FlowWidget], look: Look) -> Sequence[FlowWidget]:
        """The rows, when those of the answer itself are there already."""
        thought = thought_rows(self._thought) if look.thinking and self._thought else []
        return [blank(), *thought, *body, *self._end(look)]

    def _end(self, look: Look) -> list[FlowWidget]:
        message = self._message
        rows: list[FlowWidget] = [blank()] if message.text else []
        if self._failure is not None:
            rows.append(urwid.Text(("error", clean(str(self._failure)))))
        if self._note:
            rows.append(urwid.Text(("note", clean(self._note))))
        return [*rows, urwid.Text(("dim", self._cost(look)))]

    def _cost(self, look: Look) -> str:
        message = self._message
        took = ended(message) or f"{message.elapsed or 0.0:.1f} s"
        offer = ""
        if message.status == "interrupted":
            offer = "/continue or /retry"
        elif self._failure is not None and self._failure.retryable:
            offer = "/retry"
        at = clock(message.created_at) if look.times else ""
        return " · ".join(filter(None, (at, took, tokens(message.usage), offer)))


def thought_rows(thought: str) -> list[FlowWidget]:
    """What was thought, set apart from what is said by its colour and a blank row."""
    return [*source_rows(thought, "thinking"), blank()]


def source_rows(text: str, style: str | None = None) -> list[urwid.Text]:
    """Text as it is, a row a line: nothing is added to it, so that it can be selected as it is."""
    return [
        urwid.Text((style, line[begin : begin + _LONGEST_ROW]))
        for line in clean(text).expandtabs(8).split("\n")
        for begin in range(0, max(1, len(line)), _LONGEST_ROW)
    ]


def clock(moment: datetime) -> str:
    """The time of day here, and the day."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")
