"""Prompt caching: what asks for it, what keeps it (a prefix that is the same to the byte), and what is told of it."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from mewcode.llm.client import ToolSchema
from mewcode.llm.collect import collect
from mewcode.llm.conversation import Conversation
from mewcode.llm.events import StreamEnd
from mewcode.llm.messages import Usage
from tests.fakes.dialects import ALL, CHAT, MESSAGES, RESPONSES, connected, conversation, each_dialect
from tests.fakes.sse_server import Reply, serving
from tests.loopback.answers import message_block, message_end, tool_use
from tests.loopback.turned import turned

if TYPE_CHECKING:
    from tests.fakes.sse_server import Heard

THINKING = {"type": "thinking", "thinking": "", "signature": ""}
SIGNED = {"type": "signature_delta", "signature": "x=="}
EPHEMERAL = {"type": "ephemeral"}
CITY = {"type": "object", "properties": {"city": {"type": "string"}, "area": {"type": "string"}}, "required": ["city"]}
TOOLS = (
    ToolSchema("weather", "The weather 天気", CITY),
    ToolSchema("time", "The time", {"type": "object"}),
)


def sent(dialect, *conversations, prompt_cache=True, **settings):
    """The body of each conversation's request, over one client."""
    with serving(dialect.answer("Hi")) as server:
        config = replace(dialect.config(server.url), prompt_cache=prompt_cache, **settings)
        with connected(config) as client:
            for spoken in conversations or (conversation(),):
                list(client.stream(spoken))
        return [server.request().json for _ in range(server.requests.qsize())]


def test_messages_ask_for_a_cache_with_one_mark_at_the_top():
    [body] = sent(MESSAGES)
    assert body["cache_control"] == EPHEMERAL
    assert json.dumps(body).count("cache_control") == 1


def test_responses_name_the_conversation_and_another_one_has_another_name():
    first, second = conversation(), conversation()
    keys = [body["prompt_cache_key"] for body in sent(RESPONSES, first, first, second, first)]
    assert keys[0] == keys[1] == keys[3] != keys[2]
    assert all(isinstance(key, str) and 0 < len(key) <= 64 for key in keys)


def test_the_name_of_a_conversation_stays_over_a_change_of_the_model_and_a_new_client():
    spoken = conversation()
    [first], [second] = sent(RESPONSES, spoken), sent(RESPONSES, spoken, model="other")
    assert first["prompt_cache_key"] == second["prompt_cache_key"]


@pytest.mark.parametrize("cache", [True, False])
def test_chat_completions_get_no_field_that_they_might_not_know(cache):
    [body] = sent(CHAT, prompt_cache=cache)
    assert body.keys() == {"model", "messages", "stream", "stream_options"}


@each_dialect
def test_switched_off_nothing_asks_for_a_cache(dialect):
    [with_it], [without] = sent(dialect), sent(dialect, prompt_cache=False)
    assert "cache" not in json.dumps(without)
    assert without == {name: value for name, value in with_it.items() if "cache" not in name}


def raw(heard: Heard, name: str) -> bytes:
    """A top-level member as it was written."""
    text = heard.body.decode()
    start = text.index(f'"{name}":') + len(name) + 3
    _, end = json.JSONDecoder().raw_decode(text, len(text) - len(text[start:].lstrip()))
    return text[start:end].strip().encode()


HISTORY = {"anthropic": "messages", "openai": "input", "openai-compat": "messages"}
FIXED = {"anthropic": ("system", "tools"), "openai": ("instructions", "tools"), "openai-compat": ("tools",)}


def talk(dialect, *replies: Reply) -> list[Heard]:
    """The requests of one conversation with tools: each answer is kept, and followed by a question."""
    with serving(*replies) as server, connected(replace(dialect.config(server.url), prompt_cache=True)) as client:
        spoken = Conversation()
        for number, _ in enumerate(replies):
            spoken.add("user", f"Question {number} 问题 \U0001f431")
            message, _usage = collect(client.stream(spoken, TOOLS))
            spoken.add("assistant", message.blocks, origin=client.origin)
        return [server.request() for _ in replies]


def assert_only_grown(dialect, requests: list[Heard]) -> None:
    for before, after in pairwise(requests):
        for name in FIXED[dialect.protocol]:
            assert raw(before, name) == raw(after, name)
        history = raw(before, HISTORY[dialect.protocol])
        assert raw(after, HISTORY[dialect.protocol]).startswith(history.removesuffix(b"]"))


@each_dialect
def test_from_turn_to_turn_a_request_only_grows_at_its_end(dialect):
    assert_only_grown(dialect, talk(dialect, *(dialect.answer(f"Answer {number} 好") for number in range(4))))


def test_a_history_of_thinking_and_calls_only_grows_at_its_end():
    thought = [
        *message_block(0, THINKING, {"type": "thinking_delta", "thinking": "Hm. 嗯"}, SIGNED),
        *tool_use(1, "toolu_1", "weather", '{"city": "Zürich", "area": "b"}'),
    ]
    calling = Reply(MESSAGES.wire(*thought, *message_end("tool_use")))
    requests = talk(MESSAGES, calling, MESSAGES.answer("Sunny"), calling, MESSAGES.answer("Still"))
    assert_only_grown(MESSAGES, requests)
    assert requests[-1].body.count(b'"thinking"') > 0


Json = dict[str, Any]
COUNTED: list[tuple[Any, Json, Usage]] = [
    (
        MESSAGES,
        {
            "input_tokens": 5,
            "cache_read_input_tokens": 1000,
            "cache_creation_input_tokens": 20,
            "output_tokens": 30,
            "output_tokens_details": {"thinking_tokens": 25},
        },
        Usage(1025, 30, 1000, 20, 25),
    ),
    (
        RESPONSES,
        {
            "input_tokens": 1025,
            "input_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 20},
            "output_tokens": 30,
            "output_tokens_details": {"reasoning_tokens": 25},
        },
        Usage(1025, 30, 1000, 20, 25),
    ),
    (
        CHAT,
        {
            "prompt_tokens": 1025,
            "prompt_tokens_details": {"cached_tokens": 1000},
            "completion_tokens": 30,
            "completion_tokens_details": {"reasoning_tokens": 25},
        },
        Usage(1025, 30, 1000, None, 25),
    ),
    (CHAT, {"prompt_tokens": 1025, "prompt_cache_hit_tokens": 0, "completion_tokens": 30}, Usage(1025, 30, 0)),
    (MESSAGES, {"input_tokens": 5, "output_tokens": 30}, Usage(5, 30)),
    (RESPONSES, {"input_tokens": 5, "output_tokens": 30}, Usage(5, 30)),
    (CHAT, {"prompt_tokens": 5, "completion_tokens": 30}, Usage(5, 30)),
    *((dialect, {}, Usage()) for dialect in ALL),
]


def ending(dialect, usage: Json) -> tuple[Any, ...]:
    """The end of an answer, with the server's count; without any for {}."""
    match dialect.protocol:
        case "anthropic":
            return {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}, {
                "type": "message_stop"
            }
        case "openai":
            response = {"id": "resp_1", "status": "completed", "usage": usage or None}
            return ({"type": "response.completed", "response": response},)
    finished = {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}
    return finished, {"choices": [], "usage": usage or None}, "[DONE]"


@pytest.mark.parametrize(("dialect", "usage", "counted"), COUNTED)
def test_what_was_cached_is_counted_alike_and_unknown_where_the_server_did_not_say(dialect, usage, counted):
    with serving(Reply(dialect.wire(*ending(dialect, usage)))) as server:
        end = turned(dialect.config(server.url)).events[-1]
    assert isinstance(end, StreamEnd)
    assert end.usage == counted
