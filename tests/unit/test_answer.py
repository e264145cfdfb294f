from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urwid.testing import render_text

from mewcode.markdown.render import render
from mewcode.tui.rows import Row, rows_of
from tests.markdown.growing import Growing

SOURCE = "# Head\n\nSome *text*.\n\n- a\n- b\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend"


def drawn(rows: list[Row]) -> list[str]:
    return [line for row in rows for line in render_text(row, (40,), strip=True)]


@given(
    pieces=st.lists(
        st.sampled_from(["# h\n", "a *b*", "\n", "\n\n", "- x\n", "  - y\n", "> q\n", "```\n", "| a |\n|-|\n"])
    ),
)
def test_the_finished_answer_is_the_whole_text_rendered_once(pieces):
    growing, text = Growing(), ""
    for piece in pieces:
        text += piece
        growing.grow(text)
    growing.finish(text)
    assert drawn(growing.rows) == drawn(rows_of(render(text)))


def test_each_letter_is_shown_as_it_comes():
    growing = Growing()
    for end in range(1, 6):
        growing.grow("Hello"[:end])
        assert drawn(growing.rows) == ["Hello"[:end]]


def test_what_is_settled_keeps_its_rows():
    growing = Growing()
    growing.grow("one\n\ntwo\n\nthr")
    first = growing.rows[:3]
    growing.grow("one\n\ntwo\n\nthree\n\nfour")
    growing.finish("one\n\ntwo\n\nthree\n\nfour")
    assert [a is b for a, b in zip(growing.rows, first, strict=False)] == [True, True, True]


def test_only_the_last_lines_of_a_growing_listing_are_made_anew():
    growing, text = Growing(), "```\n"
    for number in range(50):
        text += f"line {number}\n"
        kept = growing.grow(text)
    assert kept >= 48


def test_blocks_stand_apart_while_they_grow_as_they_do_at_the_end():
    growing = Growing()
    for end in range(1, len(SOURCE) + 1):
        growing.grow(SOURCE[:end])
    before = drawn(growing.rows)
    assert growing.finish(SOURCE) == len(growing.rows)
    assert drawn(growing.rows) == before


def test_items_of_a_list_settle_one_by_one():
    growing, text = Growing(), ""
    for number in range(1, 30):
        text += f"{number}. an item\n   - with another\n"
        growing.grow(text)
        assert growing.answer.settled == 2 * (number - 1)


def test_the_lines_of_open_code_stand_from_the_first_on():
    growing = Growing()
    for end in range(len("say\n```py\n")):
        growing.grow("say\n```py\n"[:end])
        assert growing.text in ("", *("say"[:length] for length in (1, 2, 3)))
    growing.grow("say\n```py\n")
    assert growing.text == "say\n\npy:"
    rows = growing.rows[:]
    growing.grow("say\n```py\n# a\n\n**b** ``")
    assert growing.rows[:3] == rows
    assert growing.text == "say\n\npy:\n# a\n\n**b** ``"
    growing.grow("say\n```py\n# a\n\n**b** ``\n``")
    assert growing.text == "say\n\npy:\n# a\n\n**b** ``"


def test_a_table_waits_until_its_last_row_is_known():
    growing = Growing()
    source = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n"
    shown = []
    for end in range(1, len(source) + 1):
        growing.grow(source[:end])
        shown += [growing.text] if growing.text not in shown else []
    assert shown == ["", "table", "table: 1 row so far", "table: 2 rows so far", "a │ b\n──┼──\n1 │ 2\n3 │ 4"]


def test_an_answer_that_ends_in_a_table_shows_it():
    growing = Growing()
    growing.grow("| a |\n|---|\n| 1")
    growing.finish("| a |\n|---|\n| 1")
    assert growing.text == "a\n─\n1"


@pytest.mark.parametrize(
    "source",
    [
        "a **bold** and *thin* and `code()` and ~~gone~~ word",
        "**注意：**请看 **「这」** 吧",
        'see [the docs](http://a.b/c_d "T") and ![a cat](cat.png), [1] or a[0][1] now',
        "AT&T &amp; &lt;b&gt; <b>x</b> <http://a.b> https://x.y/z, too",
        "2*3*4, x**2 + y**2, snake_case_name, __init__.py",
        r"so \( a_1 \\ b \), \[ x_1^2 \] and $$ y_1 * z_1 $$ \*done\*",
        "# A **bold** heading\n\n## `f()`",
        "Text:\n- a **b**\n- [ ] c\n- [x] d\n  1. e\n  10. f\n* g\n\n2024 was a year",
        "> a *b*\n> - c\n\n---\n\n***\n\nend",
        "~~~\n- a\n# b\n1. c\n~~~\n\n    indented\n\nend",
        "one  \ntwo\\\nthree\nfour",
    ],
)
def test_what_is_shown_keeps_its_place_while_the_rest_of_its_line_comes(source: str):
    growing = Growing()
    shown = []
    for end in range(1, len(source) + 1):
        growing.grow(source[:end])
        shown.append(growing.text.rstrip())
    growing.finish(source)
    assert [text for text in shown if not growing.text.startswith(text)] == []
    assert len(growing.text) - len(shown[-1]) <= 12  # nearly all of it came before the end


def test_a_delta_costs_the_same_however_long_the_answer_is():
    growing, text, made = Growing(), "", []
    for _ in range(300):
        text += "Some *words* here.\n\n- item\n- item\n\n"
        keep, rows = growing.answer.grow(text)
        made.append(len(rows))
    assert max(made) == made[5]
    assert keep > 1000


def test_an_answer_without_text_has_no_rows():
    growing = Growing()
    growing.finish("")
    assert growing.rows == []
