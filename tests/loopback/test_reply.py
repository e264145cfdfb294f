"""What a whole answer becomes: the same events on all three protocols."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mewcode.llm.events import (
    StreamEnd,
    StreamError,
    TextDelta,
    ThinkingComplete,
    ThinkingDelta,
    ToolCallComplete,
    ToolCallDelta,
    ToolCallStart,
)
from mewcode.llm.messages import ThinkingBlock, Usage
from tests.fakes.dialects import CHAT, MESSAGES, RESPONSES, ask, each_dialect
from tests.fakes.sse_server import Reply, serving
from tests.loopback import answers

RAW_END = {"anthropic": "end_turn", "openai": "completed", "openai-compat": "stop"}
RAW_TOOLS = {"anthropic": "tool_use", "openai": "completed", "openai-compat": "tool_calls"}


def heard(dialect, *events):
    """What our side makes of these events."""
    with serving(Reply(dialect.wire(*events))) as server:
        return ask(dialect.config(server.url))


@each_dialect
def test_text_comes_as_it_was_sent_and_ends_once(dialect):
    with serving(dialect.answer("Hel", "lo", " 你好\n")) as server:
        events = ask(dialect.config(server.url))
    said = [TextDelta("Hel"), TextDelta("lo"), TextDelta(" 你好\n")]
    assert events == [*said, StreamEnd("end", RAW_END[dialect.protocol], Usage(9, 4))]


@each_dialect
def test_an_answer_of_nothing_is_whole_and_empty(dialect):
    with serving(dialect.answer()) as server:
        assert ask(dialect.config(server.url)) == [StreamEnd("end", RAW_END[dialect.protocol], Usage(9, 4))]


@each_dialect
def test_empty_pieces_of_text_are_no_events(dialect):
    with serving(dialect.answer("", "Hi", "")) as server:
        assert ask(dialect.config(server.url))[:-1] == [TextDelta("Hi")]


@each_dialect
def test_half_a_character_is_shown_as_one_that_cannot_be(dialect):
    reply = dialect.answer("aHALF", " b")
    pieces = tuple(piece.replace(b"HALF", rb"\ud83d") for piece in reply.pieces if isinstance(piece, bytes))
    with serving(replace(reply, pieces=pieces)) as server:
        assert ask(dialect.config(server.url))[:-1] == [TextDelta("a\ufffd"), TextDelta(" b")]


@each_dialect
def test_parallel_calls_without_any_text_come_with_their_arguments(dialect):
    events = heard(dialect, *answers.CALLS[dialect.protocol])
    assert [event for event in events if isinstance(event, ToolCallStart)] == [
        ToolCallStart("t1", "weather"),
        ToolCallStart("t2", "clock"),
    ]
    pieces = [event for event in events if isinstance(event, ToolCallDelta)]
    assert "".join(piece.text for piece in pieces if piece.tool_id == "t1") == '{"city": "Bern"}'
    assert [event for event in events if isinstance(event, ToolCallComplete)] == [
        ToolCallComplete("t1", "weather", {"city": "Bern"}),
        ToolCallComplete("t2", "clock", {}),
    ]
    assert events[-1] == StreamEnd("tool_use", RAW_TOOLS[dialect.protocol], Usage())


@pytest.mark.parametrize("raw", ["", '{"city": "Be'])
@pytest.mark.parametrize(("dialect", "why"), answers.CUTS)
def test_a_call_that_was_cut_has_no_arguments(dialect, why, raw):
    events = heard(dialect, *answers.cut(dialect.protocol, why, raw))
    [call] = [event for event in events if isinstance(event, ToolCallComplete)]
    assert (call.tool_id, call.tool_name, call.arguments) == ("t1", "weather", None)
    assert call.error is not None
    assert call.error.raw == raw
    assert isinstance(events[-1], StreamEnd)
    assert events[-1].stop_reason not in ("end", "tool_use")


@each_dialect
def test_the_token_limit_has_one_name(dialect):
    end = heard(dialect, *answers.CUT_CALL[dialect.protocol])[-1]
    assert isinstance(end, StreamEnd)
    assert end.stop_reason == "max_tokens"


@each_dialect
@pytest.mark.parametrize("end", ["finish", "cut"])
def test_a_call_whose_stream_breaks_off_never_ends(dialect, end):
    with serving(Reply(dialect.wire(*answers.CUT_CALL[dialect.protocol][:2]), end=end)) as server:
        events = ask(dialect.config(server.url))
    assert not [event for event in events if isinstance(event, ToolCallComplete)]
    assert isinstance(events[-1], StreamError)


@each_dialect
@pytest.mark.parametrize("raw", ["[1]", '{"a": ', "nonsense", '{"a": NaN}', "[" * 100_000])
def test_broken_arguments_are_none_and_say_why(dialect, raw):
    events = heard(dialect, *answers.call(dialect.protocol, raw))
    [call] = [event for event in events if isinstance(event, ToolCallComplete)]
    assert call.arguments is None
    assert call.error is not None
    assert call.error.raw == raw


THOUGHT = {
    "anthropic": [
        ThinkingDelta("Hm"),
        ThinkingDelta("m."),
        ThinkingComplete(ThinkingBlock("Hmm.", "sig==")),
        ThinkingComplete(ThinkingBlock("", redacted_data="opaque")),
    ],
    "openai": [
        ThinkingDelta("Hm"),
        ThinkingDelta("m."),
        ThinkingDelta("\n\nSo."),
        ThinkingComplete(ThinkingBlock("Hmm.\n\nSo.", redacted_data=answers.SEALED_ITEM_JSON)),
    ],
    "openai-compat": [ThinkingDelta("Hm"), ThinkingDelta("m."), ThinkingComplete(ThinkingBlock("Hmm."))],
}


@each_dialect
def test_thinking_is_never_mixed_into_the_text(dialect):
    events = heard(dialect, *answers.THINKING[dialect.protocol])
    assert events[:-1] == [*THOUGHT[dialect.protocol], TextDelta("Hi")]


@each_dialect
def test_a_refusal_is_text_with_its_own_reason(dialect):
    events = heard(dialect, *answers.REFUSAL[dialect.protocol])
    assert events[0] == TextDelta("I will not.")
    assert isinstance(events[-1], StreamEnd)
    assert events[-1].stop_reason == "refusal"


@pytest.mark.parametrize(("dialect", "raw", "stop"), answers.STOPS)
def test_every_reason_to_stop_has_its_name(dialect, raw, stop):
    end = heard(dialect, *answers.stopped(dialect.protocol, raw))[-1]
    assert end == StreamEnd(stop, raw, Usage())


@pytest.mark.parametrize(("dialect", "usage", "counted"), answers.USAGES)
def test_usage_is_counted_alike_and_unknown_where_the_server_did_not_say(dialect, usage, counted):
    end = heard(dialect, *answers.counted(dialect.protocol, usage))[-1]
    assert isinstance(end, StreamEnd)
    assert end.usage == counted


def test_the_placeholder_in_the_first_event_of_messages_is_no_count_of_the_output():
    events = heard(MESSAGES, *MESSAGES.opening, {"type": "message_stop"})
    assert events == [StreamEnd("other", None, Usage(input_tokens=9))]


@each_dialect
def test_what_comes_after_the_end_mark_does_not_matter(dialect):
    after = (dialect.delta("more"), dialect.failure, "{broken", "[DONE]")
    for rest in (dialect.wire(*after), (b"data: \xff\xfe\n\n",), (b"event: data\ndata: [DONE]\n\n",)):
        for end in ("finish", "cut", "reset"):
            reply = replace(dialect.answer("Hi"), pieces=(*dialect.begun("Hi"), *dialect.ended(), *rest), end=end)
            with serving(reply) as server:
                events = ask(dialect.config(server.url))
            assert events == [TextDelta("Hi"), StreamEnd("end", RAW_END[dialect.protocol], Usage(9, 4))]


@each_dialect
def test_unknown_events_blocks_and_fields_are_passed_over(dialect):
    strange = (
        {"type": "new.event", "index": 0, "delta": {"type": "new_delta", "text": None}, "more": [1]},
        {"type": "content_block_start", "index": 7, "content_block": {"type": "hologram"}},
        {"choices": None, "usage": None, "type": "x"},
    )
    events = heard(dialect, *dialect.opening, *strange, dialect.delta("Hi"), *dialect.closing)
    assert events[:-1] == [TextDelta("Hi")]


@pytest.mark.parametrize("cut", ["chunked", "close"])
def test_a_chat_ends_at_its_finish_reason_and_needs_no_done(cut):
    *closing, _done = CHAT.closing
    pieces = (*CHAT.begun("Hi"), *CHAT.wire(*closing))
    for end in ("finish", "cut"):
        with serving(Reply(pieces, framing=cut, end=end)) as server:
            assert ask(CHAT.config(server.url)) == [TextDelta("Hi"), StreamEnd("end", "stop", Usage(9, 4))]


def test_a_chat_that_says_done_without_a_finish_reason_is_whole():
    assert heard(CHAT, CHAT.delta("Hi"), "[DONE]") == [TextDelta("Hi"), StreamEnd("other", None, Usage())]


def test_summaries_of_the_same_item_are_parted_and_refusals_beside_text_are_an_answer():
    said = {"type": "response.refusal.delta", "output_index": 0, "content_index": 1, "delta": " Not that."}
    events = heard(RESPONSES, *RESPONSES.opening, RESPONSES.delta("This."), said, *RESPONSES.closing)
    assert events[-1] == StreamEnd("end", "completed", Usage(9, 4))
