from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mewcode.llm.events import StreamEnd, TextDelta
from tests.screens.anchors import kept, view
from tests.screens.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

DONE = StreamEnd("end")
LINES = "\n".join(f"line {number}  " for number in range(40))
PROSE = " ".join(f"word{number}" for number in range(120))


def streaming(stage: Stage, text: str = LINES) -> Stage:
    stage.ask("Tell me")
    stage.say(TextDelta(text))
    return stage


def test_the_view_follows_the_answer(stage):
    streaming(stage)
    assert view(stage)[-3:] == ["line 39", "", "Imagining… (0s)"]
    stage.say(TextDelta("\nline 40"))
    assert view(stage)[-3] == "line 40"


def test_a_reader_who_scrolled_up_is_not_disturbed(stage):
    streaming(stage)
    stage.press("page up")
    before = view(stage)
    for piece in ("\n\nmore", " of *it", "*\n\n- a\n- b", "\n\n| a | b |\n|---|---|\n| 1 | 2 |", "\n\nend"):
        stage.say(TextDelta(piece))
        assert view(stage) == before
    stage.say(DONE)
    assert view(stage) == before
    assert "↓ End" in stage.rows[-1]


def test_a_message_that_waited_is_sent_without_disturbing_a_reader_and_one_of_now_is_shown(stage):
    streaming(stage)
    stage.ask("And then?")
    stage.press("page up")
    before = view(stage)[:-1]  # the waiting one stands below it
    stage.say(DONE)
    assert len(stage.client.asked) == 2
    assert view(stage)[: len(before)] == before
    assert "↓ End" in stage.rows[-1]
    stage.say(DONE)
    stage.ask("What now?")
    assert "❯ What now?" in view(stage)


def test_a_reader_who_scrolled_up_sees_that_the_answer_still_runs(stage):
    streaming(stage)
    assert "Imagining" not in stage.rows[-1]
    stage.press("page up")
    assert "Imagining… (" in stage.rows[-1]
    assert "↓ End" in stage.rows[-1]
    stage.say(DONE)
    assert "Imagining" not in stage.rows[-1]


@pytest.mark.parametrize("back", [("end",), ("page down",) * 3, ("shift down",) * 40])
def test_scrolled_back_to_the_end_it_follows_again(stage, back):
    streaming(stage)
    stage.press("page up", *back)
    assert "↓ End" not in stage.rows[-1]
    stage.say(TextDelta("\nlast"))
    assert view(stage)[-3] == "last"


def test_a_reader_within_one_long_paragraph_is_not_disturbed(staged):
    stage = streaming(staged((40, 12)), PROSE)
    stage.press("shift up", "shift up", "shift up")
    before = view(stage)
    stage.say(TextDelta(" and" * 100))
    assert view(stage) == before


@settings(max_examples=40)
@given(
    ups=st.lists(st.sampled_from(["page up", "shift up", "home", "shift down"]), min_size=1, max_size=12),
    first=st.lists(
        st.sampled_from(["word " * 30, "\n\n", "- item\n", "```\ncode\n", "# head\n", "a\nb\nc\n"]), max_size=12
    ),
    more=st.lists(
        st.sampled_from(["word " * 9, "\n\n", "\n- item", "\n```\n", "\n# head", "\n| a |\n|---|\n"]), max_size=8
    ),
)
def test_wherever_a_reader_is_the_growing_answer_leaves_the_rows_alone(ups, first, more):
    stage = streaming(Stage((40, 12)), LINES + "\n\n" + "".join(first))
    stage.press(*ups)
    if "↓ End" in stage.rows[-1]:
        finished = view(stage)
        for piece in more:
            stage.say(TextDelta(piece))
        shown = view(stage)
        settled = [row for row in finished if row.startswith("line ")]
        assert [row for row in shown if row.startswith("line ")][: len(settled)] == settled
        assert shown.index(settled[0]) == finished.index(settled[0]) if settled else True
    stage.close()


def test_the_own_message_is_shown_even_to_a_reader_who_scrolled_up(stage):
    streaming(stage)
    stage.say(DONE)
    stage.press("page up", "page up")
    stage.ask("Next")
    assert "❯ Next" in view(stage)


def test_a_resize_keeps_the_end_in_view(stage):
    streaming(stage)
    for size in ((40, 12), (20, 5), (200, 60), (80, 24)):
        stage.resize(size)
        assert "Imagining… (0s)" in view(stage)


@pytest.mark.parametrize("size", [(60, 24), (80, 12), (200, 60), (30, 40)])
def test_a_resize_keeps_the_last_line_in_view(stage, size):
    streaming(stage)
    stage.press("page up", "shift up")
    before = view(stage)
    stage.resize(size)
    assert before[-1] in view(stage)
    whole = stage.chat.view.transcript.following  # all of it is in view
    stage.resize((80, 24))
    assert view(stage) == before or whole


def test_a_resize_and_back_shows_the_same_rows(stage):
    streaming(stage)
    stage.press("page up")
    before = view(stage)
    stage.resize((80, 24))
    assert view(stage) == before


@pytest.mark.parametrize("key", ["page up", "page down", "shift up", "shift down", "home", "end"])
def test_scrolling_where_all_is_in_view_changes_nothing(stage, key):
    before = stage.rows
    stage.press(key)
    assert stage.rows == before


def test_scrolling_keys_work_while_a_message_is_written(stage):
    streaming(stage)
    stage.type("draft")
    stage.press("page up")
    assert "↓ End" in stage.rows[-1]
    assert stage.prompt == "draft"


def test_home_and_end_move_the_cursor_where_there_is_text(stage: Stage):
    stage.type("bc")
    stage.press("home")
    stage.type("a")
    assert stage.prompt == "abc"


def test_clear_starts_anew(stage, staged: Callable[..., Stage]):
    streaming(stage)
    stage.press("page up")
    stage.ask("/clear")
    assert not any("line" in row for row in stage.rows)
    assert "↓ End" not in stage.rows[-1]
    stage.ask("Who are you?")
    assert [[block.text for block in message.blocks] for message in stage.client.asked[1]] == [["Who are you?"]]


@pytest.mark.parametrize("seed", range(10))
def test_the_line_that_is_read_stays_through_streaming_switching_and_resizing(seed):
    assert kept(seed)


def test_alt_t_pressed_while_reading_leaves_the_view_alone(stage):
    streaming(stage)
    stage.press("page up")
    before = view(stage)
    stage.press("meta t")
    assert view(stage) == before
