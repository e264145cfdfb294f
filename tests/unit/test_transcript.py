from __future__ import annotations

import urwid
from urwid.testing import render_text

from mewcode.tui.transcript import Transcript

SIZE = (20, 5)


def tall(name: str, count: int) -> list[urwid.Text]:
    return [urwid.Text(f"{name} {number}") for number in range(count)]


class Reading:
    def __init__(self) -> None:
        self.transcript = Transcript(urwid.Text("[tail]"))

    @property
    def rows(self) -> list[str]:
        self.transcript.fit(SIZE)
        return render_text(self.transcript, SIZE, strip=True)

    def press(self, *keys: str) -> None:
        for key in keys:
            _ = self.rows
            self.transcript.scroll(key)


def test_what_is_appended_stands_above_the_tail():
    reading = Reading()
    reading.transcript.append(tall("old", 2))
    reading.transcript.append(tall("new", 1))
    assert reading.rows == ["old 0", "old 1", "new 0", "[tail]", ""]


def test_the_open_answer_is_replaced_from_the_row_that_changed():
    reading = Reading()
    reading.transcript.append(tall("old", 1))
    reading.transcript.replace_open(0, tall("a", 2))
    reading.transcript.replace_open(1, tall("b", 1))
    assert reading.rows == ["old 0", "a 0", "b 0", "[tail]", ""]


def test_it_follows_the_newest_text_from_the_start():
    reading = Reading()
    reading.transcript.append(tall("old", 9))
    reading.transcript.replace_open(0, tall("new", 9))
    assert reading.rows == ["new 5", "new 6", "new 7", "new 8", "[tail]"]


def test_a_reader_who_scrolled_up_stays_where_he_is_when_rows_are_replaced_or_go():
    reading = Reading()
    reading.transcript.append(tall("old", 9))
    reading.transcript.replace_open(0, tall("new", 9))
    reading.press("page up")
    before = reading.rows
    reading.transcript.replace_open(0, tall("new", 40))
    assert reading.rows == before
    reading.transcript.replace_open(6, [])
    assert not reading.transcript.following
    assert reading.rows[0] == before[0]


def test_a_reader_of_rows_that_are_gone_sees_the_last_of_those_that_are_left():
    reading = Reading()
    reading.transcript.append(tall("old", 9))
    reading.transcript.replace_open(0, tall("new", 40))
    reading.press("page up")
    reading.transcript.replace_open(0, tall("new", 2))
    assert reading.rows[-1] == "[tail]"
    assert "new 1" in reading.rows


def test_home_and_end_reach_both_ends():
    reading = Reading()
    reading.transcript.append(tall("old", 30))
    reading.press("home")
    assert reading.rows[0] == "old 0"
    assert not reading.transcript.following
    reading.press("end")
    assert reading.rows[-1] == "[tail]"
    assert reading.transcript.following


def test_a_key_that_does_not_scroll_is_left_alone():
    assert not Reading().transcript.scroll("x")


def test_an_emptied_transcript_is_only_its_tail():
    reading = Reading()
    reading.transcript.append(tall("old", 30))
    reading.press("home")
    reading.transcript.clear()
    assert reading.rows == ["[tail]", "", "", "", ""]
    assert reading.transcript.following
