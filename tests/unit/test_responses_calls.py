"""Tool calls of Responses streams, complete and as gateways leave them; the id names the source."""

from __future__ import annotations

import json

import pytest

from mewcode.llm.events import StreamEnd, TextDelta, ThinkingComplete, ThinkingDelta, ToolCallDelta, ToolCallStart
from tests.fakes.translated import calls, end, said, thought, translated
from tests.loopback.answers import function_call, response_end

BERN, OSLO = '{"city": "Bern"}', '{"city": "Oslo"}'


def item(number, arguments="", **fields):
    given = {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"t{number}",
        "name": "weather",
        "arguments": arguments,
    }
    return {**given, **fields}


def added(number, arguments="", **fields):
    return {"type": "response.output_item.added", "output_index": number - 1, "item": item(number, arguments), **fields}


def delta(number, piece):
    kind = "response.function_call_arguments.delta"
    return {"type": kind, "output_index": number - 1, "item_id": f"fc_{number}", "delta": piece}


def closed(number, arguments):
    kind = "response.function_call_arguments.done"
    return {"type": kind, "output_index": number - 1, "item_id": f"fc_{number}", "arguments": arguments}


def done(number, arguments="", **fields):
    whole = item(number, arguments, status="completed")
    return {"type": "response.output_item.done", "output_index": number - 1, "item": whole, **fields}


def without(key, *events):
    """The events without this field, inside the item too."""
    return [
        {
            name: {inner: kept for inner, kept in held.items() if inner != key} if isinstance(held, dict) else held
            for name, held in event.items()
            if name != key
        }
        for event in events
    ]


PLAIN = [added(1), delta(1, '{"city"'), delta(1, ': "Bern"}'), closed(1, BERN), done(1, BERN)]
SHORT = [added(1), delta(1, BERN), done(1)]
ONE = {
    "OpenAI": PLAIN,
    "no deltas: only the event that closes them": [added(1), closed(1, BERN)],
    "no deltas: only the finished item": [added(1), done(1, BERN)],
    "no added item": [done(1, BERN)],
    "deltas, and an item that repeats nothing": SHORT,
    "deltas, and an item with a placeholder": [added(1), delta(1, BERN), done(1, "{}")],
    "deltas without a finished item": [added(1), delta(1, BERN)],
    "everything in the first event": [added(1, BERN), done(1, BERN)],
    "arguments as an object": [added(1), done(1, {"city": "Bern"})],
    "the item finished twice": [*PLAIN, done(1, BERN)],
    "the item added twice": [added(1), *PLAIN],
    "no output index": without("output_index", *PLAIN),
    "no output index, no item id": without("item_id", *without("id", *without("output_index", *PLAIN))),
    "no output index, no item id, an item that repeats nothing": without(
        "item_id", *without("id", *without("output_index", *SHORT))
    ),
    "no status": without("status", *PLAIN),
    "recorded copilot: item ids that change": [
        added(1),
        delta(1, '{"city"') | {"item_id": "x"},
        delta(1, ': "Bern"}') | {"item_id": "y"},
        done(1, BERN, item=item(1, BERN, id="z", status="completed")),
    ],
    "the name only in the finished item": [
        added(1, item=item(1, name="")),
        delta(1, BERN),
        done(1, BERN),
    ],
}


@pytest.mark.parametrize("events", ONE.values(), ids=ONE)
def test_the_events_of_one_call_become_one_call(events):
    found = translated("openai", *events, response_end())
    [call] = calls(found)
    assert (call.tool_id, call.tool_name, call.arguments) == ("t1", "weather", {"city": "Bern"})
    assert len([event for event in found if isinstance(event, ToolCallStart)]) == 1
    assert end(found).stop_reason == "tool_use"


INTERLEAVED = [
    added(1),
    added(2),
    delta(1, '{"city"'),
    delta(2, '{"city": "O'),
    delta(1, ': "Bern"}'),
    delta(2, 'slo"}'),
    done(1, BERN),
    done(2, OSLO),
]
MUDDLED = [added(1), added(2), delta(1, BERN), delta(2, OSLO), done(1, BERN), done(2, OSLO)]
TWO = {
    "one after the other": [*PLAIN, added(2), delta(2, OSLO), done(2, OSLO)],
    "interleaved": INTERLEAVED,
    "interleaved, items that repeat nothing": [*INTERLEAVED[:6], done(1), done(2)],
    "interleaved, no output index": without("output_index", *INTERLEAVED),
    "interleaved, no output index, items that repeat nothing": without(
        "output_index", *INTERLEAVED[:6], done(1), done(2)
    ),
    "neither index nor item id, and one was not added": without(
        "id", *without("output_index", added(1), done(2, OSLO), done(1, BERN))
    ),
    "agentgateway#1455: every output index 0": [event | {"output_index": 0} for event in INTERLEAVED],
    "neither index nor item id: the finished items tell": without(
        "item_id", *without("id", *without("output_index", *MUDDLED))
    ),
    "finished in another order": [*INTERLEAVED[:6], done(2, OSLO), done(1, BERN)],
    "never finished": INTERLEAVED[:6],
}


@pytest.mark.parametrize("events", TWO.values(), ids=TWO)
def test_the_events_of_two_calls_become_two(events):
    found = calls(translated("openai", *events, response_end()))
    assert sorted((call.tool_id, json.dumps(call.arguments)) for call in found) == [("t1", BERN), ("t2", OSLO)]


def test_deltas_are_told_with_the_id_of_their_call():
    found = translated("openai", *INTERLEAVED, response_end())
    for tool_id, raw in (("t1", BERN), ("t2", OSLO)):
        pieces = [event.text for event in found if isinstance(event, ToolCallDelta) and event.tool_id == tool_id]
        assert "".join(pieces) == raw


@pytest.mark.parametrize("status", ["completed", None])
def test_a_call_without_arguments_has_none(status):
    events = [added(1), done(1, "", item=item(1, status=status))]
    assert [call.arguments for call in calls(translated("openai", *events, response_end()))] == [{}]


def test_a_call_of_which_nothing_tells_that_it_is_whole_is_not_when_the_answer_was_cut():
    reason = {"incomplete_details": {"reason": "max_output_tokens"}}
    events = [added(1), done(1, "", item=item(1)), response_end("incomplete", **reason)]
    [call] = calls(translated("openai", *events))
    assert call.arguments is None


def test_a_call_that_no_event_finished_takes_its_arguments_from_the_whole_response():
    whole = response_end(output=[{"type": "message"}, item(1, BERN, status="completed")])
    assert [call.arguments for call in calls(translated("openai", added(1), whole))] == [{"city": "Bern"}]


def custom(text, **fields):
    return {"type": "custom_tool_call", "id": "ctc_1", "call_id": "t1", "name": "shell", "input": text, **fields}


def test_the_text_of_a_custom_call_is_its_only_argument():
    events = [
        {"type": "response.output_item.added", "output_index": 0, "item": custom("")},
        {"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": 'echo "'},
        {"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": 'a"'},
        {"type": "response.custom_tool_call_input.done", "output_index": 0, "input": 'echo "a"'},
        {"type": "response.output_item.done", "output_index": 0, "item": custom('echo "a"', status="completed")},
        response_end(),
    ]
    for several in (events, events[:3] + events[-1:], events[-2:]):
        [call] = calls(translated("openai", *several))
        assert (call.tool_id, call.tool_name, call.arguments) == ("t1", "shell", {"input": 'echo "a"'})


def test_a_custom_call_that_was_cut_never_runs():
    cut = {"type": "response.output_item.done", "output_index": 0, "item": custom("rm -r /tmp", status="incomplete")}
    [call] = calls(translated("openai", cut, response_end("incomplete")))
    assert call.arguments is None
    assert call.error is not None
    assert "rm -r /tmp" in call.error.raw


MESSAGE = {"type": "message", "content": [{"type": "output_text", "text": "H"}, {"type": "output_text", "text": "i"}]}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]}


def test_a_response_that_was_not_streamed_is_read_from_its_end():
    found = translated("openai", response_end(output=[REASONING, MESSAGE, item(1, BERN)], usage={"output_tokens": 4}))
    assert (thought(found), said(found)) == ("Hm.", "Hi")
    assert [call.arguments for call in calls(found)] == [{"city": "Bern"}]
    assert end(found).usage.output_tokens == 4


def test_a_response_that_repeats_at_its_end_what_was_streamed_says_nothing_twice():
    streamed = [
        {"type": "response.output_item.done", "output_index": 0, "item": REASONING},
        {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "Hi"},
        {"type": "response.output_item.done", "output_index": 1, "item": MESSAGE},
        *function_call(2, "t1", "weather", BERN),
    ]
    found = translated("openai", *streamed, response_end(output=[REASONING, MESSAGE, item(1, BERN)]))
    assert (thought(found), said(found), len(calls(found))) == ("Hm.", "Hi", 1)


def test_a_message_whose_text_came_only_with_its_item_is_said():
    kinds = [TextDelta, TextDelta, StreamEnd]
    finished = {"type": "response.output_item.done", "output_index": 0, "item": MESSAGE}
    found = translated("openai", finished, response_end())
    assert [type(event) for event in found] == kinds
    refusal = {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}
    found = translated("openai", finished | {"item": refusal}, response_end())
    assert (said(found), end(found).stop_reason) == ("No.", "refusal")


def test_reasoning_that_came_only_with_its_item_is_thought():
    finished = {"type": "response.output_item.done", "output_index": 0, "item": REASONING}
    first, second, _ = translated("openai", finished, response_end())
    assert first == ThinkingDelta("Hm.")
    assert isinstance(second, ThinkingComplete)
    assert (second.block.text, json.loads(second.block.redacted_data or "")) == ("Hm.", REASONING)


def test_reasoning_of_two_items_without_an_index_is_not_mixed():
    def reasons(piece):
        kind = "response.reasoning_summary_text.delta"
        return {"type": kind, "delta": piece}, {"type": "response.output_item.done", "item": REASONING}

    found = translated("openai", *reasons("a"), *reasons("b"), response_end())
    assert [event.block.text for event in found if isinstance(event, ThinkingComplete)] == ["a", "b"]
