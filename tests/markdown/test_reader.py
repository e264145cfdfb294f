from __future__ import annotations

import pytest

from mewcode.markdown.blocks import Block, text_of
from mewcode.markdown.lines import LIMIT, begun, lines_of
from mewcode.markdown.parts import Code, Heading, Item, Literal, Paragraph, Part, Placed, Quote, Table
from mewcode.markdown.reader import Reader
from mewcode.markdown.render import render
from mewcode.tui.answer import Answer
from mewcode.tui.rows import TextRow
from tests.markdown.growing import Growing
from tests.markdown.letters import letters


def read(text: str) -> list[Part]:
    reader = Reader()
    for line, _ in lines_of(text, whole=True):
        reader.feed(line)
    return [placed.part for placed in reader.end()]


def growing(text: str) -> tuple[list[Part], list[Part]]:
    """What is settled of a text, and what is shown of the rest."""
    reader, at = Reader(), 0
    for line, end in lines_of(text):
        reader.feed(line)
        at = end
    settled = [placed.part for placed in reader.take()]
    return settled, [placed.part for placed in reader.peek(begun(text, at))]


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("one\n\n", 1),
        ("one\n\ntwo", 1),
        ("# a\n\ntwo\n\nthree\nfour", 2),
        ("# a\n# b\n", 1),
        ("```\na\n\nb\n```\n", 1),
        ("| a |\n|---|\n| 1 |\n\n| b", 1),
        ("| a |\n|---|\n| 1 |\nafter", 0),
        ("| a |\n|---|\n| 1 |\nafter\n", 1),
        ("> a\n\n> b", 1),
        ("- a\n- b\n", 1),
        ("- a\n  - b\n  - c\n- d\n", 1),
        ("- a\n- b\n\nThe next\n", 2),
        ("1. a\n\n   ```\n   x\n   ```\n\nAfter\n", 1),
        ("<!-- open\n\ntext", 1),
        ("a\nb\n===\n", 1),
    ],
)
def test_a_block_is_settled_as_soon_as_a_line_has_ended_it(text: str, settled: int):
    assert len(growing(text)[0]) == settled


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one",
        "one\n",
        "one\n ",
        "```\na\n\nb\n\n",
        "```\na\n``",
        "- a\n\n",
        "- a\n\n  b\n\n",
        "    code\n\n",
        "> a\nlazy\n",
    ],
)
def test_what_may_still_change_is_not_settled(text: str):
    assert growing(text)[0] == []


@pytest.mark.parametrize(
    "begun_line",
    [
        *"-*+_=#`~>|:1",
        "--",
        "- ",
        "12",
        "12.",
        "1. ",
        "- [",
        "- [ ",
        "- [x] ",
        "``",
        "```p",
        "~~~~ x",
        "| a",
        "> - ",
        "  ",
    ],
)
def test_a_line_that_may_become_anything_is_not_shown(begun_line: str):
    assert growing(f"one\n\n{begun_line}")[1] == []
    _, (paragraph,) = growing(f"one\n{begun_line}")
    assert paragraph == Paragraph("one")


@pytest.mark.parametrize("line", ["a", "2024 was", "-1", "**b", "#tag", "`x", "1.5", "[x](", "a | b"])
def test_a_line_that_has_said_what_it_is_is_shown(line: str):
    assert growing(f"one\n\n{line}")[1] != []


def test_in_code_only_what_may_end_it_waits():
    assert growing("```\n- ")[1] == [Code(("- ",), growing=True)]
    assert growing("~~~\n``")[1] == [Code((), growing=True)]


def test_the_header_of_a_table_waits_for_its_delimiters_and_the_table_for_its_end():
    assert growing("So:\n| a | b |\n")[1] == [Paragraph("So:")]
    assert growing("So:\n| a | b |\n|--")[1] == [Paragraph("So:")]
    assert growing("So:\n| a | b |\n|--|--|\n| 1")[1] == [Table(("| a | b |", "|--|--|"), growing=True)]
    assert growing("So:\n| a | b |\nand")[1] == [Paragraph("So:\n| a | b |\nand")]


def test_a_paragraph_may_go_on_without_the_marks_around_it():
    assert read("> a\nb") == [Quote((Placed(Paragraph("a\nb"), gap=False),))]
    assert read("- > a\nb\n- c")[0] == Item("• ", (Placed(Quote((Placed(Paragraph("a\nb"), gap=False),)), gap=False),))
    assert read("> a\n\nb") == [Quote((Placed(Paragraph("a"), gap=False),)), Paragraph("b")]


def test_below_a_number_of_two_digits_a_list_may_be_indented_as_below_one_digit():
    nested = Item(
        "10. ", (Placed(Paragraph("a"), gap=False), Placed(Item("• ", (Placed(Paragraph("b"), gap=False),)), gap=False))
    )
    assert read("10. a\n   - b") == read("10. a\n    - b") == [nested]
    assert [type(part) for part in read("   10. a\n   11. b")] == [Item, Item]


def test_tabs_indent_to_the_next_multiple_of_four():
    assert read("\tx") == read("  \tx") == [Code(("x",), fenced=False)]
    assert read("-\t\tx") == [Item("• ", (Placed(Code(("  x",), fenced=False), gap=False),))]
    assert read("- a\n\n\t\tx")[0] == Item(
        "• ", (Placed(Paragraph("a"), gap=False), Placed(Code(("  x",), fenced=False), gap=True))
    )
    assert read("```\n\tx\ty\n```") == [Code(("\tx\ty",))]


def test_a_formula_may_interrupt_a_paragraph_and_ends_at_its_mark():
    assert read("so\n\\[\n- a\n\\]\nthen") == [Paragraph("so"), Literal("\\[\n- a\n\\]"), Paragraph("then")]
    assert read("so\n$$ a $$ then") == [Paragraph("so\n$$ a $$ then")]


def test_line_ends_of_every_kind_are_the_same():
    assert read("# a\r\nb\r\n\r\nc") == [Heading(1, "a"), Paragraph("b"), Paragraph("c")]
    assert growing("a\r")[1] == [Paragraph("a")]


def test_quotes_and_lists_deeper_than_anybody_reads_are_text():
    for mark in ("> ", "- ", "1. "):
        (block,) = render(mark * 500 + "word")
        assert len(block.leads) < 30


@pytest.mark.parametrize(
    "text",
    ["word " * 5_000, "x" * 20_000, "a line of it\n" * 2_000, "- " + "item " * 5_000, "> a\n" + "lazy\n" * 4_000],
)
def test_long_lines_and_paragraphs_are_read_in_pieces_and_lose_nothing(text: str):
    answer, made = Answer(), []
    for end in range(0, len(text), 997):
        _, rows = answer.grow(text[:end])
        made.append(sum(len(row.text) for row in rows if isinstance(row, TextRow)))
    assert max(made) <= 4 * LIMIT
    said = "".join(text_of(block.markup) for block in render(text) if isinstance(block, Block))
    assert letters(said) == letters(text)


def test_a_piece_of_a_long_line_begins_nothing():
    text = "It is so - really - 1. or 2. " * 400
    assert {type(part) for part in read(text)} == {Paragraph}


def test_a_table_ends_where_another_block_begins():
    for after in ("> q | r", "- x | y", "# h | i", "```"):
        table, *rest = read(f"| a |\n|---|\n| 1 |\n{after}")
        assert table == Table(("| a |", "|---|", "| 1 |"))
        assert len(rest) == 1


def test_what_comes_after_a_million_characters_is_shown_as_it_is_written():
    listing = "~~~\n" + ("x" * 2_999 + "\n") * 333 + "~~~\n"
    source = listing + "Some *words*.\n" * 2 + "y" * 3_000 + "\n\n# Some *words*."
    growing = Growing()
    list(growing.frames(source, range(len(listing), len(source) + 1)))
    assert growing.lines(3_000)[-6:] == ["Some words.", "Some words.", "", "y" * 3_000, "", "# Some *words*."]
    assert render(source)[-1] == Block(("md.code", "# Some *words*."), wrap="any")
