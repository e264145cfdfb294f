from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from urwid.testing import check_flow_sizing, press, render_text

from mewcode.tui.composer import Composer
from mewcode.tui.editor import EditorError
from mewcode.tui.history import History
from mewcode.tui.paste import Pasted

if TYPE_CHECKING:
    from pathlib import Path

SIZE = (24,)
FAMILY = "👨\u200d👩\u200d👧"


class Writing:
    """A composer, what it has sent, and what it has said. It is emptied after each message."""

    def __init__(self, *entries: str) -> None:
        self.sent: list[str] = []
        self.said: list[str] = []
        self.words: list[str] = []  # what completion knows
        self.left = ""  # what the editor leaves; nothing: it fails
        history = History()
        for entry in entries:
            history.add(entry)
        self.composer = Composer(
            self._send,
            history=history,
            complete=self._complete,
            edit=self._edit,
            note=self.said.append,
            tell=self.said.append,
        )

    def _send(self, text: str) -> None:
        self.sent.append(text)
        self.composer.clear()

    def _complete(self, text: str, cursor: int) -> list[str]:
        return [word for word in self.words if word.startswith(text[:cursor])]

    def _edit(self, text: str) -> str:
        if not self.left:
            raise EditorError("no editor")
        return self.left.replace("$", text)

    def press(self, *keys: str) -> list[str]:
        return press(self.composer, SIZE, *keys)

    def paste(self, text: str) -> None:
        self.press(Pasted(text))

    def rows(self, size: tuple[int] = SIZE) -> list[str]:
        return render_text(self.composer, size, focus=True, strip=True)

    @property
    def text(self) -> str:
        return self.composer.text

    @property
    def cursor(self) -> tuple[int, int] | None:
        coords: tuple[int, int] | None = self.composer.render(SIZE, True).cursor
        return coords


@pytest.fixture
def writing() -> Writing:
    return Writing("first", "second\nof two lines", "third")


LARGE = "".join(f"line {number}\n" for number in range(312))


def test_enter_sends_the_text_and_the_owner_clears_it():
    sent: list[str] = []
    composer = Composer(sent.append)
    press(composer, SIZE, *"hi", "enter")
    assert sent == ["hi"]
    assert composer.text == "hi"
    composer.clear()
    assert composer.text == ""


@pytest.mark.parametrize("key", ["meta enter", "ctrl j", "shift enter"])
def test_a_new_line_does_not_send(writing, key):
    writing.press(*"ab", "left", key)
    assert writing.sent == []
    assert writing.text == "a\nb"
    assert writing.rows() == ["❯ a", "  b"]


@pytest.mark.parametrize(
    ("keys", "text", "sent"),
    [
        ([*"ab\\", "enter"], "ab\n", []),
        ([*"ab\\", "enter", "c", "enter"], "", ["ab\nc"]),
        ([*"a\\", "ctrl j", "b", "up", "end", "enter"], "a\n\nb", []),
        ([*"a\\\\", "enter"], "", ["a\\\\"]),
        ([*"a\\b", "left", "enter"], "", ["a\\b"]),
    ],
)
def test_a_backslash_at_the_end_of_a_line_and_enter_are_a_new_line(writing, keys, text, sent):
    writing.press(*keys)
    assert (writing.text, writing.sent) == (text, sent)


def test_the_placeholder_goes_with_the_first_key(writing):
    assert writing.rows() == ["❯ Ask anything, /help"]
    writing.press("x")
    assert writing.rows() == ["❯ x"]


def test_what_is_inserted_stands_at_the_cursor_as_it_is(writing):
    writing.press(*"ad", "left")
    writing.composer.insert("b\n\tc\n")
    assert writing.text == "ab\n\tc\nd"
    writing.press("x")
    assert writing.text == "ab\n\tc\nxd"


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["ctrl a", "x"], "xone two"),
        (["ctrl b", "ctrl b", "ctrl f", "x"], "one twxo"),
        (["ctrl w"], "one "),
        (["ctrl u"], ""),
        (["ctrl u", "ctrl y"], "one two"),
        (["meta b", "ctrl k"], "one "),
        (["ctrl left", "meta left", "meta d"], " two"),
        (["home", "delete"], "ne two"),
        (["home", "ctrl d"], "ne two"),
        (["home", "ctrl right", "x"], "onex two"),
        (["backspace"], "one tw"),
        (["ctrl t"], "one tow"),
        (["left", "ctrl t", "x"], "one towx"),
        (["home", "ctrl t"], "one two"),
        (["ctrl w", "left", "ctrl w", "ctrl y"], "one "),
        (["ctrl w", "ctrl e", "left", "left", "right", "ctrl u", "ctrl y", "meta y"], "two "),
        (["meta y"], "one two"),
        (["home", "meta u", "meta c"], "ONE Two"),
        (["ctrl w", "ctrl _"], "one two"),
        (["ctrl w", "ctrl x", "ctrl u"], "one two"),
        (["ctrl w", "ctrl _", "meta e"], "one "),
        (["ctrl j", *"three", "home", "x"], "one two\nxthree"),
        (["ctrl j", *"three", "home", "ctrl u"], "one twothree"),
        (["ctrl j", *"three", "up", "end", "ctrl k", "ctrl k", "ctrl y"], "one two\nthree"),
    ],
)
def test_readline_keys_edit_the_text(writing, keys, text):
    writing.press(*"one two", *keys)
    assert writing.text == text


KEYS = (
    *("a", "B", " ", "猫", FAMILY, "e\u0301", "ctrl j", "tab", "backspace", "delete", "left", "right", "home", "end"),
    *("up", "down", "ctrl k", "ctrl u", "ctrl w", "ctrl y", "meta y", "ctrl t", "meta d", "meta u"),
)


@given(st.lists(st.sampled_from(KEYS), max_size=30))
@settings(max_examples=100)
def test_undo_goes_back_to_the_beginning_and_redo_to_the_end(keys):
    writing = Writing()
    writing.press(*keys)
    end = writing.text
    writing.press(*["ctrl _"] * 40)
    assert writing.text == ""
    writing.press(*["meta e"] * 40)
    assert writing.text == end


@pytest.mark.parametrize("cluster", ["猫", FAMILY, "e\u0301", "🇩🇪", "👍🏽", "각"])
def test_a_cluster_is_one_step_for_the_cursor_and_for_backspace(writing, cluster):
    writing.press("a", *cluster, "b", "left", "left", "x")
    assert writing.text == f"ax{cluster}b"
    writing.press("right", "backspace")
    assert writing.text == "axb"


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
    assert writing.rows()[canvas.cursor[1]].endswith("1")


@pytest.mark.parametrize("text", ["", "x" * 40, "猫" * 30, "a\n\tb\n", f"{FAMILY} " * 9, "\x1b[31m\u202e" * 9, LARGE])
@pytest.mark.parametrize("cols", [3, 4, 20, 80])
def test_it_is_as_tall_as_it_says(writing, text, cols):
    writing.paste(text)
    check_flow_sizing(writing.composer, cols=cols)


def test_the_cursor_stands_behind_wide_characters(writing):
    writing.press(*"a猫", "é", "🐱")
    assert writing.cursor == (2 + 1 + 2 + 1 + 2, 0)


@pytest.mark.parametrize(("text", "cursor"), [("x" * 21, (23, 0)), ("x" * 22, (3, 1)), ("x" * 20 + "猫", (4, 1))])
def test_the_cursor_has_a_column_of_its_own_at_the_right_edge(writing, text, cursor):
    writing.press(*text)
    assert writing.cursor == cursor


def test_up_and_down_at_the_edge_walk_through_what_was_sent(writing):
    writing.press(*"draft", "up")
    assert writing.text == "third"
    writing.press("up")
    assert writing.text == "second\nof two lines"
    writing.press("up")  # within the entry
    assert writing.text == "second\nof two lines"
    writing.press("up", "up")
    assert writing.text == "first"
    writing.press("down", "down", "down")
    assert writing.text == "draft"
    writing.press("down", "x")
    assert writing.text == "draftx"


def test_ctrl_p_and_ctrl_n_walk_from_any_row(writing):
    writing.press("ctrl p", "ctrl p", "ctrl p")
    assert writing.text == "first"
    writing.press("ctrl n", "ctrl n")
    assert writing.text == "third"


def test_what_was_changed_on_the_way_stays_until_something_is_sent(writing):
    writing.press("up", "!", "up", "down")
    assert writing.text == "third!"
    writing.press("enter", "up", "up")
    assert writing.sent == ["third!"]
    assert writing.text == "third"


def test_a_prompt_is_in_the_history_before_it_is_sent_and_can_be_taken_out():
    seen: list[list[str]] = []
    composer = Composer(lambda text: seen.append([*composer.history.entries]))
    press(composer, SIZE, *"hi", "enter")
    assert seen == [["hi"]]
    composer.history.forget_last()
    assert [*composer.history.entries] == []


def test_ctrl_r_searches_backwards_while_the_words_are_typed(writing):
    writing.press(*"draft", "ctrl r", *"ir")
    assert writing.composer.searching
    assert writing.rows() == ["❯ search: ir  third"]
    assert writing.cursor == (2 + len("search: ir"), 0)
    writing.press("ctrl r")
    assert writing.rows() == ["❯ search: ir  first"]
    writing.press("ctrl s")
    assert writing.rows() == ["❯ search: ir  third"]
    writing.press("s")
    assert writing.rows() == ["❯ search: irs  first"]
    writing.press("backspace")
    assert writing.rows() == ["❯ search: ir  third"]
    writing.press("ctrl r", "enter")
    assert (writing.text, writing.sent, writing.composer.searching) == ("first", [], False)


@pytest.mark.parametrize("key", ["esc", "ctrl g"])
def test_leaving_the_search_leaves_the_draft(writing, key):
    writing.press(*"draft", "left", "ctrl r", *"first", key, "x")
    assert writing.text == "drafxt"
    assert writing.said == []


def test_a_search_says_what_it_has_not_found_and_takes_nothing(writing):
    writing.press(*"draft", "ctrl r", *"nowhere")
    assert writing.rows((60,)) == ["❯ search: nowhere  (nothing found)"]
    writing.press("enter")
    assert writing.text == "draft"


def test_another_key_takes_what_was_found_and_does_its_own(writing):
    writing.press("ctrl r", *"sec", "ctrl a", "x")
    assert writing.text == "second\nxof two lines"


def test_clearing_ends_a_search(writing):
    writing.press("ctrl r", *"sec")
    writing.composer.clear()
    writing.press(*"abc")
    assert writing.text == "abc"


@pytest.mark.parametrize("keys", [["ctrl g"], ["ctrl x", "ctrl e"]])
def test_the_editor_gets_the_draft_and_gives_it_back(writing, keys):
    writing.left = "edited $"
    writing.press(*"draft", *keys)
    assert (writing.text, writing.sent) == ("edited draft", [])
    writing.press("ctrl _")
    assert writing.text == "draft"


def test_a_failing_editor_leaves_the_draft(writing):
    writing.press(*"draft", "ctrl g")
    assert (writing.text, writing.said) == ("draft", ["No editor."])


def test_ctrl_x_is_forgotten_with_the_next_key(writing):
    writing.press("ctrl x", "a", "ctrl e", "b")
    assert (writing.text, writing.said) == ("ab", [])


def test_a_large_paste_is_one_line_and_sent_exactly(writing):
    writing.press(*"see ")
    writing.paste(LARGE)
    writing.press(*" please")
    assert writing.rows((60,)) == ["❯ see [pasted 312 lines, 3 kB] please"]
    writing.press("enter")
    assert writing.sent == [f"see {LARGE} please"]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("a\n" * 11, "[pasted 11 lines, 22 bytes]"),
        ("x" * 1001, "[pasted 1 line, 1 kB]"),
        ("猫" * 2000, "[pasted 1 line, 6 kB]"),
        ("x" * 1_000_000, "[pasted 1 line, 1.0 MB]"),
    ],
)
def test_a_fold_says_how_much_it_is(writing, text, label):
    writing.paste(text)
    assert writing.rows((60,)) == [f"❯ {label}"]


@pytest.mark.parametrize("text", ["\n".join("abcdefghij"), "x" * 1000, "a\tb  \n"])
def test_a_small_paste_stays_as_it_is(writing, text):
    writing.composer.limit = 30
    writing.paste(text)
    assert not any("pasted" in row for row in writing.rows((80,)))
    assert writing.text == text


def test_a_fold_is_one_character_for_the_cursor_and_for_backspace(writing):
    writing.press("a")
    writing.paste(LARGE)
    writing.press("b", "left", "left", "x", "right", "y")
    assert writing.text == f"ax{LARGE}yb"
    writing.press("backspace", "left", "right", "backspace")
    assert writing.text == "axb"
    writing.press("ctrl _")
    assert writing.text == f"ax{LARGE}b"


def test_a_fold_outlives_kill_and_yank_and_a_walk_through_the_history(writing):
    writing.paste(LARGE)
    writing.press("ctrl u", "ctrl y", "ctrl y", "ctrl p", "ctrl n")
    assert writing.text == LARGE * 2


@pytest.mark.parametrize("keys", [[], ["left"], [*" and more"]])
def test_ctrl_o_unfolds_and_leaves_the_cursor_behind_the_text(writing, keys):
    text = "\n".join(map(str, range(20)))
    writing.paste(text)
    writing.press(*keys)
    after = writing.text
    writing.press("ctrl o")
    assert writing.text == after
    assert [row.strip("❯ ").split()[0] for row in writing.rows()] == [*map(str, range(12, 20))]
    writing.press("x")
    assert writing.text == after.replace("19", "19x")


def test_ctrl_o_unfolds_the_nearest_before_the_cursor(writing):
    texts = ["a\n" * 12, "b\n" * 12, "c\n" * 12]
    for text in texts:
        writing.paste(text)
    writing.press("left", "ctrl o", "home", "backspace")
    assert writing.text == texts[0] + texts[1] + texts[2][:-1]


def test_ctrl_o_without_a_fold_does_nothing(writing):
    writing.press(*"abc", "ctrl o")
    assert writing.text == "abc"


def test_what_is_too_long_to_be_shown_stays_folded_and_says_so(writing):
    writing.paste("x" * 100_000)
    writing.press("ctrl o")
    assert writing.rows((60,)) == ["❯ [pasted 1 line, 100 kB]"]
    assert "Ctrl+G" in writing.said[0]


@pytest.mark.parametrize("character", ["\U0010f000", "\U0010fffd"])
def test_a_text_with_the_characters_of_folds_is_sent_exactly(writing, character):
    writing.paste(LARGE)
    writing.paste(f"<{character}>")
    writing.composer.insert(character)
    assert writing.text == f"{LARGE}<{character}>{character}"


def test_what_a_terminal_may_not_get_shows_as_marks_and_is_sent_exactly(writing):
    text = "a\x1b[31mb\u202ec\x07\u200bd 👩\u200d🚀"
    writing.paste(text)
    assert writing.rows((60,)) == ["❯ a␛[31mb<U+202E>c␇<U+200B>d 👩\u200d🚀"]
    writing.press("home", "right", "right", "x", "end", "enter")
    assert writing.sent == [text.replace("\x1b", "\x1bx")]


def test_control_characters_can_be_deleted_and_brought_back(writing):
    writing.paste("a\x1b\tb")
    writing.press("ctrl u", "ctrl y")
    assert writing.text == "a\x1b\tb"


def test_what_is_restored_stands_before_what_was_typed_meanwhile(writing):
    writing.composer.restore("queued")
    assert writing.text == "queued"
    writing.composer.clear()
    writing.press(*"typed", "left")
    writing.composer.restore("one\ntwo")
    writing.press("x")
    assert writing.text == "one\ntwo\ntypexd"


def test_tab_completes_what_they_have_in_common_and_then_each(writing):
    writing.words = ["/mode", "/model ", "/mouse "]
    writing.press(*"/m", "tab")
    assert writing.text == "/mo"
    writing.press("tab")
    assert writing.text == "/mode"
    writing.press("tab", "tab")
    assert writing.text == "/mouse "
    assert writing.said[-1] == "/mode  /model  /mouse"
    writing.press(*"on", "enter")
    assert writing.sent == ["/mouse on"]


def test_tab_completes_before_the_cursor_and_keeps_what_follows(writing):
    writing.words = ["/save notes.md"]
    writing.press(*"/save n", *"xyz", "left", "left", "left", "tab", "!")
    assert writing.text == "/save notes.md!xyz"


@pytest.mark.parametrize(
    ("keys", "text"), [([*"one"], "one"), ([], ""), ([*"a", "ctrl j"], "a\n\t"), ([*"a", "ctrl j", " "], "a\n \t")]
)
def test_tab_without_a_completion_indents_and_does_nothing_else(writing, keys, text):
    writing.press(*keys, "tab")
    assert writing.text == text


def test_a_file_keeps_the_history(tmp_path: Path):
    first = Composer(lambda text: None, history=History(tmp_path / "history"))
    press(first, SIZE, *"one", "ctrl j", *"two", "enter")
    second = Composer(lambda text: None, history=History(tmp_path / "history"))
    press(second, SIZE, "up")
    assert second.text == "one\ntwo"
