from __future__ import annotations

from urwid.str_util import calc_width

from mewcode.markdown.blocks import Block, TableBlock, text_of
from mewcode.markdown.render import render
from mewcode.markdown.table import layout


def columns(text: str) -> int:
    return calc_width(text, 0, len(text))


def table(source: str) -> TableBlock:
    (block,) = render(source)
    assert isinstance(block, TableBlock)
    return block


def lines(source: str, width: int) -> list[str]:
    return [text_of(block.markup) for block in layout(table(source), width, columns)]


CJK = "| 設定 | Config | % |\n|---|:-:|--:|\n| Alpha | dense | 61.40 |\n| 模型乙 | E | (空) |"


def test_columns_are_shared_by_all_rows_and_count_screen_columns():
    assert lines(CJK, 80) == [
        "設定   │ Config │     %",
        "───────┼────────┼──────",
        "Alpha  │ dense  │ 61.40",
        "模型乙 │   E    │  (空)",
    ]


def test_the_widest_column_gives_way_and_its_cells_wrap():
    assert lines("| key | text |\n|---|---|\n| a | one two three four |\n| b | five |", 17) == [
        "key │ text",
        "────┼────────────",
        "a   │ one two",
        "    │ three four",
        "────┼────────────",
        "b   │ five",
    ]


def test_a_table_too_narrow_for_columns_is_a_list():
    assert lines("| a | b |\n|---|---|\n| one two three | x |\n| second row | y |", 9) == [
        "a: one",
        "two three",
        "b: x",
        "",
        "a: second",
        "row",
        "b: y",
    ]


def test_styles_survive_wrapping():
    blocks = layout(table("| a |\n|---|\n| **one two** `three` |"), 8, columns)
    assert blocks[2:] == [
        Block([("md.strong", "one two")], wrap="any"),
        Block([("md.code", "three")], wrap="any"),
    ]


def test_a_character_is_never_cut_in_two():
    family, flag = "👨‍👩‍👧", "🇨🇦"
    for cell in (family * 9, flag * 9, "e\u0301" * 20, "❤️" * 9):
        shown = lines(f"| a |\n|---|\n| {cell} |", 7)[2:]
        assert "".join(shown) == cell
        assert sum(map(columns, shown)) == columns(cell)
        assert all(columns(line) <= 7 for line in shown)


def test_a_tab_in_a_cell_is_a_blank():
    assert lines("|a\tb|c|\n|---|---|\n|d\t|\te|", 40) == ["a b │ c", "────┼──", "d   │ e"]


def test_a_table_without_rows_shows_its_header_at_any_width():
    assert lines("| one | two |\n|---|---|", 20)[0] == "one │ two"
    assert "".join(lines("| one | two |\n|---|---|", 3)).replace(" ", "").replace(":", "") == "onetwo"
