from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from urwid.testing import render_text

from mewcode.markdown.render import render
from mewcode.tui.answer import Answer
from mewcode.tui.rows import Row, rows_of

SOURCE = "# Head\n\nSome *text*.\n\n- a\n- b\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend"


def drawn(rows: list[Row]) -> list[str]:
    return [line for row in rows for line in render_text(row, (40,), strip=True)]


class Growing:
    """An answer, and the rows that its callers hold."""

    def __init__(self) -> None:
        self.answer = Answer()
        self.rows: list[Row] = []

    def grow(self, text: str) -> int:
        return self._apply(*self.answer.grow(text))

    def finish(self, text: str) -> int:
        return self._apply(*self.answer.finish(text))

    def _apply(self, keep: int, rows: list[Row]) -> int:
        self.rows[keep:] = rows
        return keep


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


def test_an_answer_without_text_has_no_rows():
    growing = Growing()
    growing.finish("")
    assert growing.rows == []
