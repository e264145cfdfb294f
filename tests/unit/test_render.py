from __future__ import annotations

import pytest

from mewcode.markdown.blocks import BLANK, Block, Lead, TableBlock, text_of
from mewcode.markdown.render import LIMIT, render

BULLET = Lead("• ", "md.bullet")
INDENT = Lead("  ", "md.bullet")
QUOTE = Lead("  ", "md.quote", every_row=True)


def text(source: str) -> str:
    (block,) = render(source)
    assert isinstance(block, Block)
    return text_of(block.markup)


def code(*lines: str) -> list[Block]:
    return [Block(("md.code", line), wrap="any") for line in lines]


@pytest.mark.parametrize(
    ("source", "markup"),
    [
        ("plain", "plain"),
        ("## Title ##", ("md.heading", "## Title")),
        ("Title\n===", ("md.heading", "# Title")),
        ("a *b* c", ["a ", ("md.emphasis", "b"), " c"]),
        ("**b *i***", ("md.strong", ["b ", ("md.emphasis", "i")])),
        ("~~gone~~", ("md.strike", "gone")),
        ("`<x> &lt; *y*`", ("md.code", "<x> &lt; *y*")),
        ("[docs](http://a.b/c)", ["docs (", ("md.link", "http://a.b/c"), ")"]),
        ('[docs](/c "The title")', ["docs (", ("md.link", '/c "The title"'), ")"]),
        ("[http://a.b](http://a.b)", ("md.link", "http://a.b")),
        ("<http://a.b>", ("md.link", "http://a.b")),
        ("<me@a.b>", ("md.link", "me@a.b")),
        ("**http://a.b/c_d_e**", ("md.strong", ("md.link", "http://a.b/c_d_e"))),
        ("[页](http://a.b/中文)", ["页 (", ("md.link", "http://a.b/中文"), ")"]),
        ("![a cat](cat.png)", ["a cat (", ("md.link", "cat.png"), ")"]),
        ("one  \ntwo\\\nthree\nfour", "one\ntwo\nthree\nfour"),
        ("***", ("md.rule", "─" * 12)),
    ],
)
def test_one_block_becomes_its_markup(source: str, markup: object):
    (block,) = render(source)
    assert isinstance(block, Block)
    assert block.markup == markup


@pytest.mark.parametrize(
    "source",
    [
        "Vec<String> and <package name>, <b>bold</b>",
        "<details>\n  <summary>More</summary>\n</details>",
        "<!-- a comment that never ends",
        "snake_case_name and 2 * 3 * 4",
        r"\[ x_1^2 + \frac{a*b*c}{d} \] and $x_1 * y_1$ and $5 and $6",
        "as in [1] and [^2]",
        "[1]: http://a.b",
        "[^2]: the note",
        "&#27;[31m and &#x202e; and &nothing; and AT&T",
        "array[0][1]",
    ],
)
def test_what_is_not_markdown_is_shown_as_it_is_written(source: str):
    assert text(source) == source


def test_entities_are_letters_in_text():
    assert text("&lt;b&gt; &amp;copy; &copy;") == "<b> &copy; ©"


def test_a_dunder_name_is_strong_and_keeps_its_underscores():
    assert render("in __init__.py") == [Block(["in ", ("md.strong", "__init__"), ".py"])]


def test_control_characters_become_marks_wherever_they_are():
    for source in ("a\x1b[2Jb", "`a\x1b[2Jb`", "# a\x1b[2Jb", "[x](a\x1b[2Jb)"):
        assert "\x1b" not in text(source)
        assert "␛" in text(source)


def test_blocks_stand_apart_by_one_blank_row_and_none_at_the_ends():
    assert render("\n\none\n\n\n\n# two\nthree\n\n") == [
        Block("one"),
        BLANK,
        Block(("md.heading", "# two")),
        BLANK,
        Block("three"),
    ]
    assert render("") == render("\n \n") == []


def test_code_keeps_every_character_and_its_label():
    source = "```py title=a.py\nif x:\n\n\treturn **y**\n```"
    assert render(source) == [Block(("md.rule", "py title=a.py:")), *code("if x:", "", "\treturn **y**")]
    assert render("    one\n      two") == code("one", "  two")
    assert render("~~~\n``` inside\n~~~") == code("``` inside")


def test_an_open_fence_is_code_to_the_end():
    assert render("```\na\n\n# b") == code("a", "", "# b")


def test_a_tight_list_is_tight_and_a_loose_one_is_loose():
    tight = [Block("a", (BULLET,)), Block("b", (BULLET,))]
    assert render("- a\n- b") == tight
    assert render("- a\n\n- b") == [tight[0], BLANK, tight[1]]


def test_numbers_are_those_of_the_source_and_stand_right():
    leads = [block.leads[0].text for block in render("9. a\n10. b")]
    assert leads == [" 9. ", "10. "]
    assert [block.leads[0].text for block in render("3) a")] == ["3) "]


def test_only_the_first_block_of_an_item_has_its_mark():
    assert render("- a\n\n  b\n  - c") == [
        Block("a", (BULLET,)),
        BLANK,
        Block("b", (INDENT,)),
        Block("c", (INDENT, BULLET)),
    ]
    assert render("- - a") == [Block("a", (BULLET, BULLET))]
    assert render("-") == [Block("", (BULLET,))]


def test_tasks_show_whether_they_are_done():
    leads = [block.leads[0].text for block in render("- [ ] a\n- [x] b")]
    assert leads == ["[ ] ", "[x] "]


def test_quotes_are_indented_and_styled_in_every_depth():
    assert render("> a\n>\n> > b") == [
        Block(("md.quote", "a"), (QUOTE,)),
        BLANK,
        Block(("md.quote", ("md.quote", "b")), (QUOTE, QUOTE)),
    ]


def test_a_table_with_uneven_rows_is_padded_and_loses_no_cell():
    assert render("| a | b |\n|:-:|--:|\n| 1 |\n| `x\\|y` | 2 | 3 |") == [
        TableBlock(
            ("a", "b", ""),
            (("1", "", ""), (("md.code", "x|y"), "2", "3")),
            ("center", "right", "left"),
        )
    ]


def test_a_break_tag_breaks_the_line_of_a_cell():
    (table,) = render("| a |\n|---|\n| x<br>y `<br>` |")
    assert isinstance(table, TableBlock)
    assert table.rows == ((["x\ny ", ("md.code", "<br>")],),)


def test_a_table_ends_where_its_bars_end():
    assert render("| a |\n|---|\n| 1 |\nafter")[1:] == [BLANK, Block("after")]
    assert render("a\n---|---") == [Block("a\n---|---")]


def test_a_very_long_text_is_not_parsed():
    blocks = render("*a*\n" * (LIMIT // 4 + 1))
    assert blocks[0] == Block("*a*")
