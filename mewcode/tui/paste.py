"""Bracketed paste: everything between the two marks is one text, which is inserted and never sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

Key: TypeAlias = "str | tuple[str, int, int, int]"

_TEXT = {"enter": "\n", "ctrl j": "\n", "tab": "\t"}


class PasteFilter:
    """An input filter for urwid's loop. A paste may come in several reads; its keys are kept back until its end."""

    def __init__(self, on_paste: Callable[[str], None]) -> None:
        self._on_paste = on_paste
        self._pasted: list[str] | None = None  # the keys so far, while a paste is under way

    def __call__(self, keys: list[Key], _raw: list[int]) -> list[Key]:
        return [key for key in keys if not self._takes(key)]

    def _takes(self, key: Key) -> bool:
        if key == "begin paste":
            self._pasted = []
        elif self._pasted is None or not isinstance(key, str) or key == "window resize":
            return False
        elif key == "end paste":
            pasted, self._pasted = self._pasted, None
            self._on_paste(_text(pasted))
        else:
            self._pasted.append(key)
        return True


def _text(keys: list[str]) -> str:
    """CR, LF and CR LF are one new line each; a key that is no text (a control character) is dropped."""
    text: list[str] = []
    before = ""
    for key in keys:
        if not (key == "ctrl j" and before == "enter"):
            text.append(_TEXT.get(key, key if len(key) == 1 else ""))
        before = key
    return "".join(text)
