"""Two screens side by side: what differs between them, cell by cell, in letters, styles, widths and the cursor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyte

    from tests.e2e.terminal import Terminal
    from tests.terminals.tmux import Tmux

# what is another one in each run, of the same width: seconds and the number of a port
_PASSING = re.compile(r"\(\d+s\)|\d+\.\d(?= s\b)|in \d+ s|config-\d+")
_STYLES = ("fg", "bg", "bold", "italics", "underscore", "strikethrough", "reverse")
_INK = frozenset(("fg", "bold", "italics"))  # of these nothing is seen where no letter is


def differences(tmux: Tmux, emulator: Terminal) -> list[str]:
    """A line for each row that is not the same, and one for the cursor."""
    ours, theirs = emulator.cells(), tmux.cells()
    found = []
    for y in range(ours.lines):
        here, there = _row(ours, y), _row(theirs, y)
        odd = [x for x, (one, other) in enumerate(zip(here, there, strict=True)) if one != other]
        if odd:
            found.append(f"row {y}, column {odd[0]}: {here[odd[0]]} and in tmux {there[odd[0]]}: {ours.display[y]!r}")
    cursor = None if ours.cursor.hidden else (ours.cursor.x, ours.cursor.y)
    if cursor != tmux.cursor:
        found.append(f"the cursor: {cursor} and in tmux {tmux.cursor}")
    return found


def widths(screen: pyte.Screen) -> dict[str, int]:
    """The columns that each row with more than ASCII takes, up to its last letter."""
    found = {}
    for y, shown in enumerate(screen.display):
        text = shown.rstrip()
        if not text.isascii():
            last = max(x for x in range(screen.columns) if screen.buffer[y][x].data.strip())
            wide = last + 1 < screen.columns and screen.buffer[y][last + 1].data == ""
            found[text] = last + 1 + wide
    return found


def _row(screen: pyte.Screen, y: int) -> list[tuple[object, ...]]:
    cells = [screen.buffer[y][x] for x in range(screen.columns)]
    letters = "".join(cell.data[:1] or " " for cell in cells)  # one a column
    steady = _PASSING.sub(lambda found: re.sub(r"\d", "0", found[0]), letters)
    row: list[tuple[object, ...]] = []
    for cell, letter in zip(cells, steady, strict=True):
        blank = not cell.data.strip()
        looks = (None if blank and style in _INK else getattr(cell, style) for style in _STYLES)
        row.append((letter + cell.data[1:], *looks))
    return row
