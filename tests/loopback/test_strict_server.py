"""The strict server itself: what it answers, what it notes, and that our own client is never refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from mewcode.errors import BadRequest, Overloaded, RateLimited, ServerError
from mewcode.llm.client import ToolSchema
from mewcode.llm.collect import collect
from mewcode.llm.conversation import Conversation
from mewcode.llm.events import Cancelled, StreamEnd, StreamError, TextDelta
from mewcode.llm.messages import ThinkingBlock, ToolResultBlock, ToolUseBlock
from tests.fakes.dialects import connected, each_dialect
from tests.fakes.sse_server import LIMIT
from tests.fakes.strict_memory import Options
from tests.fakes.strict_plans import Answer, Call, Cut, Fault, Finish, Redacted, Said, Silence, Status, Thought
from tests.fakes.strict_server import strict
from tests.loopback.posting import PATHS, SAYS_HI, alone, post

MODELS = {"anthropic": "claude-sonnet-4-6", "openai": "gpt-6-sol", "openai-compat": "tiny"}
WEATHER = ToolSchema("weather", "Tells the weather", {"type": "object", "properties": {"city": {"type": "string"}}})
HELLO: dict[str, dict[str, Any]] = {
    "anthropic": {"max_tokens": 5, "messages": [{"role": "user", "content": "Hello"}]},
    "openai": {
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]}],
        "store": False,
    },
    "openai-compat": {"messages": [{"role": "user", "content": "Hello"}]},
}
HALF_SAID = Answer((Said("Ha", whole=False),), Silence())
each_protocol = pytest.mark.parametrize("protocol", PATHS)


def hello(protocol):
    return {"model": "m", "stream": True} | HELLO[protocol]


def configured(dialect, server, **settings):
    config = dialect.config(server.url, MODELS[dialect.protocol])
    return replace(config, **({"max_retries": 0, "thinking": True} | settings))


def next_answer(client, spoken, tools=()):
    """Ask, and keep the answer in the conversation."""
    message, _ = collect(client.stream(spoken, tools))
    spoken.add("assistant", message.blocks, status=message.status, origin=client.origin)
    return message


@each_protocol
@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"\xff{}", b'{"stream": NaN}', b'{"stream": true, "model": "\\ud83d"}']
)
def test_what_is_no_json_object_of_whole_characters_is_refused(protocol, body):
    assert "The request body is not valid JSON" in (alone(protocol, body) or "")


@each_protocol
def test_a_request_for_a_whole_document_is_refused(protocol):
    assert "only streams" in (alone(protocol, hello(protocol) | {"stream": False}) or "")


def test_another_path_is_not_found():
    with strict(SAYS_HI) as server:
        assert post(server, "/v1/v1/messages", hello("anthropic"))[0] == 404
        assert server.asked == []


@pytest.mark.parametrize(
    ("protocol", "broken", "form"),
    [
        ("anthropic", {"top_k": 1}, {"type": "error", "error": {"type": "invalid_request_error"}}),
        ("openai", {"top_k": 1}, {"error": {"type": "invalid_request_error", "param": "top_k"}}),
        ("openai-compat", {"top_k": 1}, {"object": "error", "type": "BadRequestError", "code": 400}),
        ("openai-compat", {"max_tokens": 0}, {"error": {"param": "max_tokens", "code": "integer_below_min_value"}}),
    ],
)
def test_a_refusal_has_the_form_of_its_vendor(protocol, broken, form):
    with strict(SAYS_HI) as server:
        status, raw = post(server, PATHS[protocol], hello(protocol) | broken)
    answer = json.loads(raw)
    assert status == 400
    assert answer == answer | {key: value for key, value in form.items() if key != "error"}
    assert answer.get("error") == (answer["error"] | form["error"] if "error" in form else None)


@each_protocol
def test_refusals_and_acceptances_are_noted_in_order(protocol):
    with strict(SAYS_HI, Status(500)) as server:
        for body in (hello(protocol), hello(protocol) | {"top_k": 1}, hello(protocol)):
            post(server, PATHS[protocol], body)
        assert [asked.body for asked in server.accepted] == [hello(protocol)] * 2
        assert len(server.refused) == 1
        assert [asked.refusal for asked in server.asked] == [None, server.refused[0], None]


def test_a_function_may_plan_each_answer_by_its_request():
    with strict(lambda asked: Answer((Said(f"for {asked.protocol}"),))) as server:
        for protocol, path in PATHS.items():
            said = "".join(post(server, path, hello(protocol))[1].decode().split(protocol)[:1])
            assert protocol not in said


@each_dialect
def test_an_answer_is_planned_part_by_part(dialect):
    parts = (Thought(" Hm \n"), Redacted(), Said("I look."), Call("weather", '{"city": "Bern"}'), Call("weather"))
    with strict(Answer(parts)) as server, connected(configured(dialect, server)) as client:
        message = next_answer(client, said_hello(), (WEATHER,))
    kinds = [type(block) for block in message.blocks if not isinstance(block, ThinkingBlock)]
    assert kinds[1:] == [ToolUseBlock, ToolUseBlock]
    assert message.text == "I look."
    assert [block.arguments for block in message.blocks[-2:]] == [{"city": "Bern"}, {}]
    thinking = [block for block in message.blocks if isinstance(block, ThinkingBlock)]
    assert [block.text for block in thinking] == ([" Hm \n"] if dialect.protocol == "openai-compat" else [" Hm \n", ""])


@each_dialect
@pytest.mark.parametrize(
    ("plan", "error"),
    [
        (Status(500), ServerError),
        (Status(429, "Rate limit reached", retry_after="1"), RateLimited),
        (Status(400, "No."), BadRequest),
        (Answer((Said("Ha"),), Fault()), Overloaded),
    ],
)
def test_an_error_is_planned_like_an_answer(dialect, plan, error):
    with strict(plan) as server, connected(configured(dialect, server)) as client:
        end = list(client.stream(said_hello()))[-1]
    assert isinstance(end, StreamError)
    assert isinstance(end.error, error)


@each_dialect
@pytest.mark.parametrize(
    "plan",
    [
        Answer((Thought("Hm", whole=False),), Cut()),
        Answer((Thought("Hm"),), Cut()),
        Answer((Thought("Hm"), Said("Ha", whole=False)), Cut()),
        Answer((Thought("Hm"), Said("Ha")), Cut()),
        Answer((Thought("Hm"), Said("Ha")), Cut(), after=3),
        Answer((), Cut(), after=0),
        Cut(),
    ],
)
def test_an_answer_can_break_off_anywhere(dialect, plan):
    with strict(plan) as server, connected(configured(dialect, server)) as client:
        events = list(client.stream(said_hello()))
    assert isinstance(events[-1], StreamError)


@each_dialect
def test_a_token_limit_is_an_end(dialect):
    limited = Answer((Said("Ha"),), Finish("max_tokens"))
    with strict(limited) as server, connected(configured(dialect, server)) as client:
        end = list(client.stream(said_hello()))[-1]
    assert isinstance(end, StreamEnd)
    assert end.stop_reason == "max_tokens"


@each_dialect
@pytest.mark.parametrize("plan", [Silence(), HALF_SAID, Answer((), Silence(), after=0)])
def test_a_silence_lasts_until_the_client_leaves(dialect, plan):
    with strict(plan, SAYS_HI) as server, connected(configured(dialect, server)) as client:
        turn = client.stream(spoken := said_hello())
        server.arrived.get(timeout=LIMIT)
        if plan == HALF_SAID:
            first = next(iter(turn))
            assert isinstance(first, TextDelta)
            assert first.text == "H"
        turn.cancel()
        assert isinstance(list(turn)[-1], Cancelled)
        assert next_answer(client, spoken).text == "Hi"
        assert server.refused == []


def said_hello():
    spoken = Conversation()
    spoken.add("user", "Hello")
    return spoken


@each_dialect
@pytest.mark.parametrize("thinking", [True, False, None])
def test_our_client_is_not_refused_in_a_chat(dialect, thinking):
    answer = Answer((Thought(" Hm \n"), Redacted(), Said(" Hi\n")))
    with strict(answer) as server, connected(configured(dialect, server, thinking=thinking)) as client:
        spoken = said_hello()
        for _ in range(3):
            assert next_answer(client, spoken).text == " Hi\n"
            spoken.add("user", "Again")
        assert server.refused == []


@each_dialect
def test_our_client_is_not_refused_in_a_tool_turn(dialect):
    calls = (Call("weather", '{"city": "Bern"}'), Call("weather", '{"city": "Zü'), Call("weather"))
    answers = [Answer((Thought("Hm"), Said("I look."), *calls)), Answer((Thought("So"), *calls)), SAYS_HI]
    with strict(*answers) as server, connected(configured(dialect, server)) as client:
        spoken = said_hello()
        while asked := [it for it in next_answer(client, spoken, (WEATHER,)).blocks if isinstance(it, ToolUseBlock)]:
            spoken.add("tool", [ToolResultBlock(call.tool_id, "22 °C") for call in asked])
        spoken.add("user", "And?")
        next_answer(client, spoken, (WEATHER,))
        assert (server.refused, len(server.accepted)) == ([], 4)


@each_dialect
def test_what_our_client_keeps_of_an_answer_that_broke_off_is_not_refused(dialect):
    broken = Answer((Thought("Hm"), Said("Ha", whole=False)), Cut())
    with strict(broken, SAYS_HI) as server, connected(configured(dialect, server)) as client:
        spoken = said_hello()
        answer = spoken.add("assistant", status="streaming", origin=client.origin)
        for event in client.stream(spoken):
            if isinstance(event, TextDelta):
                spoken.append(answer, event.text)
        spoken.finish(answer, "interrupted")
        spoken.add("user", "Again")
        assert next_answer(client, spoken).text == "Hi"
        assert server.refused == []


@each_dialect
def test_our_client_is_refused_by_a_server_that_takes_nothing(dialect):
    closed = Options(refuses=frozenset({"stream"}))
    with strict(SAYS_HI, options=closed) as server, connected(configured(dialect, server)) as client:
        end = list(client.stream(said_hello()))[-1]
        assert isinstance(end, StreamError)
        assert isinstance(end.error, BadRequest)
        assert "stream" in server.refused[0]
