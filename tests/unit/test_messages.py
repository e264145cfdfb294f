from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from mewcode.llm import events
from mewcode.llm.messages import (
    ApiMessage,
    Message,
    Origin,
    Role,
    Status,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
    new_id,
)

FIELDS = {
    events.TextDelta: "text",
    events.ThinkingDelta: "text",
    events.ThinkingComplete: "block",
    events.ToolCallStart: "tool_id tool_name",
    events.ToolCallDelta: "tool_id text",
    events.ToolCallComplete: "tool_id tool_name arguments error extra",
    events.Retrying: "attempt max_attempts delay error",
    events.StreamEnd: "stop_reason raw_stop_reason usage",
    events.StreamError: "error",
    events.Cancelled: "",
    TextBlock: "text phase apart",
    ThinkingBlock: "text signature redacted_data tagged details",
    ToolUseBlock: "tool_id tool_name arguments extra",
    ToolResultBlock: "tool_id content is_error",
    Usage: "input_tokens output_tokens cache_read_tokens cache_write_tokens thinking_tokens",
    ApiMessage: "role blocks origin prefix thought",
}


@pytest.mark.parametrize("kind", FIELDS)
def test_a_value_has_the_promised_fields_and_never_changes(kind):
    assert [field.name for field in fields(kind)] == FIELDS[kind].split()
    assert not hasattr(kind, "__dict__") or "__slots__" in vars(kind)
    value = kind(**dict.fromkeys(FIELDS[kind].split()))
    for name in FIELDS[kind].split():
        with pytest.raises(FrozenInstanceError):
            setattr(value, name, 1)


def test_a_turn_has_seven_kinds_of_progress_and_three_ends():
    kinds = list(FIELDS)[:10]
    assert list(get_args(events.Progress)) == kinds[:7]
    assert list(get_args(events.Terminal)) == kinds[7:]
    assert list(get_args(events.Event)) == kinds


def test_the_words_are_the_promised_ones():
    assert get_args(Role) == ("user", "assistant", "system", "tool")
    assert get_args(Status) == ("streaming", "complete", "cancelled", "interrupted", "error")
    assert " ".join(get_args(events.StopReason)) == (
        "end max_tokens stop_sequence tool_use refusal content_filter pause context_full other"
    )


def test_a_number_that_the_server_did_not_say_is_none():
    assert [getattr(Usage(), field.name) for field in fields(Usage)] == [None] * 5
    assert events.StreamEnd("end").usage == Usage()


def test_a_newer_usage_overwrites_only_what_it_knows():
    assert Usage(10, 1, cache_read_tokens=3).merged(Usage(output_tokens=5)) == Usage(10, 5, cache_read_tokens=3)
    assert Usage(10).merged(Usage(0)) == Usage(0)
    assert Usage().merged(Usage()) == Usage()


def test_a_message_is_born_with_an_aware_time_in_utc():
    created = Message(new_id(), "user").created_at
    assert created.tzinfo is UTC
    assert abs(datetime.now(UTC) - created) < timedelta(minutes=1)


def test_ids_are_strings_that_do_not_repeat():
    ids = [new_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert all(isinstance(each, str) and each for each in ids)


def test_the_text_of_a_message_is_without_its_thinking_and_calls():
    blocks = (TextBlock("a"), ThinkingBlock("hm"), ToolUseBlock("t", "n", {}), TextBlock("b"))
    assert Message("1", "assistant", blocks).text == "ab"


def test_the_origin_of_an_answer_is_whole_or_none():
    assert Message("1", "user").origin is None
    answer = Message("1", "assistant", model="m", provider="p", base_url="")
    assert answer.origin == Origin("p", "", "m")
    assert Message("1", "assistant", model="m", provider="p").origin is None
