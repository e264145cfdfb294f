from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from urwid.str_util import calc_width
from urwid.testing import check_flow_sizing, render_text

from mewcode.markdown.blocks import AnyBlock, Block, TableBlock, text_of
from mewcode.markdown.render import render
from mewcode.markdown.table import layout
from mewcode.tui.rows import Row, rows_of
from tests.markdown.growing import Growing

LINES = [
    *("para", "two words", "# h", "- a", "  - b", "* c", "1. one", "2) x", "10. ten", "    code", "\tx", "-", "1."),
    *("```", "```py", "~~~", "````", "   ```", "> q", "> - x", "> ```", ">", "***", "---", "===", "_ _ _"),
    *("| a | b |", "|---|--:|", "| 1 |", "| 設定 | 2 | 👨‍👩‍👧 |", "|-", "a | b", "- | -", "<div>", "<!-- c", "-->"),
    *("[a]: http://x", "[a][a]", "[^1]: n", "**b", "b**", "`c", "- [ ] t", "\u00a0", "a  ", "\\", "<b>x", "\x0b"),
    *(
        "",
        "",
        "",
        "   ",
        "  text",
        "     deep",
        "\x85",
        "é",
        "你好 world",
        "https://x.y/z",
        "$a*b*c$",
        "\\[ x",
        "\\]",
        "$$",
        "&#27;",
        "- `a",
        "> - | a |",
        "[a](b",
        "**注意：**请",
        "12. x",
    ),
]
ENDS = ["\n", "\n", "\n\n", "\n\n", "\r\n", "\n \n"]
documents = st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(ENDS)).map("".join), max_size=12).map("".join)
widths = st.integers(1, 120)
words = st.text("abcXYZ019äß设定", min_size=1, max_size=9)


def columns(text: str) -> int:
    return calc_width(text, 0, len(text))


def drawn(rows: list[Row]) -> list[str]:
    return [line for row in rows for line in render_text(row, (40,), strip=True)]


def said(blocks: list[AnyBlock]) -> str:
    """What blocks say, their leads left out."""
    parts: list[str] = []
    for block in blocks:
        match block:
            case Block(markup=markup):
                parts.append(text_of(markup))
            case TableBlock(header=header, rows=rows):
                parts += [text_of(cell) for row in (header, *rows) for cell in row]
    return " ".join(parts)


@given(st.text(max_size=200) | documents, widths)
@settings(max_examples=300, deadline=None)
def test_any_text_is_drawn_within_any_width(source: str, width: int):
    for row in rows_of(render(source)):
        check_flow_sizing(row, cols=width)
        assert all(columns(line) <= width for line in render_text(row, (width,)))


@given(st.lists(st.lists(st.text(max_size=20), min_size=3, max_size=3), min_size=1, max_size=4), st.integers(2, 120))
@settings(max_examples=300, deadline=None)
def test_no_line_of_a_table_is_wider_than_its_width(rows: list[list[str]], width: int):
    cells = [tuple("".join(char for char in cell if char.isprintable()) for cell in row) for row in rows]
    table = TableBlock(cells[0], tuple(cells[1:]), ("left", "center", "right"))
    blocks = layout(table, width, columns)
    assert all(columns(text_of(block.markup)) <= width for block in blocks)
    letters = "".join(char for row in cells[1:] for cell in row for char in cell if char.isalnum())
    if any("─" in text_of(block.markup) for block in blocks) and width >= 80:
        shown = sorted(char for block in blocks for char in text_of(block.markup) if char.isalnum())
        assert shown == sorted(letters + "".join(char for cell in cells[0] for char in cell if char.isalnum()))


BLOCKS = [
    *("{}", "# {}", "**{}** *{}*", "- {}\n- {}\n  - {}", "3. {}\n\n4. {}", "> {}\n> > {}", "```\n{}\n\n  {}\n```"),
    *(
        "| {} | {} |\n|---|---|\n| {} |",
        "- [x] {}\n\n  {}",
        "{} `{}`  \n{}",
        "    {}",
        "<p>{}\n</p>",
        "~~{}~~ [{}](#{})",
    ),
]


@given(st.lists(st.tuples(st.sampled_from(BLOCKS), st.lists(words, min_size=3, max_size=3)), max_size=6))
@settings(max_examples=200, deadline=None)
def test_no_word_is_lost_and_none_changes_its_place(parts: list[tuple[str, list[str]]]):
    source = "\n\n".join(form.format(*given_words) for form, given_words in parts)
    left = said(render(source))
    for form, given_words in parts:
        for word in given_words[: form.count("{}")]:
            before, found, left = left.partition(word)
            assert found, (word, before)


@given(documents, st.lists(st.integers(1, 60), max_size=80))
@settings(max_examples=800, deadline=None)
def test_a_settled_row_is_never_replaced_and_all_rows_together_are_those_of_the_whole(source: str, cuts: list[int]):
    screen, end = Growing(), 0
    for cut in cuts:
        end += cut
        screen.grow(source[:end])
    screen.finish(source)
    assert drawn(screen.rows) == drawn(rows_of(render(source)))
    assert len(screen.settled) == len(screen.rows)


@given(documents)
@settings(max_examples=60, deadline=None)
def test_streamed_letter_by_letter_every_frame_is_drawn_and_the_last_is_the_whole(source: str):
    screen = Growing()
    for end in range(len(source) + 1):
        screen.grow(source[:end])
        assert all(columns(line) <= 30 for row in screen.rows[-2:] for line in render_text(row, (30,)))
    screen.finish(source)
    assert drawn(screen.rows) == drawn(rows_of(render(source)))
