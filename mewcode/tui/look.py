"""How the transcript is shown: what a reader can switch on and off for all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import urwid

from mewcode.tui.found import mark
from mewcode.tui.rows import TableRow

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from mewcode.tui.places import FlowWidget


@dataclass(frozen=True, slots=True)
class Look:
    raw: bool = False  # answers as their source
    thinking: bool = False
    times: bool = False
    found: re.Pattern[str] | None = None  # what is looked for, and marked

    def marked(self, rows: Sequence[FlowWidget]) -> Sequence[FlowWidget]:
        """The rows, with what is looked for marked in them."""
        if self.found is not None:
            for row in rows:
                match row:
                    case urwid.Text():
                        mark(row, self.found)
                    case TableRow():
                        row.mark(self.found)
        return rows


def text_of(row: FlowWidget) -> str:
    """What a row says; nothing for one of our own words."""
    return str(row.text) if isinstance(row, (urwid.Text, TableRow)) else ""
