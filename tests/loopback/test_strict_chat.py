"""The strict server's rules for chat completions: what breaks one is refused, and its good neighbour is not."""

from __future__ import annotations

import json

import pytest

from tests.fakes.strict_memory import Options
from tests.fakes.strict_plans import Answer, Call, Thought
from tests.fakes.strict_server import strict
from tests.loopback.posting import GONE, PATHS, SAYS_HI, alone, changed, post, refusal, said_so

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Hello"}
ASSISTANT = {"role": "assistant", "content": "Hi"}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


def calling(*ids, arguments="{}", **more):
    calls = [{"id": it, "type": "function", "function": {"name": "weather", "arguments": arguments}} for it in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def tool(call_id, content="22 °C"):
    return {"role": "tool", "tool_call_id": call_id, "content": content}


GOOD = {"model": "m", "messages": [SYSTEM, USER], "stream": True, "stream_options": {"include_usage": True}}
CHAT = changed(GOOD, ("messages", [SYSTEM, USER, ASSISTANT, USER]))
TOOLS = changed(GOOD, ("tools", [TOOL]), ("messages", [USER, calling("c1", "c2"), tool("c1"), tool("c2")]))
FOREIGN = Options(foreign_calls=True)


@pytest.mark.parametrize(
    "body",
    [
        GOOD,
        CHAT,
        changed(GOOD, ("messages", 0, GONE), ("max_tokens", 5), ("temperature", 0.5), ("reasoning_effort", "low")),
        changed(GOOD, ("max_completion_tokens", 5), ("tools", [TOOL]), ("stream_options", GONE)),
    ],
)
def test_a_sound_request_is_accepted(body):
    assert alone("openai-compat", body) is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("model", GONE), "Missing required parameter: 'model'."),
        (("messages", GONE), "Missing required parameter: 'messages'."),
        (("messages", []), "Expected last role User or Tool"),
        (("prompt_cache_key", "x"), "{'type': 'extra_forbidden', 'loc': ('body', 'prompt_cache_key')"),
        (("metadata", {}), "'loc': ('body', 'metadata')"),
        (("cache_control", {}), "'loc': ('body', 'cache_control')"),
        (("max_tokens", None), "Invalid type for 'max_tokens': got null instead."),
        (("max_tokens", 0), "Expected a value >= 1, but got 0 instead."),
        (("messages", 1, "name", "x"), "'loc': ('body', 'messages', 1, 'user', 'name')"),
        (("messages", 1, "cache_control", {}), "'loc': ('body', 'messages', 1, 'user', 'cache_control')"),
        (("messages", 1, "role", "developer"), "Unexpected role 'developer'"),
        (("messages", 1, SYSTEM), "conversation roles must alternate"),
        (("messages", 1, USER), "conversation roles must alternate"),
        (("messages", 1, ASSISTANT), "conversation roles must alternate"),
        (("messages", 2, SYSTEM), "conversation roles must alternate"),
        (("messages", 2, ASSISTANT), "Expected last role User or Tool"),
        (("messages", 1, "content", ""), "Invalid 'messages[1].content': empty string."),
        (("messages", 1, "content", " \n"), "Invalid 'messages[1].content': empty string."),
        (("messages", 0, "content", ""), "Invalid 'messages[0].content': empty string."),
        (("messages", 1, "content", None), "Invalid type for 'messages[1].content': got null instead."),
        (("messages", 1, "content", [{"type": "text", "text": "x"}]), "Invalid type for 'messages[1].content'"),
        (("messages", 1, "content", GONE), "Missing required parameter: 'messages[1].content'."),
        (("tools", [{"name": "a"}]), "'loc': ('body', 'tools', 0, 'name')"),
        (
            ("tools", [{"type": "function", "function": {"name": "a"}}]),
            "Missing required parameter: 'tools[0].function'",
        ),
        (("tools", [TOOL | {"function": {"input_schema": {}}}]), "'tools', 0, 'function', 'input_schema'"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_shape_that_is_not_right_is_refused_in_some_vendors_words(change, sentence):
    assert sentence in (alone("openai-compat", changed(GOOD, change)) or "")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("messages", 2, "content", ""), "Invalid 'messages[2].content': empty string."),
        (("messages", 2, "content", None), "Invalid type for 'messages[2].content': got null instead."),
        (("messages", 2, "tool_calls", []), "Invalid type for 'messages[2].tool_calls'"),
        (
            ("messages", 2, "reasoning_content", "Hm"),
            "'loc': ('body', 'messages', 2, 'assistant', 'reasoning_content')",
        ),
        (("messages", 3, "role", "tool"), "Missing required parameter: 'messages[3].tool_call_id'."),
    ],
)
def test_an_earlier_message_that_is_not_right_is_refused(change, sentence):
    assert sentence in (alone("openai-compat", changed(CHAT, change)) or "")


def test_one_limit_is_enough():
    both = changed(GOOD, ("max_tokens", 5), ("max_completion_tokens", 5))
    assert said_so(alone("openai-compat", both), "Setting 'max_tokens' and 'max_completion_tokens' at the same time")


@pytest.mark.parametrize(
    ("options", "change", "param", "sentence"),
    [
        (Options(refuses=frozenset({"max_tokens"})), ("max_tokens", 5), "max_tokens", "Use 'max_completion_tokens'"),
        (
            Options(refuses=frozenset({"max_completion_tokens"})),
            ("max_completion_tokens", 5),
            None,
            "Unrecognized request argument supplied: max_completion_tokens",
        ),
        (
            Options(refuses=frozenset({"temperature"})),
            ("temperature", 0.5),
            "temperature",
            "Only the default (1) value",
        ),
        (
            Options(refuses=frozenset({"stream_options"})),
            ("stream_options", {"include_usage": True}),
            "stream_options",
            "Unknown parameter: 'stream_options'.",
        ),
        (Options(efforts=("low", "high")), ("reasoning_effort", "max"), "reasoning_effort", "are: 'low', 'high'."),
        (Options(system_role=False), ("messages", 0, "content", "x"), "messages[0].role", "does not support 'system'"),
    ],
)
def test_a_model_may_take_less_and_names_what(options, change, param, sentence):
    body = changed(GOOD, change)
    assert alone("openai-compat", body) is None
    with strict(SAYS_HI, options=options) as server:
        status, raw = post(server, PATHS["openai-compat"], body)
    error = json.loads(raw)["error"]
    assert (status, error["param"]) == (400, param)
    assert sentence in error["message"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([], None),
        ([("messages", 4, USER)], None),
        ([("messages", 4, ASSISTANT), ("messages", 5, USER)], None),
        ([("messages", 2, "content", "")], None),
        ([("messages", 1, "content", "I look.")], None),
        ([("messages", 3, GONE)], "The following tool_call_ids did not have response messages: c2"),
        ([("messages", 2, "tool_call_id", "c3")], "must be a response to a preceeding message with 'tool_calls'"),
        ([("messages", 4, tool("c1"))], "must be a response to a preceeding message with 'tool_calls'"),
        ([("messages", 1, "tool_calls", 0, "id", "c2")], "Duplicate value for 'tool_call_id'"),
        ([("messages", 1, GONE)], "conversation roles must alternate"),
        ([("messages", 1, "tool_calls", 0, "function", "arguments", "[]")], "must be a JSON object"),
        ([("messages", 1, "tool_calls", 0, "function", "arguments", "")], "must be a JSON object"),
        ([("messages", 1, "tool_calls", 0, "function", "arguments", {})], "'messages[1].tool_calls[0]'"),
        ([("messages", 1, "tool_calls", 0, "index", 0)], "'tool_calls', 0, 'index'"),
        ([("messages", 1, "tool_calls", 0, "id", "")], "Invalid 'messages[1].tool_calls[0]': empty string."),
        ([("messages", 1, "tool_calls", 0, "id", "c" * 41)], "string too long"),
        ([("tools", GONE)], "must define tools"),
    ],
)
def test_calls_and_results_are_paired(changes, sentence):
    assert said_so(alone("openai-compat", changed(TOOLS, *changes), FOREIGN), sentence)


@pytest.mark.parametrize(
    ("spelled", "content", "sentence"),
    [
        ("null", None, None),
        ("null", "", "Invalid 'messages[1].content': empty string."),
        ("empty", "", None),
        ("empty", None, "Invalid type for 'messages[1].content': got null instead."),
        ("empty", GONE, "Missing required parameter: 'messages[1].content'."),
        ("null", GONE, "Missing required parameter: 'messages[1].content'."),
    ],
)
def test_an_answer_of_calls_alone_spells_its_content_as_the_server_wants_it(spelled, content, sentence):
    options = Options(foreign_calls=True, empty_content=spelled)
    assert said_so(alone("openai-compat", changed(TOOLS, ("messages", 1, "content", content)), options), sentence)


def test_the_user_may_not_follow_a_tool_where_the_assistant_is_expected():
    body = changed(TOOLS, ("messages", 4, USER))
    options = Options(foreign_calls=True, user_after_tool=False)
    assert alone("openai-compat", body, options) == "Unexpected role 'user' after role 'tool'"


def test_a_call_that_the_server_never_made_is_refused_unless_foreign_ones_are_allowed():
    assert said_so(alone("openai-compat", TOOLS), "c1 is no call of this server")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"reasoning_content": "Hm."}, None),
        ({}, "The `reasoning_content` in the thinking mode must be passed back to the API."),
        ({"reasoning_content": " "}, None),
        ({"reasoning_content": "Hm"}, "The `reasoning_content` in the thinking mode must be passed back to the API."),
    ],
)
def test_reasoning_that_led_to_a_call_comes_back_where_that_is_wanted(more, sentence):
    first = changed(GOOD, ("tools", [TOOL]))
    with strict(Answer((Thought("Hm."), Call("weather"))), options=Options(wants_reasoning_content=True)) as server:
        assert refusal(server, "openai-compat", first) is None
        (call_id,) = server.memory.calls
        body = changed(first, ("messages", [SYSTEM, USER, calling(call_id, **more), tool(call_id)]))
        assert said_so(refusal(server, "openai-compat", body), sentence)
