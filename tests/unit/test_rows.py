from __future__ import annotations

from urwid.testing import check_flow_sizing, render_runs, render_text

from mewcode.markdown.blocks import Block, Lead
from mewcode.markdown.render import render
from mewcode.tui.rows import rows_of


def drawn(source: str, width: int) -> list[str]:
    return [line for row in rows_of(render(source)) for line in render_text(row, (width,), strip=True)]


def test_text_wraps_right_of_its_leads():
    assert drawn("12. one two three\n    - four five", 16) == ["12. one two", "    three", "    • four five"]


def test_a_word_longer_than_the_window_is_cut_and_loses_nothing():
    assert drawn("- see abcdefghijklmnopqrstuvwxyz", 12) == ["• see abcdef", "  ghijklmnop", "  qrstuvwxyz"]
    assert drawn("你好" * 6 + "!", 7) == ["你好你", "好你好", "你好你", "好你好!"]


def test_a_task_shows_its_box_and_wraps_beside_it():
    assert drawn("- [ ] one two\n- [x] three", 7) == ["☐ one", "  two", "☑ three"]
    assert drawn("3. [x] four five", 12) == ["3. ☑ four", "     five"]


def test_a_lead_for_every_row_is_repeated():
    (row,) = rows_of([Block("one two three", (Lead("> ", "md.quote", every_row=True), Lead("* ", "md.bullet")))])
    assert render_text(row, (14,), strip=True) == ["> * one two", ">   three"]


def test_leads_and_markup_keep_their_styles():
    (row,) = rows_of([Block(["a ", ("md.strong", "b")], (Lead("• ", "md.bullet"),))])
    assert render_runs(row, (5,)) == [[("md.bullet", "• "), (None, "a "), ("md.strong", "b")]]


def test_deep_lists_leave_room_for_text_and_show_the_innermost_mark():
    deep = "\n".join("  " * depth + f"- level{depth}" for depth in range(9))
    assert drawn(deep, 80)[8] == " " * 16 + "• level8"
    assert drawn(deep, 20)[8] == " " * 8 + "• level8"
    assert drawn(deep, 10)[-2:] == ["   • level", "     8"]


def test_tabs_line_up_in_code():
    assert drawn("- a\n\n  ```\n  x\ty\n  xyz\tz\n  ```", 40)[2:] == ["  x       y", "  xyz     z"]


def test_a_table_is_laid_out_beside_its_leads_at_each_width():
    (row,) = rows_of(render("- | a | b |\n  |---|---|\n  | one two | x |"))
    assert render_text(row, (30,), strip=True) == ["• a       │ b", "  ────────┼──", "  one two │ x"]
    assert render_text(row, (11,), strip=True) == ["• a: one", "  two", "  b: x"]


def test_rows_keep_their_promises_at_the_usual_widths():
    source = "# 設定\n\n- 👨‍👩‍👧 **a**\n  > q\n\n```\nx\t\n```\n\n| a | 模型 |\n|---|--:|\n| 1 | 2 |"
    for row in rows_of(render(source)):
        for cols in (2, 3, 20, 80):
            check_flow_sizing(row, cols=cols)
