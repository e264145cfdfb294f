"""Searching what was sent, backwards and while the words are typed, as readline does."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Search:
    """`found` is the newest entry with the words that is not newer than what was found before; None if there is none.

    Words without a capital are found in any case.
    """

    def __init__(self, entries: Sequence[str]) -> None:
        self._entries = entries
        self._at = len(entries)  # where it has come to; here it has found nothing yet
        self._before: list[tuple[str, int, str | None]] = []  # what each letter went on from
        self.words = ""
        self.found: str | None = None

    def type(self, text: str) -> None:
        self._before.append((self.words, self._at, self.found))
        self.words += text
        self._go(range(min(self._at, len(self._entries) - 1), -1, -1))

    def erase(self) -> None:
        """Take back what was typed last, and with it where it led."""
        if self._before:
            self.words, self._at, self.found = self._before.pop()

    def older(self) -> None:
        self._go(number for number in range(self._at - 1, -1, -1) if self._entries[number] != self.found)

    def newer(self) -> None:
        self._go(number for number in range(self._at + 1, len(self._entries)) if self._entries[number] != self.found)

    def _go(self, numbers: Iterable[int]) -> None:
        any_case = self.words == self.words.lower()
        for number in numbers if self.words else ():
            entry = self._entries[number]
            if self.words in (entry.lower() if any_case else entry):
                self._at, self.found = number, entry
                return
        self.found = None
