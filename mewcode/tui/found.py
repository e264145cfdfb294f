"""What is looked for, marked where it stands in a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

    import urwid

_STYLE = "found"


def mark(row: urwid.Text, found: re.Pattern[str]) -> None:
    """Give every place where the text fits the pattern its style."""
    text, runs = row.get_text()
    if found.search(str(text)):
        row.set_text(list(_pieces(str(text), runs, found)))


def _pieces(text: str, runs: Sequence[tuple[object, int]], found: re.Pattern[str]) -> Iterator[tuple[object, str]]:
    """The text in pieces with their styles."""
    styles: list[object] = []
    for style, length in runs:
        styles += [style] * length
    styles += [None] * (len(text) - len(styles))
    for match in found.finditer(text):
        styles[match.start() : match.end()] = [_STYLE] * (match.end() - match.start())
    begin = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or styles[at] != styles[begin]:
            yield styles[begin], text[begin:at]
            begin = at
