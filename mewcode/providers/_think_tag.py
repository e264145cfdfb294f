"""`<think>…</think>` at the head of a content: servers without a field for reasoning send it that way."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPEN, _CLOSE = "<think>", "</think>"
_MOST_HELD = 1000  # characters, nearly all of them blanks: nobody sends more before a tag


class ThinkTag:
    """Splits a text that comes in pieces; a tag may be cut between two of them. Only a leading tag counts. The blanks
    before it are nobody's, nor is the blank line after its end."""

    def __init__(self) -> None:
        self._held = ""
        self._place = "before"  # before → inside → gap → after
        self._raw = ""

    def split(self, piece: str) -> Iterator[tuple[bool, str]]:
        """(is thinking, text) for what can be told now."""
        if self._place == "gap":
            piece = self._beyond_the_gap(piece)
        if self._place in ("gap", "after"):
            yield False, piece
            return
        self._held += piece
        if self._place == "before":
            head = self._held.lstrip()
            if len(self._held) < _MOST_HELD and len(head) < len(_OPEN) and _OPEN.startswith(head):
                return  # may still become a tag
            if not head.startswith(_OPEN):
                yield from self.rest()
                return
            self._place, self._held, self._raw = "inside", head[len(_OPEN) :], _OPEN
        thought, closed, rest = self._held.partition(_CLOSE)
        if closed:
            self._place, self._held = "gap", ""
            self._raw += f"{thought}{_CLOSE}"
            yield True, thought
            yield from self.split(rest)
            return
        keep = _cut_tag(self._held)
        self._raw += self._held[: len(self._held) - keep]
        yield True, self._held[: len(self._held) - keep]
        self._held = self._held[len(self._held) - keep :]

    @property
    def raw(self) -> str | None:
        """The tagged thought and the blank line after it, as they came: some models want them back (MiniMax)."""
        return self._raw if self._place in ("gap", "after") and _CLOSE in self._raw else None

    def _beyond_the_gap(self, piece: str) -> str:
        """The text after the closing tag, once there is any, without the blank line between them."""
        self._held += piece
        text = self._held.lstrip()
        if not text and len(self._held) < _MOST_HELD:
            return ""
        gap, self._held, self._place = self._held[: len(self._held) - len(text)], "", "after"
        if gap.count("\n") <= 1:
            return gap + text
        self._raw += gap
        return text

    def rest(self) -> Iterator[tuple[bool, str]]:
        """What was held back, when nothing more comes."""
        yield self._place == "inside", "" if self._place == "gap" else self._held
        self._place, self._held = "after", ""


def _cut_tag(text: str) -> int:
    """How many characters at the end may be the beginning of the closing tag."""
    found = re.search(r"<(/(t(h(i(n(k)?)?)?)?)?)?$", text)
    return len(found[0]) if found else 0
