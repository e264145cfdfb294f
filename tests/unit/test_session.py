from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from mewcode.errors import BadRequest, ContextTooLong, Overloaded, ServerError, StreamInterrupted
from mewcode.llm.events import (
    Cancelled,
    Retrying,
    StreamEnd,
    TextDelta,
    ThinkingComplete,
    ThinkingDelta,
    ToolCallComplete,
    ToolCallStart,
)
from mewcode.llm.messages import ApiMessage, Origin, TextBlock, ThinkingBlock, Usage
from mewcode.session import Session
from mewcode.stops import stop_note
from tests.fakes.scripted import CONFIG, PATIENCE, Scripted, Wakes, client_of

END = StreamEnd("end", "stop", Usage(3, 5))


class Asked:
    """A session on a script, and the means to wait for its events."""

    def __init__(self, *scripts, config=CONFIG):
        self.provider, self.wakes = Scripted(*scripts), Wakes()
        self.session = Session(client_of(self.provider, config), self.wakes)

    def ask(self, text="q", *, events=0):
        """Ask, and wait until so many events more are queued."""
        return self.wait(lambda: self.session.ask(text), events)

    def wait(self, act, events):
        """Do it, and wait until so many events more are queued."""
        already = self.wakes.count
        answer_id = act()
        assert self.wakes.wait_for(already + events)
        return answer_id

    def all(self, act, events):
        """Do it, and apply the answer that follows."""
        self.wait(act, events)
        self.session.pump()
        assert not self.session.running


def said(session):
    return [(message.role, message.text, message.status) for message in session.conversation.snapshot()]


def test_before_the_first_question_there_is_nothing():
    session = Asked([END]).session
    assert (session.running, session.phase, session.pump(), session.cancel()) == (False, "idle", False, False)
    with pytest.raises(LookupError):
        session.answer()


def test_an_answer_grows_with_each_pump_and_is_complete_at_its_end():
    pause = threading.Event()
    asked = Asked([TextDelta("a"), TextDelta("b"), pause, TextDelta("c"), END])
    answer_id, session = asked.ask(events=2), asked.session
    assert (session.running, session.phase, session.answer().status) == (True, "waiting", "streaming")
    assert session.pump()
    assert (session.answer().text, session.phase) == ("ab", "writing")
    assert not session.pump()
    pause.set()
    assert asked.wakes.wait_for(4)
    assert session.pump()
    answer = session.answer()
    assert (answer.id, answer.text, answer.status, answer.usage) == (answer_id, "abc", "complete", END.usage)
    assert answer.origin == Origin("scripted", "", "script-1")
    assert answer.elapsed is not None
    assert (session.running, session.phase) == (False, "idle")


def test_thinking_is_kept_for_the_model_and_out_of_the_text():
    block = ThinkingBlock("hm", "sig")
    pause = threading.Event()
    asked = Asked([ThinkingDelta("hm"), pause, ThinkingComplete(block), TextDelta("a"), END])
    asked.ask(events=1)
    asked.session.pump()
    assert asked.session.phase == "thinking"
    pause.set()
    assert asked.wakes.wait_for(4)
    asked.session.pump()
    assert asked.session.answer().blocks == (block, TextBlock("a"))


def test_what_a_chat_cannot_use_changes_nothing():
    asked = Asked([Retrying(2, 10, 0.1, ServerError("x")), ToolCallComplete("t", "n", {}), TextDelta("a"), END])
    asked.ask(events=4)
    asked.session.pump()
    assert asked.session.answer().blocks == (TextBlock("a"),)


def test_cancelling_keeps_what_was_queued_and_ends_the_answer_at_once():
    asked = Asked([TextDelta("a"), TextDelta("b"), threading.Event()], [TextDelta("c"), END])
    asked.ask(events=2)
    assert asked.session.cancel()
    answer = asked.session.answer()
    assert (answer.text, answer.status, asked.session.running) == ("ab", "cancelled", False)
    assert not asked.session.cancel()


def test_a_turn_that_had_ended_is_not_cancelled_any_more():
    asked = Asked([TextDelta("a"), END])
    asked.ask(events=2)
    assert not asked.session.cancel()
    assert asked.session.answer().status == "complete"


def test_what_a_cancelled_turn_still_says_does_not_reach_the_next_answer():
    asked = Asked([TextDelta("a"), threading.Event()], [TextDelta("b"), END])
    first = asked.ask("q1", events=1)
    asked.session.cancel()
    assert asked.wakes.wait_for(2)  # its Cancelled
    asked.ask("q2", events=2)
    asked.session.pump()
    assert (asked.session.conversation.get(first).text, asked.session.answer().text) == ("a", "b")


def test_the_question_after_a_cancelled_answer_sends_what_was_kept():
    asked = Asked([TextDelta("half"), threading.Event()], [END])
    asked.ask("q1", events=1)
    asked.session.cancel()
    asked.ask("q2")
    assert asked.wakes.wait_for(3)
    messages = asked.provider.requests[-1].messages
    assert [(message.role, message.blocks) for message in messages] == [
        ("user", (TextBlock("q1"),)),
        ("assistant", (TextBlock("half"),)),
        ("user", (TextBlock("q2"),)),
    ]


@pytest.mark.parametrize(("text", "status"), [([TextDelta("half")], "interrupted"), ([], "error")])
def test_a_failed_answer_is_interrupted_with_text_and_an_error_without(text, status):
    error = BadRequest("no")
    asked = Asked([*text, error])
    answer_id = asked.ask(events=len(text) + 1)
    asked.session.pump()
    assert (asked.session.answer().status, asked.session.running) == (status, False)
    assert asked.session.failure(answer_id) is error
    assert asked.session.note(answer_id) is None


def test_the_question_after_a_failed_one_is_sent_with_it():
    asked = Asked([BadRequest("no")], [TextDelta("a"), END])
    asked.ask("q1", events=1)
    asked.session.pump()
    asked.ask("q2", events=2)
    asked.session.pump()
    assert said(asked.session) == [
        ("user", "q1", "complete"),
        ("assistant", "", "error"),
        ("user", "q2", "complete"),
        ("assistant", "a", "complete"),
    ]
    assert asked.provider.requests[-1].messages == (ApiMessage("user", (TextBlock("q1\n\nq2"),)),)


def test_an_answer_that_ended_for_a_reason_has_a_note():
    asked = Asked([TextDelta("a"), StreamEnd("max_tokens", "length")])
    answer_id = asked.ask(events=2)
    asked.session.pump()
    assert asked.session.note(answer_id) == "Cut off at the token limit."
    assert asked.session.failure(answer_id) is None


def test_a_cleared_session_has_a_new_conversation_and_goes_on():
    asked = Asked([TextDelta("a"), threading.Event()], [TextDelta("b"), END])
    first = asked.ask("q1", events=1)
    asked.session.clear()
    assert (said(asked.session), asked.session.running, asked.session.answer_id) == ([], False, None)
    assert (asked.session.failure(first), asked.session.note(first)) == (None, None)
    assert asked.wakes.wait_for(2)
    asked.ask("q2", events=2)
    asked.session.pump()
    assert asked.provider.requests[-1].messages == (ApiMessage("user", (TextBlock("q2"),)),)


def test_closing_ends_the_turn_and_the_client():
    asked = Asked([TextDelta("a"), threading.Event()])
    asked.ask(events=1)
    asked.session.close(1.0)
    assert (asked.provider.open_streams, asked.provider.closed) == (0, True)
    assert asked.session.answer().status == "cancelled"


def test_closing_without_a_turn_closes_the_client():
    asked = Asked([END])
    asked.session.client.warm()
    asked.session.close(1.0)
    assert asked.provider.closed


def test_an_event_before_the_first_question_is_nobodys():
    session = Asked([END]).session
    session.apply(Cancelled())
    assert said(session) == []


@pytest.mark.parametrize("reason", ["end", "stop_sequence"])
def test_a_regular_end_is_not_worth_a_word(reason):
    assert stop_note(StreamEnd(reason)) is None


@pytest.mark.parametrize(
    "reason", ["max_tokens", "tool_use", "refusal", "content_filter", "pause", "context_full", "other"]
)
def test_any_other_end_is_one_sentence(reason):
    words = stop_note(StreamEnd(reason))
    assert words is not None
    assert words.endswith(".")


@pytest.mark.parametrize("reason", ["end", "stop_sequence", "max_tokens"])
@pytest.mark.parametrize("thought", [[], [ThinkingDelta("hm")]])
def test_an_answer_that_said_nothing_is_called_so(reason, thought):
    asked = Asked([*thought, StreamEnd(reason)])
    asked.all(lambda: asked.session.ask("q"), len(thought) + 1)
    words = asked.session.note(asked.session.answer().id)
    assert words is not None
    assert words.endswith(".")
    assert ("thought" in words) is bool(thought)


def test_an_end_that_nobody_knows_is_named_as_the_server_wrote_it():
    assert stop_note(StreamEnd("other", "moon_phase")) == "Stopped: moon_phase."


def test_a_second_question_waits_for_the_first_answer():
    hold = threading.Event()
    session = Session(client_of(Scripted([hold, END])))
    session.ask("one")
    with pytest.raises(RuntimeError):
        session.ask("two")
    assert [message.text for message in session.conversation.snapshot()] == ["one", ""]
    hold.set()
    session.close(PATIENCE)


def test_a_retry_asks_the_same_again_and_takes_the_failed_answer_out():
    asked = Asked([BadRequest("no")], [TextDelta("a"), END])
    asked.ask("q", events=1)
    asked.session.pump()
    asked.all(asked.session.retry, 2)
    assert said(asked.session) == [("user", "q", "complete"), ("assistant", "a", "complete")]
    assert [request.messages for request in asked.provider.requests] == [(ApiMessage("user", (TextBlock("q"),)),)] * 2


def test_a_retry_of_a_cut_answer_sends_the_history_without_it():
    asked = Asked([TextDelta("half "), StreamInterrupted("cut")], [TextDelta("whole"), END])
    asked.ask("q", events=2)
    asked.session.pump()
    asked.all(asked.session.retry, 2)
    assert said(asked.session) == [("user", "q", "complete"), ("assistant", "whole", "complete")]


def test_to_go_on_quotes_the_end_of_the_cut_answer_and_asks_for_the_rest():
    asked = Asked([TextDelta("x" * 500 + " the end "), StreamInterrupted("cut")], [TextDelta("rest"), END])
    asked.ask("q", events=2)
    asked.session.pump()
    asked.all(asked.session.continue_answer, 2)
    _, answer, prompt = asked.provider.requests[-1].messages
    assert answer.blocks == (TextBlock("x" * 500 + " the end "),)
    [block] = prompt.blocks
    assert isinstance(block, TextBlock)
    assert "x the end\n" in block.text
    assert len(block.text) < 500
    assert [status for _, _, status in said(asked.session)] == ["complete", "interrupted", "complete", "complete"]


def test_to_go_on_without_any_text_is_to_ask_again():
    asked = Asked([ServerError("dead", retryable=False)], [TextDelta("a"), END])
    asked.ask("q", events=1)
    asked.session.pump()
    asked.all(asked.session.continue_answer, 2)
    assert said(asked.session) == [("user", "q", "complete"), ("assistant", "a", "complete")]


def test_there_is_nothing_to_retry_or_to_go_on_with_at_the_start():
    session = Asked([END]).session
    for act in (session.retry, session.continue_answer):
        with pytest.raises(LookupError):
            act()


def test_a_running_answer_is_neither_retried_nor_continued():
    asked = Asked([threading.Event()])
    asked.ask()
    for act in (asked.session.retry, asked.session.continue_answer):
        with pytest.raises(RuntimeError):
            act()
    asked.session.close(PATIENCE)


def test_a_question_that_did_not_fit_is_asked_again_in_a_new_conversation():
    asked = Asked([TextDelta("a"), END], [ContextTooLong("no")], [TextDelta("b"), END])
    asked.ask("q1", events=2)
    asked.session.pump()
    asked.ask("q2", events=1)
    asked.session.pump()
    asked.session.clear()
    asked.all(asked.session.retry, 2)
    assert said(asked.session) == [("user", "q2", "complete"), ("assistant", "b", "complete")]


def test_an_answered_question_is_not_asked_again_in_a_new_conversation():
    asked = Asked([TextDelta("a"), END])
    asked.ask("q1", events=2)
    asked.session.pump()
    asked.session.clear()
    with pytest.raises(LookupError):
        asked.session.retry()


def test_a_new_attempt_is_counted_down():
    asked = Asked([Overloaded("busy", retry_after=50.0)], [END], config=replace(CONFIG, max_retries=9))
    asked.ask(events=1)
    asked.session.pump()
    assert asked.session.phase == "retrying"
    assert 40.0 < asked.session.retry_in <= 50.0
    assert asked.session.retry_note is not None
    assert (asked.session.retry_note.attempt, asked.session.retry_note.max_attempts) == (2, 10)
    asked.session.cancel()
    assert (asked.session.phase, asked.session.retry_in) == ("idle", 0.0)
    asked.session.close(PATIENCE)


def test_the_tools_that_were_asked_for_are_named_once_each():
    calls = [ToolCallStart("1", "look"), ToolCallStart("2", "look"), ToolCallStart("3", "run")]
    asked = Asked([*calls, StreamEnd("tool_use")])
    answer = asked.ask(events=4)
    asked.session.pump()
    assert asked.session.note(answer) == "The model asked for a tool (look, run), which mewcode does not run."
