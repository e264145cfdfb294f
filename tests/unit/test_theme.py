from __future__ import annotations

import itertools

import pytest
import urwid
from urwid.testing import resolve_attr

from mewcode.config.settings import THEMES
from mewcode.tui.theme import palette

BACKGROUNDS = {"auto": ("black", "white"), "dark": ("black",), "light": ("white",), "mono": ("black", "white")}
ROLES = [entry[0] for entry in palette("auto")]
LIGHT = {"black": 0.0, "white": 1.0}
LEAST = {16: 3.5, 256: 4.0}  # to one; WCAG asks for 3 of large letters and for 4.5 of small ones


def luminance(red, green, blue):
    """WCAG 2.2: of 0 to 255 each."""
    parts = [v / 255 / 12.92 if v / 255 <= 0.04045 else ((v / 255 + 0.055) / 1.055) ** 2.4 for v in (red, green, blue)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(one, other):
    lighter, darker = max(one, other), min(one, other)
    return (lighter + 0.05) / (darker + 0.05)


def foreground(entry, colours):
    """A role's colour as red, green and blue, each None for the terminal's own."""
    words = (entry[4] if colours == 256 else entry[1]).removeprefix("inherit")
    return urwid.AttrSpec(words.strip(",") or "default", "default", colours).get_rgb_values()


@pytest.mark.parametrize("colours", [16, 256])
@pytest.mark.parametrize("theme", THEMES)
def test_every_role_can_be_read_on_every_background_that_the_theme_is_for(theme, colours):
    poor = {}
    for entry, ground in itertools.product(palette(theme), BACKGROUNDS[theme]):
        red, green, blue, *_ = foreground(entry, colours)
        if red is None:
            continue
        found = contrast(luminance(red, green, blue), LIGHT[ground])
        if found < LEAST[colours]:
            poor[entry[0], ground] = round(found, 2)
    assert poor == {}


def test_a_console_is_black():
    assert palette("auto", "linux") == palette("dark")


def test_without_colour_all_themes_are_one():
    themes = [{role: resolve_attr(role, palette(theme), colors=1) for role in ROLES} for theme in THEMES]
    assert all(theme == themes[0] for theme in themes)
