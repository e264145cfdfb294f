"""Bracketed paste: everything between the two marks is one text, which is inserted and never sent."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

Key: TypeAlias = "str | tuple[str, int, int, int]"

_STALLED = 0.5  # seconds without a byte, in the middle of a paste

_TEXT = {"enter": "\n", "ctrl j": "\n", "tab": "\t"}


class Pasted(str):
    """A whole paste as one key, so that it keeps its place among the keys around it. `text` is what was pasted."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Pasted:
        key = super().__new__(cls, "paste")  # a name that no other key has, whatever the text
        key.text = text
        return key


class PasteFilter:
    """An input filter for urwid's loop. A paste may come in several reads; its keys are kept back until its end."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pasted: list[str] | None = None  # the keys so far, while a paste is under way
        self._last = 0.0  # when the last of them came

    def __call__(self, keys: list[Key], _raw: list[int]) -> list[Key]:
        if self._pasted is not None and keys[-1:] == ["ctrl c"] and self._clock() - self._last > _STALLED:
            # pressed by hand: the end mark was lost, and the keyboard would stay dead
            keys = [*keys[:-1], "end paste"]
        self._last = self._clock()
        return [found for key in keys if (found := self._filtered(key)) is not None]

    def _filtered(self, key: Key) -> Key | None:
        if key in ("begin paste", "end paste") and self._pasted is not None:
            pasted, self._pasted = self._pasted, [] if key == "begin paste" else None
            return Pasted(_text(pasted))  # a begin within a paste: the end of the first was lost
        if key == "begin paste":
            self._pasted = []
        elif self._pasted is None or not isinstance(key, str) or key == "window resize":
            return key
        else:
            self._pasted.append(key)
        return None


def _text(keys: list[str]) -> str:
    """CR, LF and CR LF are one new line each; a key that is no text (a control character) is dropped."""
    text: list[str] = []
    before = ""
    for key in keys:
        if not (key == "ctrl j" and before == "enter"):
            text.append(_TEXT.get(key, key if len(key) == 1 else ""))
        before = key
    return "".join(text)
