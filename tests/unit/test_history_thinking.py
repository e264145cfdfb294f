"""Thinking and calls of an answer, on their way back into a request: what may go, and what has to."""

from __future__ import annotations

import pytest

from mewcode.llm.client import Request
from mewcode.llm.collect import collect
from mewcode.llm.conversation import Conversation
from mewcode.llm.events import StreamEnd, TextDelta, ThinkingComplete, ToolCallComplete, ToolCallStart
from mewcode.llm.history import asking, to_api
from mewcode.llm.messages import (
    ApiMessage,
    Message,
    Origin,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    new_id,
)
from mewcode.llm.pairing import NOT_RUN, OPENING, UNKNOWN_TOOL, pair_tools, respell_calls
from mewcode.providers.anthropic import body
from mewcode.session import Session
from tests.fakes.scripted import Scripted, client_of, start

BUDGETED, ADAPTIVE, ALWAYS = "claude-opus-4-5", "claude-opus-4-6", "claude-opus-5-5"
T, U = ThinkingBlock("hm", "s1"), ThinkingBlock("so", "s2")
TEXT, CALL, RESULT = TextBlock("a"), ToolUseBlock("t1", "add", {}), ToolResultBlock("t1", "3")
HERE, THERE = Origin("p", "u", BUDGETED), Origin("p", "u", "other")
OFF = {"type": "disabled"}


def answer(*blocks, status="complete", prefix=None, origin=HERE):
    where = (origin.provider, origin.base_url, origin.model) if origin else (None, None, None)
    provider, base_url, model = where
    return Message(
        new_id(), "assistant", blocks, status, provider=provider, base_url=base_url, model=model, prefix=prefix
    )


def said(text):
    return Message(new_id(), "user", (TextBlock(text),))


def sent(*blocks, status="complete"):
    """What of an answer goes back."""
    return to_api([said("q"), answer(*blocks, status=status)])[1].blocks


def called(*blocks, origin=HERE, thought=False):
    return ApiMessage("assistant", blocks, origin, thought=thought)


def user(*blocks):
    return ApiMessage("user", blocks)


Q = user(TextBlock("q"))


@pytest.mark.parametrize(
    ("blocks", "kept"),
    [
        ((T, TEXT), (T, TEXT)),
        ((T, CALL), (T, CALL)),
        ((T, U, TEXT), (T, U, TEXT)),
        ((T, TEXT, U), (T, TEXT)),
        ((TEXT, T, U), (TEXT,)),
        ((T, CALL, U), (T, CALL)),
        ((T, CALL, U, TextBlock(" ")), (T, CALL)),
    ],
)
def test_thinking_that_led_to_nothing_is_left_out_of_a_whole_answer(blocks, kept):
    assert sent(*blocks) == kept


@pytest.mark.parametrize("status", ["cancelled", "interrupted"])
@pytest.mark.parametrize(
    ("blocks", "kept"),
    [
        ((T, TEXT), (TEXT,)),
        ((T, CALL), (T, CALL)),
        ((T, TEXT, CALL), (T, TEXT, CALL)),
        ((T, CALL, TEXT), (T, CALL, TEXT)),
        ((T, CALL, U), (T, CALL)),
        ((T, CALL, U, TEXT), (CALL, TEXT)),  # with a thought of it missing, none of it is as it was
    ],
)
def test_an_answer_that_broke_off_keeps_the_thinking_before_its_last_call(blocks, kept, status):
    assert sent(*blocks, status=status) == kept


def test_an_answer_to_a_later_request_is_no_neighbour():
    history = [said("q"), answer(T, CALL, prefix="p1"), answer(U, TEXT, prefix="p2")]
    [_, first, between, second] = to_api(history)
    assert (first.blocks, second.blocks) == ((T, CALL), (U, TEXT))
    assert between.blocks == (ToolResultBlock("t1", NOT_RUN, is_error=True),)
    history = [said("q"), answer(T, TEXT, prefix="p1"), answer(U, TEXT, prefix="p2")]
    assert [message.blocks for message in to_api(history)[1:]] == [(T, TEXT), (TextBlock(OPENING),), (U, TEXT)]


def test_words_that_no_model_said_take_the_thinking_of_the_answer_they_are_added_to():
    [_, merged] = to_api([said("q"), answer(T, TEXT, prefix="p1"), answer(TextBlock("b"), origin=None)])
    assert (merged.blocks, merged.origin, merged.thought) == ((TextBlock("a\n\nb"),), HERE, True)


def test_a_placeholder_takes_the_thinking_of_the_answer_it_is_put_into():
    placeholder = ToolUseBlock("t9", UNKNOWN_TOOL, {})
    paired = pair_tools([Q, called(T, TEXT), user(ToolResultBlock("t9", "late"))])
    assert paired[1].blocks == (TEXT, placeholder)


def test_the_user_speaks_last_in_a_request():
    opening = user(TextBlock(OPENING))
    assert asking([]) == [opening]
    assert asking([Q]) == [Q]
    assert asking([Q, called(TEXT)]) == [Q, called(TEXT), opening]


def test_thinking_that_led_to_a_broken_call_goes_back_with_it():
    broken = ToolCallComplete("t0", "add", None)
    message, _ = collect(start(Scripted([ThinkingComplete(T), broken, StreamEnd("tool_use")])))
    assert sent(*message.blocks) == (T, ToolUseBlock("t0", "add", None))


def test_what_stood_around_a_call_in_a_chat_does_not_go_back_as_thinking():
    session = Session(client_of(Scripted([StreamEnd("end")])))
    session.ask("q")
    asked = (ThinkingComplete(T), ToolCallStart("t1", "add"), ToolCallComplete("t1", "add", {}), TextDelta("a"))
    for event in (*asked, StreamEnd("end")):
        session.apply(event)
    session.close(5)
    assert session.answer().blocks == (ThinkingBlock("hm"), TEXT)


def test_unsealed_thinking_keeps_its_text():
    spoken = Conversation()
    message_id = spoken.add("assistant", [ThinkingBlock("hm", "s", "d"), TEXT, CALL])
    spoken.unseal(message_id)
    assert spoken.get(message_id).blocks == (ThinkingBlock("hm"), TEXT, CALL)


LONG = "x" * 90


@pytest.mark.parametrize("tool_id", ["functions.add:0", LONG, "", "äöü", "a b", "\ud83d"])
def test_a_foreign_id_is_spelled_as_every_service_takes_it_for_call_and_result_alike(tool_id):
    history = [Q, called(ToolUseBlock(tool_id, "add", {}), origin=THERE), user(ToolResultBlock(tool_id, "3"))]
    [_, call, result] = respell_calls(history, HERE, ())
    [spelled] = [block.tool_id for block in call.blocks if isinstance(block, ToolUseBlock)]
    assert spelled.isascii()
    assert spelled.replace("_", "").replace("-", "").isalnum()
    assert len(spelled) <= 40
    assert result.blocks == (ToolResultBlock(spelled, "3"),)
    assert respell_calls(history, HERE, ())[1:] == [call, result]


def test_an_id_that_fits_or_is_the_servers_own_stays():
    for call, origin in ((CALL, THERE), (CALL, None), (ToolUseBlock(LONG, "fs.read", {}), HERE)):
        history = [Q, called(call, origin=origin), user(ToolResultBlock(call.tool_id, "3"))]
        assert respell_calls(history, HERE, ("fs.read", "add"))[1].blocks[0] == call


def test_two_foreign_calls_never_share_an_id_and_a_longer_history_changes_nothing_of_the_shorter():
    once = [Q, called(CALL, origin=THERE), user(RESULT)]
    told = respell_calls([*once, *once[1:]], HERE, ("add",))
    ids = [block.tool_id for message in told for block in message.blocks if isinstance(block, ToolUseBlock)]
    answered = [block.tool_id for message in told for block in message.blocks if isinstance(block, ToolResultBlock)]
    assert ids[0] == "t1"
    assert len(set(ids)) == 2
    assert answered == ids
    assert told[:3] == respell_calls(once, HERE, ("add",))


def test_a_placeholder_has_no_id_that_a_call_has():
    history = [Q, called(ToolUseBlock("t1", UNKNOWN_TOOL, {})), user(RESULT)]
    [call, result] = [message.blocks[0] for message in respell_calls(history, HERE, ())[1:]]
    assert isinstance(call, ToolUseBlock)
    assert isinstance(result, ToolResultBlock)
    assert call.tool_id == result.tool_id != "t1"


def test_a_name_that_nobody_offers_is_spelled_as_every_service_takes_it():
    for name, spelled in (("a.b c", "a_b_c"), ("fs.read", "fs.read"), ("x" * 99, "x" * 64), ("", UNKNOWN_TOOL)):
        history = [Q, called(ToolUseBlock("t1", name, {}), origin=THERE), user(RESULT)]
        assert respell_calls(history, HERE, ("fs.read",))[1].blocks == (ToolUseBlock("t1", spelled, {}),)


def thinking(*messages, model=BUDGETED, thinking=True):
    """The setting that a request with this history is sent with."""
    return body(Request(model, "", (Q, *messages), thinking=thinking)).get("thinking")


def test_with_a_budget_an_open_tool_turn_that_begins_without_thinking_goes_without():
    assert thinking(called(CALL), user(RESULT)) == OFF
    assert thinking(called(CALL, origin=THERE), user(RESULT)) == OFF
    assert thinking(called(ThinkingBlock("no signature"), CALL), user(RESULT)) == OFF


def test_with_a_budget_every_other_turn_thinks():
    for history in (
        (),
        (called(T, CALL, thought=True), user(RESULT)),
        (called(T, CALL, thought=True), user(RESULT), called(CALL), user(RESULT)),
        (called(CALL), user(RESULT), called(TEXT), user(TEXT)),
    ):
        assert thinking(*history)["type"] == "enabled"
    assert thinking(called(T, CALL, thought=True), user(RESULT), called(CALL, origin=THERE), user(RESULT)) == OFF


def test_a_model_that_decides_for_itself_only_misses_what_it_had_thought():
    own = Origin("p", "u", ADAPTIVE)
    assert thinking(called(CALL, origin=own), user(RESULT), model=ADAPTIVE)["type"] == "adaptive"
    assert thinking(called(CALL, origin=THERE, thought=True), user(RESULT), model=ADAPTIVE)["type"] == "adaptive"
    for asked in (True, None):
        assert thinking(called(CALL, origin=own, thought=True), user(RESULT), model=ADAPTIVE, thinking=asked) == OFF


def test_a_model_that_cannot_but_think_is_not_told_otherwise():
    own = Origin("p", "u", ALWAYS)
    assert thinking(called(CALL, origin=own, thought=True), user(RESULT), model=ALWAYS)["type"] == "adaptive"
