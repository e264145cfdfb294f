"""The answer that runs: its rows while it grows, and what is happening below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import urwid

from mewcode.tui.answer import Answer
from mewcode.tui.entries import blank, source_rows, thought_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewcode.tui.entries import Reply
    from mewcode.tui.look import Look
    from mewcode.tui.places import FlowWidget


class Running:
    """Rows that stand are the same objects from frame to frame; only what is still open is made anew."""

    speaks = True

    def __init__(self) -> None:
        self.source = ""
        self._thought = ""
        self._markdown = Answer()
        self._raw = _Lines()
        self._body: list[FlowWidget] = []
        self._is_raw = False
        self._activity = urwid.Text("")

    def grow(self, text: str, thought: str) -> None:
        self.source, self._thought = text, thought
        keep, rows = self._raw.grow(text) if self._is_raw else self._markdown.grow(text)
        self._body[keep:] = rows

    def doing(self, words: str, reason: str) -> None:
        """The words are last: in a small window they are what is in sight."""
        self._activity.set_text([*([("dim", f"{reason}\n")] if reason else []), ("activity", words)])

    def rows(self, look: Look) -> Sequence[FlowWidget]:
        if look.raw != self._is_raw:
            self._is_raw, self._body = look.raw, []
            self._markdown, self._raw = Answer(), _Lines()
            self.grow(self.source, self._thought)
        thought = thought_rows(self._thought) if look.thinking and self._thought else []
        gap = [blank()] if self.source else []
        return [blank(), *thought, *self._body, *gap, self._activity]

    def finished(self, reply: Reply, look: Look) -> Sequence[FlowWidget]:
        """The rows of the answer that this one has become; what stands of it is not made again."""
        if self.source or reply.source:
            grown = self._raw.grow(reply.source) if self._is_raw else self._markdown.finish(reply.source)
            self._body[grown[0] :] = grown[1]
        return reply.around(self._body, look)


class _Lines:
    """A growing text as rows of its source: lines that have ended stand."""

    def __init__(self) -> None:
        self._ended = 0  # characters of lines that have ended
        self._stand = 0  # their rows

    def grow(self, text: str) -> tuple[int, list[urwid.Text]]:
        stood, begin = self._stand, self._ended
        end = text.rfind("\n") + 1
        settled = source_rows(text[begin : end - 1]) if end > begin else []
        self._stand, self._ended = stood + len(settled), max(end, begin)
        return stood, [*settled, *source_rows(text[self._ended :])]
