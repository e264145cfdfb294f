"""Tool calls of chat servers, in each way that one of them cuts, numbers and repeats them; the id names the source."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewcode.llm.events import ToolCallDelta, ToolCallStart
from tests.fakes.translated import calls, chat, end, said
from tests.loopback.answers import chunk

BERN, OSLO = '{"city": "Bern"}', '{"city": "Oslo"}'
MISSING = object()


def part(index=MISSING, tool_id=MISSING, name=MISSING, arguments=MISSING):
    """One entry of `tool_calls`; what is not given is not there."""
    function = {"name": name, "arguments": arguments}
    entry = {
        "index": index,
        "id": tool_id,
        "function": {key: held for key, held in function.items() if held is not MISSING},
    }
    return {key: held for key, held in entry.items() if held is not MISSING}


ONE = {
    "OpenAI: name first, then pieces": [
        part(0, "t1", "weather", ""),
        part(0, arguments='{"city"'),
        part(0, arguments=': "Bern"}'),
    ],
    "recorded mistral-tool, xai-grok4-tool: in one piece": [part(0, "t1", "weather", BERN)],
    "recorded ollama-qwen3-tool: in one piece, typed": [part(0, "t1", "weather", BERN) | {"type": "function"}],
    "ollama#7881: no index": [part(tool_id="t1", name="weather", arguments='{"city"'), part(arguments=': "Bern"}')],
    "ollama#7881: no index, the id again": [
        part(tool_id="t1", name="weather", arguments='{"city"'),
        part(tool_id="t1", arguments=': "Bern"}'),
    ],
    "litellm#32759: the index starts at 1": [part(1, "t1", "weather", ""), part(1, arguments=BERN)],
    "bedrock-access-gateway#247: the index starts at -1": [part(-1, "t1", "weather", ""), part(-1, arguments=BERN)],
    "bedrock-access-gateway#134: another index for the arguments": [
        part(1, "t1", "weather", ""),
        part(0, arguments='{"city"'),
        part(0, arguments=': "Bern"}'),
    ],
    "LibreChat#13987: another index, id and name null": [
        part(0, "t1", "weather", ""),
        part(1, None, None, '{"city"'),
        part(1, None, None, ': "Bern"}'),
    ],
    "another index, the id again": [part(0, "t1", "weather", ""), part(1, "t1", arguments=BERN)],
    "recorded avian-kimi-tools: id and name in each piece": [
        part(0, "t1", "weather", ""),
        part(0, "t1", "weather", '{"city"'),
        part(0, "t1", "weather", ': "Bern"}'),
        part(0, "t1", "weather", ""),
    ],
    "lmstudio-bug-tracker#649: name empty later": [part(0, "t1", "weather", ""), part(0, "t1", "", BERN)],
    "recorded alibaba-qwen3-tool: id empty later": [part(0, "t1", "weather", '{"city"'), part(0, "", "", ': "Bern"}')],
    "vLLM: id and name null later": [part(0, "t1", "weather", None), part(0, None, None, BERN)],
    "the name before the id": [part(0, name="weather"), part(0, "t1"), part(0, arguments=BERN)],
    "the arguments before the name": [part(0, arguments='{"city"'), part(0, "t1", "weather", ': "Bern"}')],
    "an object instead of its JSON": [part(0, "t1", "weather", {"city": "Bern"})],
    "the whole call repeated": [part(0, "t1", "weather", BERN), part(0, "t1", "weather", BERN)],
    "an entry that says nothing": [
        part(0),
        part(0, "", "", ""),
        part(0, "t1", "weather", BERN),
        part(1, None, None, ""),
    ],
}


@pytest.mark.parametrize("parts", ONE.values(), ids=ONE)
def test_the_pieces_of_one_call_become_one_call(parts):
    events = chat(*(chunk(tool_calls=[part]) for part in parts), chunk("tool_calls"))
    [call] = calls(events)
    assert (call.tool_id, call.tool_name, call.arguments, call.error) == ("t1", "weather", {"city": "Bern"}, None)
    assert [event for event in events if isinstance(event, ToolCallStart)] == [ToolCallStart("t1", "weather")]
    assert json.loads("".join(event.text for event in events if isinstance(event, ToolCallDelta))) == {"city": "Bern"}
    assert end(events).stop_reason == "tool_use"


@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_a_server_put_beside_a_call_is_kept_as_it_was(place):
    extra = {"google": {"thought_signature": "abc"}, "half": "\ud83d"}
    parts = [part(0, "t1", "weather", ""), part(0, arguments='{"city"'), part(0, arguments=': "Bern"}')]
    parts[place] |= {"extra_content": extra}
    parts[2] |= {"extra_content": parts[2].get("extra_content")}
    [call] = calls(chat(*(chunk(tool_calls=[part]) for part in parts), chunk("tool_calls")))
    assert call.extra is not None
    assert json.loads(call.extra) == {**extra, "half": "�"}


TWO = {
    "OpenAI: interleaved": [
        part(0, "t1", "weather", ""),
        part(0, arguments='{"city"'),
        part(1, "t2", "weather", ""),
        part(0, arguments=': "Bern"}'),
        part(1, arguments=OSLO),
    ],
    "ollama#15457, vercel/ai#14277: every index 0": [part(0, "t1", "weather", BERN), part(0, "t2", "weather", OSLO)],
    "LibreChat-AI/agents#260: every index 0, in pieces with ids": [
        part(0, "t1", "weather", ""),
        part(0, "t2", "weather", ""),
        part(0, "t1", arguments=BERN),
        part(0, "t2", arguments=OSLO),
    ],
    "ollama#7881: no index": [
        part(tool_id="t1", name="weather", arguments=BERN),
        part(tool_id="t2", name="weather", arguments=OSLO),
    ],
    "bedrock-access-gateway#134: arguments one index too low": [
        part(1, "t1", "weather", ""),
        part(0, arguments=BERN),
        part(2, "t2", "weather", ""),
        part(1, arguments='{"city"'),
        part(1, arguments=': "Oslo"}'),
    ],
    "recorded avian-kimi-tools: ids and names in each piece": [
        part(0, "t1", "weather", '{"city"'),
        part(0, "t1", "weather", ': "Bern"}'),
        part(1, "t2", "weather", '{"city"'),
        part(1, "t2", "weather", ': "Oslo"}'),
    ],
}


@pytest.mark.parametrize("parts", TWO.values(), ids=TWO)
def test_the_pieces_of_two_calls_become_two(parts):
    found = calls(chat(*(chunk(tool_calls=[part]) for part in parts), chunk("tool_calls")))
    assert [(call.tool_id, call.arguments) for call in found] == [("t1", {"city": "Bern"}), ("t2", {"city": "Oslo"})]


UNNAMED = {
    "brainlid/langchain#620: one id, made from the name": [
        part(0, "call-weather", "weather", BERN),
        part(1, "call-weather", "weather", OSLO),
    ],
    "one id, in pieces": [
        part(0, "call-weather", "weather", ""),
        part(1, "call-weather", "weather", ""),
        part(0, arguments=BERN),
        part(1, arguments=OSLO),
    ],
    "one id, every index 0": [part(0, "t1", "weather", BERN), part(0, "t1", "weather", OSLO)],
    "one id and no index": [
        part(tool_id="t1", name="weather", arguments=BERN),
        part(tool_id="t1", name="weather", arguments=OSLO),
    ],
    "hermes-agent#57939: no ids, every index 0": [part(0, "", "weather", BERN), part(0, "", "weather", OSLO)],
    "no ids, no index": [part(name="weather", arguments=BERN), part(name="weather", arguments=OSLO)],
    "no ids": [part(0, None, "weather", BERN), part(1, None, "weather", OSLO)],
    "no ids, in pieces": [
        part(0, name="weather"),
        part(0, arguments=BERN),
        part(1, name="weather"),
        part(1, arguments='{"city"'),
        part(1, arguments=': "Oslo"}'),
    ],
}


@pytest.mark.parametrize("parts", UNNAMED.values(), ids=UNNAMED)
def test_each_call_has_an_id_of_its_own_whatever_the_server_gave(parts):
    events = chat(*(chunk(tool_calls=[part]) for part in parts), chunk("tool_calls"))
    found = calls(events)
    assert [call.arguments for call in found] == [{"city": "Bern"}, {"city": "Oslo"}]
    assert len({call.tool_id for call in found}) == 2
    assert all(call.tool_id for call in found)
    started = [event.tool_id for event in events if isinstance(event, ToolCallStart)]
    assert started == [call.tool_id for call in found]


def test_several_calls_may_come_in_one_chunk():
    both = [part(0, "t1", "weather", BERN), part(1, "t2", "clock", "")]
    found = calls(chat(chunk(tool_calls=both), chunk("tool_calls")))
    assert [(call.tool_name, call.arguments) for call in found] == [("weather", {"city": "Bern"}), ("clock", {})]


def test_calls_without_ids_are_told_apart_by_their_names():
    found = calls(
        chat(chunk(tool_calls=[part(0, name="clock"), part(0, name="weather", arguments=BERN)]), chunk("stop"))
    )
    assert [(call.tool_name, call.arguments) for call in found] == [("clock", {}), ("weather", {"city": "Bern"})]


def test_an_opaque_id_is_kept_as_it_is():  # recorded avian-kimi-tools
    assert (
        calls(chat(chunk(tool_calls=[part(0, "functions.add:0", "add", "{}")]), chunk()))[0].tool_id
        == "functions.add:0"
    )


@pytest.mark.parametrize("name", ["", None, MISSING, " "])
def test_a_call_without_a_name_cannot_run(name):
    events = chat(chunk(tool_calls=[part(0, "t1", name, BERN)]), chunk("tool_calls"))
    [call] = calls(events)
    assert (call.tool_id, call.tool_name, call.arguments) == ("t1", "unknown_tool", None)
    assert call.error is not None
    assert call.error.raw == BERN


def test_the_call_of_the_older_protocol_is_one_with_an_id_of_ours():
    deltas = [{"name": "weather", "arguments": ""}, {"arguments": '{"city"'}, {"arguments": ': "Bern"}'}]
    events = chat(*(chunk(function_call=delta) for delta in deltas), chunk("function_call"))
    [call] = calls(events)
    assert (call.tool_name, call.arguments, end(events).stop_reason) == ("weather", {"city": "Bern"}, "tool_use")
    assert call.tool_id


@pytest.mark.parametrize("empty", [None, {}, {"name": "", "arguments": ""}, {"name": None, "arguments": None}])
def test_an_empty_call_of_the_older_protocol_is_none(empty):
    events = chat(chunk(content="Hi", function_call=empty, tool_calls=None), chunk("stop", function_call=empty))
    assert (said(events), calls(events), end(events).stop_reason) == ("Hi", [], "end")


def test_a_call_in_both_protocols_is_one():
    both = chunk(function_call={"name": "weather", "arguments": BERN}, tool_calls=[part(0, "t1", "weather", BERN)])
    assert [call.tool_id for call in calls(chat(both, chunk("stop")))] == ["t1"]


@given(st.data())
def test_however_a_call_is_cut_its_arguments_are_the_same(data):
    raws = [json.dumps({"n": number, "text": "} {"}) for number in range(data.draw(st.integers(1, 3)))]
    parts = []
    for index, raw in enumerate(raws):
        cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=4)))
        pieces = [raw[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
        begin = part(index, f"t{index}", "f", pieces[0])
        again = data.draw(st.sampled_from([{}, {"tool_id": f"t{index}"}, {"tool_id": f"t{index}", "name": "f"}]))
        parts += [begin, *(part(index, arguments=piece, **again) for piece in pieces[1:])]
    found = calls(chat(*(chunk(tool_calls=[entry]) for entry in parts), chunk("tool_calls")))
    assert [call.arguments for call in found] == [json.loads(raw) for raw in raws]
