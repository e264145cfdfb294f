"""Roles and their colours, on the terminal's own background. Meaning of each colour: docs/style.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urwid.display.common import PaletteEntry

    from mewcode.config.settings import Theme

_PLAIN = "default"


class _Tint(NamedTuple):
    """One meaning's colour: among the terminal's sixteen, and among 256, whose last 240 are the same everywhere."""

    named: str
    exact: str


# Nobody has said what the background is: four times lighter than black, four times darker than white.
_ON_ANY = {
    "own": _Tint("light blue", "h30"),
    "beside": _Tint("dark gray", "h243"),
    "error": _Tint("light red", "h161"),
    "note": _Tint("dark magenta", "h130"),
    "code": _Tint("light blue", "h28"),
    "link": _Tint("light blue", "h63"),
    "keyword": _Tint("dark magenta", "h133"),
    "text": _Tint("dark magenta", "h130"),
    "name": _Tint("light blue", "h63"),
    "type": _Tint("light blue", "h30"),
    "gone": _Tint("light red", "h161"),
}
_ON_DARK = {
    "own": _Tint("dark cyan", "h80"),
    "beside": _Tint("dark gray", "h246"),
    "error": _Tint("light red", "h203"),
    "note": _Tint("brown", "h179"),
    "code": _Tint("dark green", "h114"),
    "link": _Tint("light blue", "h75"),
    "keyword": _Tint("light magenta", "h176"),
    "text": _Tint("brown", "h179"),
    "name": _Tint("light blue", "h111"),
    "type": _Tint("dark cyan", "h80"),
    "gone": _Tint("light red", "h203"),
}
_ON_LIGHT = {
    "own": _Tint("dark blue", "h23"),
    "beside": _Tint("dark gray", "h241"),
    "error": _Tint("dark red", "h124"),
    "note": _Tint("dark magenta", "h94"),
    "code": _Tint("dark blue", "h22"),
    "link": _Tint("dark blue", "h25"),
    "keyword": _Tint("dark magenta", "h90"),
    "text": _Tint("dark red", "h94"),
    "name": _Tint("dark blue", "h25"),
    "type": _Tint("dark blue", "h23"),
    "gone": _Tint("dark red", "h124"),
}
_TINTS: Mapping[Theme, Mapping[str, _Tint]] = {"auto": _ON_ANY, "dark": _ON_DARK, "light": _ON_LIGHT, "mono": _ON_ANY}
_DARK_TERMS = ("linux",)  # a console begins black

# role: (tint, settings with it, settings where there is no colour)
_ROLES = {
    "banner.cat": ("own", "", ""),
    "banner.name": ("", "bold", "bold"),
    "dim": ("beside", "", ""),
    "user": ("", "bold", "bold"),
    "user.mark": ("own", "", "bold"),
    "error": ("error", "", "bold"),
    "note": ("note", "", ""),
    "thinking": ("beside", "", ""),
    "found": ("", "standout", "standout"),
    "word": ("", "bold", "bold"),
    "activity": ("own", "", ""),
    "prompt": ("own", "", "bold"),
    "placeholder": ("beside", "", ""),
    "status": ("beside", "", ""),
    "picked": ("", "standout", "standout"),
    # settings of a role inside another are inherited: bold in a heading in a quote stays all three
    "md.heading": ("own", "bold", "bold"),
    "md.emphasis": ("inherit", "italics", "italics"),
    "md.strong": ("inherit", "bold", "bold"),
    "md.strike": ("inherit", "strikethrough", "strikethrough"),
    "md.code": ("code", "", ""),
    "md.link": ("link", "underline", "underline"),
    "md.quote": ("beside", "", ""),
    "md.bullet": ("own", "", ""),
    "md.rule": ("beside", "", ""),
    "md.table": ("beside", "", ""),
    # code that Pygments has coloured stands on md.code; without colour it looks like code without Pygments
    "code.comment": ("beside", "", ""),
    "code.keyword": ("keyword", "", ""),
    "code.type": ("type", "", ""),
    "code.name": ("name", "", ""),
    "code.builtin": ("type", "", ""),
    "code.string": ("text", "", ""),
    "code.escape": ("keyword", "", ""),
    "code.number": ("type", "", ""),
    "code.decorator": ("keyword", "", ""),
    "code.tag": ("name", "", ""),
    "code.attribute": ("type", "", ""),
    "code.inserted": ("code", "", ""),
    "code.deleted": ("gone", "", ""),
}


def palette(theme: Theme, term: str = "") -> list[PaletteEntry]:
    """The roles for a terminal of this name. What has no colour at all takes the settings alone, whatever the theme."""
    tints = _TINTS["dark" if theme == "auto" and term in _DARK_TERMS else theme]
    return [_entry(role, tints.get(tint, _Tint(tint, tint)), *settings) for role, (tint, *settings) in _ROLES.items()]


def _entry(role: str, tint: _Tint, coloured: str, mono: str) -> PaletteEntry:
    named, exact = (",".join(filter(None, (colour, coloured))) for colour in tint)
    return (role, named, _PLAIN, mono or _PLAIN, exact, _PLAIN)
