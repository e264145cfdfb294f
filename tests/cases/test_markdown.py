"""Answers that Markdown renderers have spoilt, streamed whole, letter by letter and cut after each line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from urwid.str_util import calc_width
from urwid.testing import render_runs

from mewcode.text import clean
from tests.cases.case import Case
from tests.markdown.growing import Growing

if TYPE_CHECKING:
    from collections.abc import Iterator

HOW = {
    "whole": lambda text: [len(text)],
    "letter by letter": lambda text: range(1, len(text) + 1),
    "line by line": lambda text: [found.end() for found in re.finditer("\n", text)],
}
streamed = pytest.mark.parametrize("how", HOW)


def frames(text: str, how: str, width: int = 80) -> Iterator[list[str]]:
    """The lines after each delta, and at the end."""
    growing = Growing()
    for _ in growing.frames(text, HOW[how](text)):
        yield growing.lines(width)


def at_end(text: str, how: str, width: int = 80) -> list[str]:
    return list(frames(text, how, width))[-1]


def columns(text: str) -> int:
    return calc_width(text, 0, len(text))


def bars(line: str) -> list[int]:
    """The screen columns of the bars of a table."""
    return [columns(line[: found.start()]) for found in re.finditer("[│┼]", line)]


@streamed
def test_c069_1_all_bars_of_a_table_are_in_the_same_columns_in_every_frame(how: str):
    for lines in frames(Case("C069").text("body.md"), how):
        assert len({tuple(bars(line)) for line in lines if bars(line)}) <= 1
    assert sum(bool(bars(line)) for line in lines) == 5


@streamed
def test_c069_2_no_row_of_the_table_is_missing(how: str):
    _, _, *rows = at_end(Case("C069").text("body.md"), how)
    assert [re.split(" *│ *", row) for row in rows] == [
        ["Alpha (old)", "dense", "61.40", "×"],
        ["模型乙", "small", "(空)", "✓"],
        ["接続できません", "E-7", "+3.05", "😀"],
    ]


@streamed
@pytest.mark.parametrize("width", [40, 30, 20, 10])
def test_c069_3_in_a_narrow_window_no_cell_is_lost(how: str, width: int):
    text = Case("C069").text("body.md")
    lines = at_end(text, how, width)
    assert all(columns(line) <= width for line in lines)
    shown = "".join(lines)
    for character in set(text) - set("|:- \n"):
        assert shown.count(character) >= text.count(character)


@streamed
def test_c071_1_every_word_and_bracket_is_shown(how: str):
    shown = "\n".join(at_end(Case("C071").text("body.md"), how))
    for wanted in Case("C071").text("must-show.txt").splitlines():
        assert wanted.removeprefix("\\<foo\\> shown as ") in shown
    assert "Vec<u8>" in shown
    assert "<details>" in shown
    assert "hidden?\n</details>" in shown
    assert "<!-- note -->" in shown


@streamed
def test_c071_2_entities_are_letters_in_text_and_as_written_in_code(how: str):
    assert "Escaped <foo> and <bar>, <b> &copy; ©" in at_end(Case("C071").text("body.md"), how)
    assert at_end("`&lt;b&gt;`\n\n    &amp;\n", how) == ["&lt;b&gt;", "", "&amp;"]


def test_c071_3_an_answer_is_nothing_but_text_on_the_screen():
    growing = Growing()
    list(growing.frames(Case("C071").text("body.md"), [40, 200]))
    for row in growing.rows:
        for run in row.render((80,)).content():
            assert all(isinstance(text, bytes) and charset is None for _, charset, text in run)


CODE = [
    *("def f(): return snake_case_name", "```sh", "echo `id` **not bold** <x>", "tilde ``` inside"),
    *("int open_fence = 1; /* never closed */", "# not a heading"),
]


def test_c072_1_a_line_of_code_is_complete_at_every_cut():
    text = Case("C072").text("body.md")
    for end in HOW["line by line"](text):
        growing = Growing()
        growing.grow(text[:end])
        shown = [line.strip() for line in growing.lines(80)]
        for line in CODE:
            if line in text[:end]:
                assert line in shown


@streamed
def test_c072_1_a_line_of_code_that_was_shown_stays_and_has_no_emphasis(how: str):
    text, before = Case("C072").text("body.md"), set[str]()
    growing = Growing()
    for _ in growing.frames(text, HOW[how](text)):
        now = set(growing.lines(80))
        assert before <= now
        before = {line for line in now if line.strip() in CODE}
    assert len(before) == len(CODE)
    (row,) = (row for row in growing.rows if "not bold" in row.render((80,)).text[0].decode())
    styles = [str(style) for style, text in render_runs(row, (80,))[0] if text.strip()]
    assert all("md.code" in style and "md.strong" not in style for style in styles)


@streamed
def test_c072_2_names_products_and_formulas_keep_all_their_characters(how: str):
    lines = at_end(Case("C072").text("body.md"), how)
    assert "snake_case_name and __init__.py and 2 * 3 * 4 and a*b*c" in lines
    assert "\\[ x_1^2 + \\frac{a}{b} \\] and $x_1 * y_1$ and $5 and $6" in lines


@streamed
def test_c072_3_numbers_depths_and_the_inner_fence_are_those_of_the_source(how: str):
    lines = at_end(Case("C072").text("body.md"), how)
    assert lines[:8] == [
        *("7. seven", "8. eight", "   • a", "     • b", "       • c", "         • d", "           • e"),
        "             • f",
    ]
    assert [line for line in lines if "```" in line] == ["```sh", "```", "tilde ``` inside"]
    assert lines[-4:] == ["c:", "int open_fence = 1; /* never closed */", "", "# not a heading"]
    assert "☐ todo" in lines
    assert "☑ done" in lines


@streamed
@pytest.mark.parametrize("width", [80, 20, 3])
def test_c064_1_all_visible_words_are_there(how: str, width: int):
    text = Case("C064").text("body.md")
    for lines in frames(text, how, width):
        shown = "".join(lines)
    for word in re.findall(r"\w+", clean(text.replace("```", ""))):
        assert word in re.sub(r"\s", "", shown)


@streamed
def test_c064_2_tabs_in_code_line_up(how: str):
    lines = at_end(Case("C064").text("body.md"), how)
    at = lines.index("make:")
    assert lines[at + 1 : at + 5] == [
        "all:    main.o",
        "        cc -o all main.o",
        "                # deep",
        "x       y       z",
    ]


@streamed
def test_c064_3_no_control_character_reaches_the_screen(how: str):
    for lines in frames(Case("C064").text("body.md"), how):
        assert re.findall(r"[\x00-\x1f\x7f-\x9f]", "".join(lines)) == []
