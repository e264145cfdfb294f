"""What the body of a request says, compared whole, on all three protocols."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mewcode.llm.client import ToolSchema
from mewcode.llm.messages import Origin, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from mewcode.llm.registry import create_client
from tests.fakes.dialects import CHAT, MESSAGES, RESPONSES, SYSTEM, connected, conversation, each_dialect
from tests.fakes.sse_server import serving

if TYPE_CHECKING:
    from mewcode.llm.conversation import Conversation

WEATHER = ToolSchema("weather", "Tells the weather", {"type": "object", "properties": {"city": {"type": "string"}}})
SUMMER = {"city": "Zürich"}


def sent(dialect, spoken=None, tools=(), model="tiny", **settings):
    """The body that the server gets."""
    with serving(dialect.answer("Hi")) as server:
        config = replace(dialect.config(server.url, model), **settings)
        with connected(config) as client:
            list(client.stream(spoken or conversation(), tools))
        return server.request().json


def frame(dialect, *messages, model="tiny"):
    """The body around the messages, in its wire form, when nothing is set."""
    match dialect.protocol:
        case "anthropic":
            return {"model": model, "max_tokens": 8192, "system": SYSTEM, "messages": [*messages], "stream": True}
        case "openai":
            items = [item for message in messages for item in message]
            return {"model": model, "instructions": SYSTEM, "input": items, "store": False, "stream": True}
    system = {"role": "system", "content": SYSTEM}
    usage = {"include_usage": True}
    return {"model": model, "messages": [system, *messages], "stream": True, "stream_options": usage}


def says(dialect, role, *texts):
    """A message of text alone, in its wire form."""
    match dialect.protocol:
        case "anthropic":
            return {"role": role, "content": [{"type": "text", "text": text} for text in texts]}
        case "openai":
            kind = "output_text" if role == "assistant" else "input_text"
            return [{"type": "message", "role": role, "content": [{"type": kind, "text": text}]} for text in texts]
    return {"role": role, "content": "\n\n".join(texts)}


def tool_history():
    spoken = conversation("How is it?")
    call, other = ToolUseBlock("t1", "weather", SUMMER), ToolUseBlock("t2", "weather", {})
    spoken.add("assistant", [TextBlock("I look."), call, other])
    spoken.add("tool", [ToolResultBlock("t2", "no city", is_error=True), ToolResultBlock("t1", "22 °C")])
    spoken.add("user", "And?")
    return spoken


@each_dialect
def test_a_chat_of_two_turns_goes_out_with_its_system_prompt(dialect):
    said = [says(dialect, "user", "Hello"), says(dialect, "assistant", "Hi 你好"), says(dialect, "user", "Again\n🐱")]
    assert sent(dialect, conversation("Hello", "Hi 你好", "Again\n🐱")) == frame(dialect, *said)


@each_dialect
def test_no_system_prompt_is_no_field(dialect):
    with serving(dialect.answer("Hi")) as server:
        with closing(create_client(dialect.config(server.url), "")) as client:
            list(client.stream(conversation()))
        body = server.request().json
    assert "system" not in json.dumps(body)
    assert "instructions" not in body


@pytest.mark.parametrize(
    ("dialect", "tool"),
    [
        (MESSAGES, {"name": "weather", "description": "Tells the weather", "input_schema": dict(WEATHER.parameters)}),
        (
            RESPONSES,
            {
                "type": "function",
                "name": "weather",
                "description": "Tells the weather",
                "parameters": dict(WEATHER.parameters),
                "strict": False,
            },
        ),
        (
            CHAT,
            {
                "type": "function",
                "function": {
                    "name": "weather",
                    "description": "Tells the weather",
                    "parameters": dict(WEATHER.parameters),
                },
            },
        ),
    ],
)
def test_tools_are_offered_in_the_form_of_the_protocol(dialect, tool):
    expected = frame(dialect, says(dialect, "user", "Hello")) | {"tools": [tool]}
    assert sent(dialect, tools=(WEATHER,)) == expected


TOOL_TURNS: dict[str, list[Any]] = {
    "anthropic": [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "weather", "input": SUMMER},
                {"type": "tool_use", "id": "t2", "name": "weather", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "22 °C", "is_error": False},
                {"type": "tool_result", "tool_use_id": "t2", "content": "no city", "is_error": True},
                {"type": "text", "text": "And?"},
            ],
        },
    ],
    "openai": [
        [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
            {"type": "function_call", "call_id": "t1", "name": "weather", "arguments": '{"city": "Zürich"}'},
            {"type": "function_call", "call_id": "t2", "name": "weather", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "t1", "output": "22 °C"},
            {"type": "function_call_output", "call_id": "t2", "output": "Error: no city"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "And?"}]},
        ]
    ],
    "openai-compat": [
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"id": "t1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Zürich"}'}},
                {"id": "t2", "type": "function", "function": {"name": "weather", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "22 °C"},
        {"role": "tool", "tool_call_id": "t2", "content": "Error: no city"},
        {"role": "user", "content": "And?"},
    ],
}


@each_dialect
def test_calls_and_their_results_go_back_where_tools_are_offered(dialect):
    body = sent(dialect, tool_history(), tools=(WEATHER,))
    assert body.pop("tools")
    assert body == frame(dialect, says(dialect, "user", "How is it?"), *TOOL_TURNS[dialect.protocol])


@each_dialect
def test_half_a_character_of_a_server_does_not_break_the_next_request(dialect):
    body = sent(dialect, conversation("Hello", "a\ud83d b", "Again"))
    said = [says(dialect, "user", "Hello"), says(dialect, "assistant", "a\ufffd b"), says(dialect, "user", "Again")]
    assert body == frame(dialect, *said)


REASONED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed=="}
BARE = {"type": "reasoning", "id": "rs_2", "summary": []}
THOUGHTS = {
    "anthropic": (
        [ThinkingBlock("Hm.", "sig=="), ThinkingBlock("", "sig2"), ThinkingBlock("", redacted_data="opaque")],
        [
            {"type": "thinking", "thinking": "Hm.", "signature": "sig=="},
            {"type": "thinking", "thinking": "", "signature": "sig2"},
            {"type": "redacted_thinking", "data": "opaque"},
        ],
    ),
    "openai": ([ThinkingBlock("Hm.", redacted_data=json.dumps(REASONED))], [REASONED]),
    "openai-compat": ([ThinkingBlock("Hm.")], []),
}


def answered_by(origin, blocks):
    spoken: Conversation = conversation("Hello")
    spoken.add("assistant", [*blocks, TextBlock("Hi")], origin=origin)
    spoken.add("user", "Again")
    return spoken


def thought_and_said(dialect, wired):
    """The assistant's message with its thinking in front, in its wire form."""
    message = says(dialect, "assistant", "Hi")
    match dialect.protocol:
        case "anthropic":
            return message | {"content": [*wired, *message["content"]]}
        case "openai":
            return [*wired, *message]
    return message


@each_dialect
def test_thinking_goes_back_verbatim_to_the_one_who_thought_it(dialect):
    blocks, wired = THOUGHTS[dialect.protocol]
    with serving(dialect.answer("Hi")) as server:
        config = dialect.config(server.url)
        with connected(config) as client:
            list(client.stream(answered_by(client.origin, blocks)))
        body = server.request().json
    said = [says(dialect, "user", "Hello"), thought_and_said(dialect, wired), says(dialect, "user", "Again")]
    assert body == frame(dialect, *said)


@each_dialect
@pytest.mark.parametrize("other", ["provider", "base_url", "model"])
def test_thinking_of_anybody_else_is_left_out(dialect, other):
    blocks, _ = THOUGHTS[dialect.protocol]
    with serving(dialect.answer("Hi")) as server:
        config = dialect.config(server.url)
        own = Origin(config.name, config.base_url, config.model)
        with connected(config) as client:
            list(client.stream(answered_by(own._replace(**{other: "another"}), blocks)))
        body = server.request().json
    said = [says(dialect, "user", "Hello"), says(dialect, "assistant", "Hi"), says(dialect, "user", "Again")]
    assert body == frame(dialect, *said)


@pytest.mark.parametrize(
    ("dialect", "block"),
    [(MESSAGES, ThinkingBlock("Hm.")), (RESPONSES, ThinkingBlock("Hm.", redacted_data=json.dumps(BARE)))],
    ids=["no signature", "nothing but an id"],
)
def test_thinking_that_the_server_would_refuse_is_left_out(dialect, block):
    with serving(dialect.answer("Hi")) as server, connected(dialect.config(server.url)) as client:
        list(client.stream(answered_by(client.origin, [block])))
        body = server.request().json
    said = [says(dialect, "user", "Hello"), says(dialect, "assistant", "Hi"), says(dialect, "user", "Again")]
    assert body == frame(dialect, *said)
