from __future__ import annotations

import pytest

from mewcode.markdown.blocks import BLANK, Block, Lead, TableBlock, text_of
from mewcode.markdown.render import render

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
        r"so \( a_1 \\ \{b\} \) and $\{x_1, x_2\}$ and $$ a_1 * b_1 * c $$",
        "2*3*4 and a*b*c and x**2 + y**2 and 2**n and snake_case_name",
        "[text][label] and [text][]",
        "as in [1] and [^2]",
        "[1]: http://a.b",
        "[^2]: the note",
        "&#27;[31m and &#x202e; and &nothing; and AT&T",
        "array[0][1]",
    ],
)
def test_what_is_not_markdown_is_shown_as_it_is_written(source: str):
    assert text(source) == source


def test_formulas_over_several_lines_keep_what_would_begin_a_list_or_a_heading():
    for source in ("\\[\nx\n= a\n+ b \\\\\n- c\n\\]", "$$\n# a\n---\n$$"):
        assert render(f"So:\n{source}\n**then**") == [
            Block("So:"),
            BLANK,
            Block(source),
            BLANK,
            Block(("md.strong", "then")),
        ]


def test_a_formula_without_an_end_ends_at_a_blank_line():
    assert render("$$\n*a*\n\n*b*")[2:] == [Block(("md.emphasis", "b"))]


def test_emphasis_works_beside_punctuation_in_scripts_without_spaces():
    assert render("**注意：**请看**「这」**吧") == [
        Block([("md.strong", "注意："), "请看", ("md.strong", "「这」"), "吧"])
    ]


def test_what_the_parser_would_put_in_another_order_stays_where_it_is():
    assert render("> q\n- x\n```\ny\n```") == [
        Block(("md.quote", "q"), (QUOTE,)),
        BLANK,
        Block("x", (BULLET,)),
        BLANK,
        *code("y"),
    ]
    assert render("> q\n# h") == [Block(("md.quote", "q"), (QUOTE,)), BLANK, Block(("md.heading", "# h"))]


def test_an_entity_is_as_written_in_code():
    assert render("`&lt;`") == [Block(("md.code", "&lt;"))]
    assert render("    &lt;") == code("&lt;")


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
    source = "```text title=a.txt\nif x:\n\n\treturn **y**\n```"
    assert render(source) == [Block(("md.rule", "text title=a.txt:")), *code("if x:", "", "\treturn **y**")]
    assert render("    one\n      two") == code("one", "  two")
    assert render("~~~\n``` inside\n~~~") == code("``` inside")


def test_an_open_fence_is_code_to_the_end():
    assert render("```\na\n\n# b") == code("a", "", "# b")


def test_a_fence_ends_with_as_many_of_its_own_marks():
    assert render("````\n```\nx\n```\n````") == code("```", "x", "```")
    assert render("```\nx\n````  \n\ny") == [*code("x"), BLANK, Block("y")]
    assert render("~~~\nx\n```\n~~~") == code("x", "```")


def test_code_in_a_list_and_in_a_quote_keeps_its_indentation():
    assert render("- a\n\n  ```\n  x\n    \ty\n  ```")[2:] == [
        Block(("md.code", "x"), (INDENT,), wrap="any"),
        Block(("md.code", "  \ty"), (INDENT,), wrap="any"),
    ]
    assert render("> ```\n>  x\n> ```") == [Block(("md.quote", ("md.code", " x")), (QUOTE,), wrap="any")]


def test_finished_code_of_a_known_language_is_coloured_and_keeps_every_character():
    label, first, blank, last = render("```Python\ndef f(x):\n\n\treturn 'é\t\\n'  # ok\n```")
    assert label == Block(("md.rule", "Python:"))
    assert isinstance(first, Block)
    assert first.markup == ("md.code", [("code.keyword", "def"), " ", ("code.name", "f"), "(x):"])
    assert isinstance(last, Block)
    assert text_of(last.markup) == "\treturn 'é\t\\n'  # ok"
    assert blank == Block(("md.code", ""), wrap="any")


def test_a_tight_list_is_tight_and_a_loose_one_is_loose():
    a, b, c = (Block(letter, (BULLET,)) for letter in "abc")
    assert render("- a\n- b") == [a, b]
    assert render("- a\n\n- b\n- c") == [a, BLANK, b, c]
    assert render("- a\n* b") == [a, BLANK, b]


@pytest.mark.parametrize(
    ("source", "marks"),
    [
        ("9. a\n10. b", ["9. ", "10. "]),
        ("3) a", ["3) "]),
        ("07. a\n08. b", ["07. ", "08. "]),
        ("1. a\n3. b\n10. c", ["1. ", "3. ", "10. "]),
        ("1. a\n1. b\n1. c", ["1. ", "2. ", "3. "]),
        ("0. a\n0. b", ["0. ", "1. "]),
        ("2. a\n2) b", ["2. ", "2) "]),
    ],
)
def test_numbers_are_those_of_the_source_unless_it_does_not_count(source: str, marks: list[str]):
    assert [block.leads[0].text for block in render(source) if block != BLANK] == marks


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
    leads = [
        block.leads[0].text for block in render("- [ ] a\n- [x] b\n- [X] c\n  - [ ] d\n3. [x] e") if block != BLANK
    ]
    assert leads == ["☐ ", "☑ ", "☑ ", "  ", "3. ☑ "]
    assert render("- [ ]") == [Block("[ ]", (BULLET,))]


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
