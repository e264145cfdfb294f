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
    "thinking": ("dark gray", ""),
    "found": ("standout", "standout"),
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
    # code that Pygments has coloured stands on md.code; without colour it looks like code without Pygments
    "code.comment": ("dark gray", ""),
    "code.keyword": ("dark magenta", ""),
    "code.type": ("dark cyan", ""),
    "code.name": ("light blue", ""),
    "code.builtin": ("dark cyan", ""),
    "code.string": ("brown", ""),
    "code.escape": ("dark magenta", ""),
    "code.number": ("dark cyan", ""),
    "code.decorator": ("dark magenta", ""),
    "code.tag": ("light blue", ""),
    "code.attribute": ("dark cyan", ""),
    "code.inserted": ("dark green", ""),
    "code.deleted": ("dark red", ""),
}

PALETTE: list[PaletteEntry] = [(role, colour, _PLAIN, mono or _PLAIN) for role, (colour, mono) in _ROLES.items()]
