from __future__ import annotations

import threading

import pytest

from mewcode.errors import BadRequest, ToolArgumentsError
from mewcode.llm.collect import collect
from mewcode.llm.events import (
    Retrying,
    StreamEnd,
    TextDelta,
    ThinkingComplete,
    ThinkingDelta,
    ToolCallComplete,
    ToolCallDelta,
    ToolCallStart,
)
from mewcode.llm.messages import TextBlock, ThinkingBlock, ToolUseBlock, Usage
from tests.fakes.scripted import Scripted, Step, start

END = StreamEnd("end", "stop", Usage(3, 5))


def test_a_turn_becomes_a_message_with_its_blocks_in_order():
    thinking = ThinkingBlock("hm", "sig")
    events: list[Step] = [
        Retrying(2, 10, 0.5, BadRequest("x")),
        ThinkingDelta("hm"),
        ThinkingComplete(thinking),
        TextDelta("a"),
        TextDelta("b"),
        ToolCallStart("t", "n"),
        ToolCallDelta("t", '{"x": 1}'),
        ToolCallComplete("t", "n", {"x": 1}),
        TextDelta("c"),
    ]
    message, usage = collect(start(Scripted([*events, END])))
    assert message.blocks == (thinking, TextBlock("ab"), ToolUseBlock("t", "n", {"x": 1}), TextBlock("c"))
    assert (message.role, message.status, message.usage, usage) == ("assistant", "complete", END.usage, END.usage)
    assert message.elapsed is not None
    assert message.elapsed >= 0


def test_what_came_beside_a_call_is_kept_beside_it():
    message, _ = collect(start(Scripted([ToolCallComplete("t", "n", {}, extra="{}"), END])))
    [call] = message.blocks
    assert isinstance(call, ToolUseBlock)
    assert call.extra == "{}"


def test_an_empty_turn_is_an_empty_message():
    message, usage = collect(start(Scripted([StreamEnd("end")])))
    assert (message.blocks, message.status, usage) == ((), "complete", Usage())


def test_each_piece_of_text_is_told_as_it_comes():
    told: list[str] = []
    collect(start(Scripted([TextDelta("a"), ThinkingDelta("hm"), TextDelta("b"), END])), told.append)
    assert told == ["a", "b"]


def test_of_several_calls_with_one_id_the_last_counts_where_the_first_stood():
    calls = [ToolCallComplete("t", "n", {"x": 1}), ToolCallComplete("u", "n", {}), ToolCallComplete("t", "n", {"x": 2})]
    message, _ = collect(start(Scripted([*calls, END])))
    assert message.blocks == (ToolUseBlock("t", "n", {"x": 2}), ToolUseBlock("u", "n", {}))


def test_a_call_whose_arguments_are_broken_stays_in_its_place_without_them():
    broken = ToolCallComplete("t", "n", None, ToolArgumentsError('{"x', "cut"))
    message, _ = collect(start(Scripted([TextDelta("a"), broken, ToolCallComplete("u", "n", {}), END])))
    assert message.blocks == (TextBlock("a"), ToolUseBlock("t", "n", None), ToolUseBlock("u", "n", {}))


def test_a_call_that_comes_again_whole_takes_the_place_of_the_broken_one():
    broken = ToolCallComplete("t", "n", None, ToolArgumentsError('{"x', "cut"))
    message, _ = collect(start(Scripted([broken, ToolCallComplete("t", "n", {"x": 1}), END])))
    assert message.blocks == (ToolUseBlock("t", "n", {"x": 1}),)


def test_a_failed_turn_raises_its_error():
    error = BadRequest("no")
    with pytest.raises(BadRequest) as failed:
        collect(start(Scripted([TextDelta("a"), error])))
    assert failed.value is error


def test_a_cancelled_turn_is_a_message_with_what_came():
    turn = start(Scripted([TextDelta("a"), threading.Event()]))
    message, usage = collect(turn, lambda _text: turn.cancel())
    assert (message.blocks, message.status, usage) == ((TextBlock("a"),), "cancelled", Usage())
