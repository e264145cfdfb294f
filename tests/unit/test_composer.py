from __future__ import annotations

import pytest
from urwid.testing import check_flow_sizing, press, render_text

from mewcode.tui.composer import Composer
from mewcode.tui.view import View

SIZE = (20,)


class Writing:
    """A composer, and what it has sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.composer = Composer(self.sent.append)

    def press(self, *keys: str) -> list[str]:
        return press(self.composer, SIZE, *keys)

    def rows(self, size: tuple[int] = SIZE) -> list[str]:
        return render_text(self.composer, size, focus=True, strip=True)


@pytest.fixture
def writing() -> Writing:
    return Writing()


def test_enter_sends_the_text_and_the_owner_clears_it(writing):
    writing.press(*"hi", "enter")
    assert writing.sent == ["hi"]
    assert writing.composer.text == "hi"
    writing.composer.clear()
    assert writing.composer.text == ""


@pytest.mark.parametrize("key", ["meta enter", "ctrl j", "shift enter"])
def test_a_new_line_does_not_send(writing, key):
    writing.press(*"ab", "left", key)
    assert writing.sent == []
    assert writing.composer.text == "a\nb"
    assert writing.rows() == ["❯ a", "  b"]


def test_the_placeholder_goes_with_the_first_key(writing):
    assert writing.rows() == ["❯ Ask anything,"]
    writing.press("x")
    assert writing.rows() == ["❯ x"]


def test_what_is_inserted_stands_at_the_cursor_as_it_is(writing):
    writing.press(*"ad", "left")
    writing.composer.insert("b\n\tc\n")
    assert writing.composer.text == "ab\n\tc\nd"
    writing.press("x")
    assert writing.composer.text == "ab\n\tc\nxd"


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["ctrl a", "x"], "xone two"),
        (["ctrl w"], "one "),
        (["ctrl u"], ""),
        (["ctrl u", "ctrl y"], "one two"),
        (["meta b", "ctrl k"], "one "),
        (["home", "delete"], "ne two"),
        (["backspace"], "one tw"),
        (["tab"], "one two\t"),
    ],
)
def test_readline_keys_edit_the_text(writing, keys, text):
    writing.press(*"one two", *keys)
    assert writing.composer.text == text


def test_backspace_removes_a_whole_character(writing):
    writing.press(*"猫", "👨\u200d👩\u200d👧", "backspace")
    assert writing.composer.text == "猫"


def test_it_grows_to_its_limit_and_scrolls_with_the_cursor(writing):
    writing.composer.limit = 3
    for number in range(9):
        writing.composer.insert(f"{number}\n")
    canvas = writing.composer.render(SIZE, True)
    assert canvas.rows() == 3
    assert writing.rows()[1:] == ["  8", ""]
    assert canvas.cursor == (2, 2)
    writing.press(*["up"] * 8)
    canvas = writing.composer.render(SIZE, True)
    assert canvas.cursor is not None
    assert render_text(writing.composer, SIZE, focus=True, strip=True)[canvas.cursor[1]].endswith("1")


@pytest.mark.parametrize("text", ["", "x" * 40, "猫" * 30, "a\n\tb\n", "👨\u200d👩\u200d👧 " * 9])
@pytest.mark.parametrize("cols", [3, 4, 20, 80])
def test_it_is_as_tall_as_it_says(writing, text, cols):
    writing.composer.insert(text)
    check_flow_sizing(writing.composer, cols=cols)


@pytest.mark.parametrize(("size", "limit"), [((80, 24), 8), ((40, 12), 4), ((20, 5), 1), ((200, 60), 20)])
def test_it_takes_a_third_of_the_window_at_most_and_shows_its_cursor(size, limit):
    view = View(lambda text: None, {}, lambda: None)
    view.composer.insert("\n".join(map(str, range(100))))
    canvas = view.render(size, True)
    rows = [row.rstrip() for row in canvas.decoded_text]
    assert canvas.cursor == (4, size[1] - 2)
    assert rows[-2].endswith("99")
    assert sum(row.strip("❯ ").isdigit() for row in rows) == limit


def test_the_cursor_stands_behind_wide_characters(writing):
    writing.press(*"a猫", "é", "🐱")
    assert writing.composer.render(SIZE, True).cursor == (2 + 1 + 2 + 1 + 2, 0)
