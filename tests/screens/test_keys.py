from __future__ import annotations

import pytest

from mewcode.errors import LLMError
from mewcode.llm.events import StreamEnd, StreamError, TextDelta
from mewcode.llm.messages import TextBlock
from tests.screens.stage import Left, Stage

DONE = StreamEnd("end")


def interrupt(stage: Stage) -> None:
    stage.press("ctrl c")


def with_a_conversation(stage: Stage) -> Stage:
    stage.ask("Hello")
    stage.say(TextDelta("Hi."), DONE)
    return stage


def status(stage: Stage) -> str:
    return stage.rows[-1]


@pytest.mark.parametrize("cancel", [interrupt, lambda stage: stage.press("esc")], ids=["ctrl c", "esc"])
def test_a_running_answer_is_cancelled_and_kept(stage, cancel):
    stage.ask("Count")
    stage.say(TextDelta("one, two"))
    cancel(stage)
    rows = stage.rows
    assert "one, two" in rows
    assert any(row.startswith("Cancelled after") for row in rows)
    assert not any("Imagining" in row for row in rows)
    stage.ask("Go on")
    assert [message.blocks for message in stage.client.asked[1]] == [
        (TextBlock("Count"),),
        (TextBlock("one, two"),),
        (TextBlock("Go on"),),
    ]


@pytest.mark.parametrize("cancel", [interrupt, lambda stage: stage.press("esc")], ids=["ctrl c", "esc"])
def test_cancelling_an_answer_whose_end_is_on_its_way_shows_the_end(stage, cancel):
    stage.ask("Hello")
    stage.client.say(TextDelta("Hi."), DONE)
    cancel(stage)
    assert "Hi." in stage.rows
    assert not any("Imagining" in row or "Cancelled" in row for row in stage.rows)


def test_cancelling_leaves_the_draft_alone(stage):
    stage.ask("Hello")
    stage.say(TextDelta("Hi"))
    stage.type("draft")
    interrupt(stage)
    assert stage.prompt == "draft"
    interrupt(stage)
    assert stage.prompt == ""


def test_a_question_that_is_cancelled_before_anything_came_is_given_back_and_forgotten(stage):
    stage.ask("Hello")
    stage.type("draft")
    stage.press("esc")
    assert stage.prompt == "Hello\ndraft"
    assert not any("❯ Hello" in row for row in stage.rows[:-4])
    interrupt(stage)
    stage.press("up")
    assert stage.prompt == ""
    stage.ask("Again")
    assert [message.blocks for message in stage.client.asked[1]] == [(TextBlock("Again"),)]


def test_ctrl_c_quits_at_once_where_nothing_would_be_lost(stage):
    with pytest.raises(Left):
        interrupt(stage)


def test_ctrl_c_clears_the_prompt_before_it_quits(stage):
    stage.type("draft")
    interrupt(stage)
    assert stage.prompt == ""
    with pytest.raises(Left):
        interrupt(stage)


def test_a_conversation_is_left_with_the_second_ctrl_c(stage):
    interrupt(with_a_conversation(stage))
    assert "Ctrl+C again quits" in status(stage)
    with pytest.raises(Left):
        interrupt(stage)


@pytest.mark.parametrize("size", [(40, 12), (20, 5)])
def test_the_warning_is_shown_in_a_narrow_window_too(staged, size):
    stage = with_a_conversation(staged(size))
    interrupt(stage)
    assert "Ctrl+C again quits" in status(stage)


def test_any_other_key_disarms_ctrl_c(stage):
    interrupt(with_a_conversation(stage))
    stage.press("x", "backspace")
    assert "Ctrl+C" not in status(stage)
    interrupt(stage)
    assert "Ctrl+C again quits" in status(stage)


def test_a_paste_disarms_ctrl_c(stage):
    interrupt(with_a_conversation(stage))
    stage.press("begin paste", "x", "end paste")
    interrupt(stage)
    assert stage.prompt == ""
    interrupt(stage)
    assert "Ctrl+C again quits" in status(stage)


def test_the_warning_goes_when_its_two_seconds_are_over(stage):
    interrupt(with_a_conversation(stage))
    delay, over = stage.after[-1]
    assert delay == 2.0
    over()
    assert "Ctrl+C" not in status(stage)
    interrupt(stage)
    assert "Ctrl+C again quits" in status(stage)


def test_an_old_warnings_end_does_not_take_a_new_one_away(stage):
    interrupt(with_a_conversation(stage))
    _, over = stage.after[-1]
    stage.press("left")
    interrupt(stage)
    over()
    assert "Ctrl+C again quits" in status(stage)


def test_ctrl_d_quits_only_where_the_prompt_is_empty(stage):
    stage.type("ab")
    stage.press("home", "ctrl d")
    assert stage.prompt == "b"
    stage.press("ctrl d")
    assert stage.prompt == ""
    with pytest.raises(Left):
        stage.press("ctrl d")


def test_esc_without_an_answer_does_nothing(stage):
    stage.type("draft")
    before = stage.rows
    stage.press("esc")
    assert stage.rows == before


@pytest.mark.parametrize("text", ["", " ", " \n\t"])
def test_enter_on_blank_text_does_nothing(stage, text):
    stage.press("begin paste", *text.replace("\n", ""), *(["enter"] if "\n" in text else []), "end paste", "enter")
    assert stage.client.asked == []
    assert not any("Imagining" in row for row in stage.rows)


def test_messages_wait_in_sight_while_an_answer_runs_and_are_sent_one_after_the_other(stage):
    for text in ("First", "Second", "Third\nline", "Fourth", "Fifth"):
        stage.type(text.replace("\n", ""))
        stage.press("enter")
    assert stage.prompt == ""
    assert stage.rows[-6:-2] == ["queued: Second", "queued: Thirdline", "queued: Fourth", "and 1 more"]
    for count, text in ((2, "Second"), (3, "Thirdline"), (4, "Fourth"), (5, "Fifth")):
        stage.say(TextDelta("Yes."), DONE)
        assert len(stage.client.asked) == count
        assert f"❯ {text}" in stage.rows
    assert not any("queued" in row for row in stage.rows)


@pytest.mark.parametrize("end", ["cancelled", "failed"])
def test_what_waits_is_given_back_where_the_answer_did_not_come_to_its_end(stage, end):
    stage.ask("First")
    stage.say(TextDelta("Well"))
    stage.ask("Second")
    stage.ask("Third")
    stage.type("draft")
    if end == "failed":
        stage.say(StreamError(LLMError("fake broke.")))
    else:
        stage.press("esc")
    assert stage.prompt == "Second\n\nThird\ndraft"
    assert len(stage.client.asked) == 1
    assert not any("queued" in row for row in stage.rows)


@pytest.mark.parametrize(("text", "told"), [("/nope", "There is no /nope"), ("/help me", "/help stands alone")])
def test_what_is_no_command_is_held_back_and_named(stage, text, told):
    stage.ask(text)
    assert stage.prompt == text
    assert any(told in row for row in stage.rows)
    assert stage.client.asked == []


def test_what_is_no_command_is_named_while_an_answer_runs(stage):
    stage.ask("Hello")
    stage.ask("/nope")
    assert stage.prompt == "/nope"
    assert "There is no /nope" in status(stage)


@pytest.mark.parametrize(
    "ask", [lambda stage: stage.ask("/help"), lambda stage: stage.press("f1")], ids=["/help", "F1"]
)
def test_the_help_is_shown_above_the_answer_that_runs(staged, ask):
    stage = staged((80, 60))
    stage.ask("Hello")
    stage.say(TextDelta("Well"))
    ask(stage)
    rows = stage.rows
    help, answer = next(n for n, row in enumerate(rows) if row.startswith("/exit")), rows.index("Well")
    assert help < answer
    stage.say(TextDelta(", hello."), DONE)
    assert "Well, hello." in stage.rows


@pytest.mark.parametrize("text", ["/etc/hosts is wrong", " /help", "/ is the root", "//comment"])
def test_what_only_looks_like_a_command_is_sent_as_it_is(stage, text):
    stage.ask(text)
    assert [message.blocks for message in stage.client.asked[0]] == [(TextBlock(text),)]


@pytest.mark.parametrize("running", [False, True])
def test_exit_quits(stage, running):
    if running:
        stage.ask("Hello")
    with pytest.raises(Left):
        stage.ask("/exit")


def test_clear_ends_the_running_answer(stage):
    stage.ask("Hello")
    stage.say(TextDelta("Hi"))
    stage.ask("/clear")
    assert not any("Hi" in row or "Imagining" in row for row in stage.rows)
    stage.ask("Anew")
    assert len(stage.client.asked[1]) == 1
