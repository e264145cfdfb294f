"""Pasted text: one key whatever its length, and what its line ends were."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

Key: TypeAlias = "str | tuple[str, int, int, int]"

_TEXT = {"enter": "\r", "ctrl j": "\n", "tab": "\t"}
_RETURNS = re.compile("\r+")
_FEED = re.compile("\r\n?")


def _nobody_knows() -> str | None:
    return None


class Pasted(str):
    """A whole paste as one key, so that it keeps its place among the keys around it. `text` is what was pasted."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Pasted:
        key = super().__new__(cls, "paste")  # a name that no other key has, whatever the text
        key.text = text
        return key


def line_ends(text: str, source: Callable[[], str | None] = _nobody_knows) -> str:
    """Text in which CR, LF and CR LF are one new line each; CR CR is one where it must have been a CR LF.

    tmux and xterm paste each LF as a CR, so that a text with CR LF ends its lines in two CRs, which is also what a
    blank line looks like. `source()` is asked for what may have been pasted, and believed where it fits. Else doubled
    are those texts that have no LF, only even numbers of CRs, and among these four in a row or two at the end:
    otherwise the text would have blank lines by the three, or end in one, and nowhere a simple line end. What may have
    been blank lines stays blank lines.
    """
    if "\r" not in text:
        return text
    if "\n" not in text and not any(run % 2 for run in _runs(text)):
        before = source()
        if before is not None and before.replace("\n", "\r") == text:
            text = before
        elif _doubled(text):
            return text.replace("\r\r", "\n")
    return _FEED.sub("\n", text)


def _runs(text: str) -> list[int]:
    return [len(found[0]) for found in _RETURNS.finditer(text)]


def _doubled(text: str) -> bool:
    runs = _runs(text)
    return max(runs) > 2 or (len(runs) > 1 and text.endswith("\r"))


class PasteFilter:
    """An input filter for a screen that gives a paste key by key between its marks, as urwid's own do."""

    def __init__(self) -> None:
        self._pasted: list[str] | None = None  # the keys so far, while a paste is under way

    def __call__(self, keys: list[Key], _raw: list[int]) -> list[Key]:
        return [found for key in keys if (found := self._filtered(key)) is not None]

    def _filtered(self, key: Key) -> Key | None:
        if key in ("begin paste", "end paste") and self._pasted is not None:
            pasted, self._pasted = self._pasted, [] if key == "begin paste" else None
            # a key that is no text (a control character) is dropped
            return Pasted(line_ends("".join(_TEXT.get(key, key if len(key) == 1 else "") for key in pasted)))
        if key == "begin paste":
            self._pasted = []
        elif self._pasted is None or not isinstance(key, str) or key == "window resize":
            return key
        else:
            self._pasted.append(key)
        return None
