"""Roles and their colours. Sixteen colours on the terminal's own background, so that dark and light both read.

Meaning of each colour: docs/style.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urwid.display.common import PaletteEntry

_PLAIN = "default"

# role: (foreground in colour, attributes without colour)
_ROLES = {
    "banner.cat": ("dark cyan", ""),
    "banner.name": ("bold", "bold"),
    "dim": ("dark gray", ""),
    "user": ("bold", "bold"),
    "user.mark": ("dark cyan", "bold"),
    "error": ("light red", "bold"),
    "note": ("brown", ""),
    "word": ("bold", "bold"),
    "activity": ("dark cyan", ""),
    "prompt": ("dark cyan", "bold"),
    "placeholder": ("dark gray", ""),
    "status": ("dark gray", ""),
    "picked": ("standout", "standout"),
    # settings of a role inside another are inherited: bold in a heading in a quote stays all three
    "md.heading": ("dark cyan,bold", "bold"),
    "md.emphasis": ("inherit,italics", "italics"),
    "md.strong": ("inherit,bold", "bold"),
    "md.strike": ("inherit,strikethrough", "strikethrough"),
    "md.code": ("dark green", ""),
    "md.link": ("light blue,underline", "underline"),
    "md.quote": ("dark gray", ""),
    "md.bullet": ("dark cyan", ""),
    "md.rule": ("dark gray", ""),
    "md.table": ("dark gray", ""),
}

PALETTE: list[PaletteEntry] = [(role, colour, _PLAIN, mono or _PLAIN) for role, (colour, mono) in _ROLES.items()]
