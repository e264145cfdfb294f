"""Bracketed paste: everything between the two marks is one text, which is inserted and never sent."""

from __future__ import annotations

from typing import TypeAlias

Key: TypeAlias = "str | tuple[str, int, int, int]"

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

    def __init__(self) -> None:
        self._pasted: list[str] | None = None  # the keys so far, while a paste is under way

    def __call__(self, keys: list[Key], _raw: list[int]) -> list[Key]:
        if keys == ["ctrl c"] and self._pasted is not None:
            # pressed by hand, and behind the end of the paste: its end mark was lost, and the keyboard would stay dead
            keys = ["end paste"]
        return [found for key in keys if (found := self._filtered(key)) is not None]

    def _filtered(self, key: Key) -> Key | None:
        if key == "begin paste":
            self._pasted = []
        elif self._pasted is None or not isinstance(key, str) or key == "window resize":
            return key
        elif key == "end paste":
            pasted, self._pasted = self._pasted, None
            return Pasted(_text(pasted))
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
