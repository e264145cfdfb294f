"""Messages streams as Anthropic sends them, and as servers do that only speak its protocol."""

from __future__ import annotations

import pytest

from mewcode.llm.events import StreamEnd, TextDelta, ThinkingComplete, ThinkingDelta, ToolCallComplete, ToolCallStart
from mewcode.llm.messages import ThinkingBlock, Usage
from tests.fakes.translated import calls, end, refused, said, translated
from tests.loopback.answers import message_block, message_end, tool_use

TEXT = {"type": "text", "text": ""}
THINKING = {"type": "thinking", "thinking": "", "signature": ""}


def messages(*events):
    return translated("anthropic", *events)


def text(piece):
    return {"type": "text_delta", "text": piece}


def thought(piece):
    return {"type": "thinking_delta", "thinking": piece}


def signed(signature):
    return {"type": "signature_delta", "signature": signature}


def without_index(events):
    return [{name: held for name, held in event.items() if name != "index"} for event in events]


def ended(reason, **details):
    stopped, stop = message_end(reason)
    return [{**stopped, "delta": {"stop_reason": reason, **details}}, stop]


def declined(**details):
    return ended("refusal", stop_details={"type": "refusal", "category": "cyber", "explanation": None, **details})


def test_the_explanation_of_a_refusal_is_its_text():
    events = messages(*declined(explanation="This may help an attack."))
    assert events == [TextDelta("This may help an attack."), StreamEnd("refusal", "refusal", Usage())]


def test_the_explanation_of_a_refusal_stands_apart_from_what_was_said_before():
    events = messages(*message_block(0, TEXT, text("First, ")), *declined(explanation="No."))
    assert said(events) == "First, \n\nNo."


@pytest.mark.parametrize("details", [{}, {"explanation": ""}, {"explanation": 7}])
def test_a_refusal_without_an_explanation_says_nothing_of_its_own(details):  # recorded anthropic-refusal-mid-turn
    assert messages(*declined(**details)) == [StreamEnd("refusal", "refusal", Usage())]


def test_an_explanation_of_another_stop_is_not_said():
    assert said(messages(*ended("end_turn", stop_details={"explanation": "x"}))) == ""


def test_thinking_goes_back_as_it_came():
    events = messages(
        *message_block(0, THINKING, thought("Hm"), thought("m."), signed("EqQB"), signed("+/==")),
        *message_block(1, {"type": "redacted_thinking", "data": "EmwKAhgB"}),
        *message_block(2, {"type": "thinking", "thinking": "a", "signature": "s"}),
        *message_block(3, THINKING, signed("omitted==")),
        *message_end("end_turn"),
    )
    assert [event.block for event in events if isinstance(event, ThinkingComplete)] == [
        ThinkingBlock("Hmm.", "EqQB+/=="),
        ThinkingBlock("", redacted_data="EmwKAhgB"),
        ThinkingBlock("a", "s"),
        ThinkingBlock("", "omitted=="),
    ]


PARTS = [
    *message_block(0, THINKING, thought("Hm."), signed("sig==")),
    *message_block(1, TEXT, text("Hi")),
    *tool_use(2, "t1", "weather", '{"city"', ': "Bern"}'),
    *tool_use(3, "t2", "clock"),
]
WHOLE = [
    ThinkingComplete(ThinkingBlock("Hm.", "sig==")),
    TextDelta("Hi"),
    ToolCallStart("t1", "weather"),
    ToolCallComplete("t1", "weather", {"city": "Bern"}),
    ToolCallStart("t2", "clock"),
    ToolCallComplete("t2", "clock", {}),
    StreamEnd("tool_use", "tool_use", Usage()),
]


def essence(events):
    kinds = (ThinkingComplete, TextDelta, ToolCallStart, ToolCallComplete, StreamEnd)
    return [event for event in events if isinstance(event, kinds)]


def test_blocks_come_in_their_order():
    assert essence(messages(*PARTS, *message_end("tool_use"))) == WHOLE


def test_blocks_without_an_index_follow_one_another():
    assert essence(messages(*without_index(PARTS), *message_end("tool_use"))) == WHOLE


def test_a_block_that_is_never_ended_is_ended_by_the_next():
    unended = without_index([event for event in PARTS[:-3] if event["type"] != "content_block_stop"])
    found = essence(messages(*unended, *message_end("tool_use")))
    assert found[:3] == WHOLE[:3]
    assert found[3:] == [WHOLE[3], WHOLE[-1]]


def test_thinking_that_is_never_ended_is_kept():
    events = messages(*message_block(0, THINKING, thought("Hm."), signed("s"))[:-1], *message_end("end_turn"))
    assert events[-2] == ThinkingComplete(ThinkingBlock("Hm.", "s"))


def test_pieces_whose_block_was_never_begun_are_not_lost():
    loose = [event for event in PARTS[:5] if event["type"] != "content_block_start"]
    events = messages(*loose, *message_end("end_turn"))
    assert ThinkingDelta("Hm.") in events
    assert ThinkingComplete(ThinkingBlock("Hm.", "sig==")) in events


def test_arguments_under_another_index_than_their_call_are_its_own():
    start, *pieces, stop = tool_use(0, "t1", "weather", '{"city"', ': "Bern"}')
    [call] = calls(messages(start, *(piece | {"index": 1} for piece in pieces), stop, *message_end("tool_use")))
    assert call.arguments == {"city": "Bern"}


GIVEN = [
    ({"city": "Bern"}, {"city": "Bern"}),
    ('{"city": "Bern"}', {"city": "Bern"}),
    ({}, {}),
    (None, {}),
    ([1], None),
    ("Bern", None),
    ({"a": float("nan")}, None),
    ({"a": float("inf")}, None),
]


@pytest.mark.parametrize(("given", "arguments"), GIVEN)
def test_arguments_may_come_whole_with_the_start(given, arguments):
    block = {"type": "tool_use", "id": "t1", "name": "weather", "input": given}
    [call] = calls(messages(*message_block(0, block), *message_end("tool_use")))
    assert (call.arguments, call.error is None) == (arguments, arguments is not None)


def test_arguments_in_pieces_count_more_than_those_of_the_start():
    block = {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": ""}}
    piece = {"type": "input_json_delta", "partial_json": '{"city": "Bern"}'}
    [call] = calls(messages(*message_block(0, block, piece), *message_end("tool_use")))
    assert call.arguments == {"city": "Bern"}


def test_tools_that_the_server_runs_are_no_calls_of_ours():  # recorded anthropic-server-tool-fetch
    block = {"type": "server_tool_use", "id": "srv_1", "name": "web_fetch", "input": {}}
    piece = {"type": "input_json_delta", "partial_json": '{"url": "x"}'}
    events = messages(*message_block(0, block, piece), *message_block(1, TEXT, text("Hi")), *message_end("end_turn"))
    assert events == [TextDelta("Hi"), StreamEnd("end", "end_turn", Usage())]


def test_an_error_whose_event_has_another_name_is_one():
    failed = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    before, body = refused("anthropic", *message_block(0, TEXT, text("Hi")), failed)
    assert (said(before), body) == ("Hi", failed)


def test_the_last_count_of_each_number_is_the_one():
    start = {"input_tokens": 3, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 1}
    deltas = [
        {"output_tokens": 5, "input_tokens": None},
        {"output_tokens": 7, "output_tokens_details": {"thinking_tokens": 4}},
    ]
    events = messages(
        {"type": "message_start", "message": {"usage": start}},
        *({"type": "message_delta", "delta": {}, "usage": usage} for usage in deltas),
        *message_end("end_turn"),
    )
    assert end(events).usage == Usage(123, 7, 100, 20, 4)
