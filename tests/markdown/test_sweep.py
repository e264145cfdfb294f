from __future__ import annotations

import re

import pytest

from tests.markdown.spec import NAMES, Example, examples
from tests.markdown.sweep import WIDTHS, drawn, sweep


@pytest.mark.parametrize(("name", "count"), [("commonmark", 652), ("gfm", 672)])
def test_every_example_is_drawn_within_each_width_and_loses_no_letter(name: str, count: int):
    result = sweep(examples(name))
    assert result.rendered == count * len(WIDTHS)
    assert result.faults == []


def _without(pattern: str):
    """A renderer that never sees what fits the pattern."""
    return lambda source, width: drawn(re.sub(pattern, "", source), width)


BROKEN = {
    "drops its last line": lambda source, width: drawn(source, width)[:-1],
    "draws its lines upside down": lambda source, width: drawn(source, width)[::-1],
    "drops HTML": _without(r"<[a-z/!][^>]*>"),
    "drops the targets of links": _without(r"\]\([^)]*\)"),
    "drops code": _without(r"`[^`]+`"),
    "drops one letter in a hundred": lambda source, width: drawn(source[:50] + source[51:], width),
    "swaps two letters": lambda source, width: drawn(source[:4] + source[5:6] + source[4:5] + source[6:], width),
    "shows entities of code as letters": lambda source, width: drawn(source.replace("&ouml;", "ö"), width),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_renderer_that_loses_letters_is_found_out(how: str):
    assert all(sweep(examples(name), BROKEN[how]).lost for name in NAMES)


def test_a_row_that_is_too_wide_and_an_exception_are_counted():
    example = [Example("one", "word", "<p>word</p>")]
    assert len(sweep(example, lambda source, width: [source.ljust(width + 1)]).wide_rows) == len(WIDTHS)
    assert len(sweep(example, lambda source, width: [str(1 // 0)]).exceptions) == len(WIDTHS)
