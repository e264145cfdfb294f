"""What a server sealed goes back to it as it came, beside the call or answer where it stood; the id names a report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mewcode.llm.messages import TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from tests.fakes.choosy_server import choosing, refusing
from tests.fakes.dialects import CHAT, connected, conversation
from tests.fakes.sse_server import Reply, serving
from tests.fakes.strict_memory import Options
from tests.fakes.strict_plans import Answer, Redacted, Said, Thought
from tests.fakes.strict_server import strict
from tests.loopback.answers import chunk
from tests.loopback.looking import answers, bodies, called, turn
from tests.unit.refusal_bodies import openai

if TYPE_CHECKING:
    from mewcode.llm.messages import Block

UNSIGNED = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "
    "and missing thought_signature may lead to degraded model performance. Additional data, function call "
    "`default_api:look`, position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures."
)


SIGNED = {"google": {"thought_signature": "EjQKMgEMOdbHJChLX75QUCJjyYlm"}}


def signed_answer(extra, count=1):
    """As Gemini's endpoint sends calls: each whole, without an index, the first one signed."""
    calls = [
        {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": f'{{"n": {number}}}'}}
        for number in range(count)
    ]
    calls[0] |= {"extra_content": extra}
    chunks = (chunk(tool_calls=calls), chunk("stop"), "[DONE]")
    return Reply(tuple(CHAT.wire(*chunks)))


@pytest.mark.parametrize("extra", [SIGNED, {"vertex": {"thought_signature": "AY89"}, "more": [1, None]}])
def test_what_came_beside_a_call_goes_back_with_it(extra):  # aiproxy#450, pi#6733
    with serving(signed_answer(extra, 2), CHAT.answer("Hi"), CHAT.answer("Hi")) as server:
        with connected(CHAT.config(server.url)) as client:
            spoken = conversation("Hello")
            turn(client, spoken, client.origin)
            spoken.add("tool", [ToolResultBlock(f"c{number}", "done") for number in range(2)])
            turn(client, spoken, client.origin)
            spoken.add("user", "Again")
            turn(client, spoken, client.origin)
        heard = [server.request().json for _ in range(3)]
    for body in heard[1:]:
        (answer,) = (message for message in body["messages"] if message.get("tool_calls"))
        assert [call.get("extra_content") for call in answer["tool_calls"]] == [extra, None]


def test_what_came_beside_a_call_goes_to_no_other_model():
    with serving(signed_answer(SIGNED), CHAT.answer("Hi")) as server:
        with connected(CHAT.config(server.url)) as client:
            spoken = conversation("Hello")
            turn(client, spoken, client.origin)
            spoken.add("tool", [ToolResultBlock("c0", "done")])
        with connected(CHAT.config(server.url, "small")) as client:
            turn(client, spoken)
        server.request()
        assert "extra_content" not in json.dumps(server.request().json)


def test_a_call_that_was_never_signed_gets_the_word_that_stands_for_a_signature():
    unsigned = lambda body: "extra_content" not in answers(body)[0]["tool_calls"][0]  # noqa: E731
    said = {"error": {"code": 400, "message": UNSIGNED, "status": "INVALID_ARGUMENT"}}
    with choosing(refusing(CHAT, (unsigned, (400, [said])))) as server, connected(CHAT.config(server.url)) as client:
        turn(client, called("t1", "t2"))
        turn(client, called("t1", "t2"))
    extras = [[call.get("extra_content") for call in answers(body)[0]["tool_calls"]] for body in bodies(server)]
    skipped = {"google": {"thought_signature": "skip_thought_signature_validator"}}
    assert extras == [[None, None], [skipped, None], [skipped, None]]


DETAILS = [
    {"type": "reasoning.text", "text": "I look ", "format": "anthropic-claude-v1", "index": 0},
    {"type": "reasoning.text", "text": "it up.", "format": "anthropic-claude-v1", "index": 0},
    {"type": "reasoning.text", "signature": "Et8B", "format": "anthropic-claude-v1", "index": 0},
    {"type": "reasoning.encrypted", "data": "EjQK", "format": "google-gemini-v1", "id": "t1", "index": 1},
    {"type": "reasoning.encrypted", "data": "EjQL", "format": "google-gemini-v1", "id": "t2", "index": 1},
]
WHOLE = [{**DETAILS[2], "text": "I look it up."}, *DETAILS[3:]]


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        pytest.param(DETAILS, WHOLE, id="agno#8794"),
        pytest.param(DETAILS[3:4], DETAILS[3:4], id="recorded openrouter-encrypted-reasoning-tool"),
        pytest.param(DETAILS[:2], None, id="recorded avian-kimi-tools: nothing sealed"),
        pytest.param(DETAILS[2:3], None, id="a seal without its text"),
        pytest.param([*DETAILS[:3], *DETAILS[:3]], WHOLE[:1] * 2, id="two of one index"),
    ],
)
def test_sealed_reasoning_goes_back_whole_to_the_model_that_sealed_it(pieces, whole):
    call = {"index": 0, "id": "t1", "function": {"name": "look", "arguments": "{}"}}
    chunks = [chunk(content="", reasoning_details=[piece]) for piece in pieces]
    reply = Reply(CHAT.wire(*chunks, chunk(tool_calls=[call]), chunk("tool_calls"), "[DONE]"))
    with serving(reply, CHAT.answer("Hi"), CHAT.answer("Hi")) as server:
        with connected(CHAT.config(server.url)) as client:
            spoken = conversation("Hello")
            turn(client, spoken, client.origin)
            spoken.add("tool", [ToolResultBlock("t1", "done")])
            turn(client, spoken, client.origin)
        with connected(CHAT.config(server.url, "small")) as client:
            turn(client, spoken)
        _, own, others = [server.request().json for _ in range(3)]
    assert answers(own)[0].get("reasoning_details") == whole
    assert "reasoning_details" not in json.dumps(others)


def test_sealed_reasoning_does_not_go_back_after_an_edit():
    plans = (Answer((Thought("Hm."), Redacted(), Said("Hi"))), Answer((Said("Hi"),)))
    options = Options(seals_reasoning=True)
    with strict(*plans, options=options) as server, connected(CHAT.config(server.url)) as client:
        spoken = conversation("Hello")
        turn(client, spoken, client.origin)
        spoken.add("user", "Again")
        turn(client, spoken, client.origin)
        spoken.remove(spoken.snapshot()[0].id)
        turn(client, spoken, client.origin)
    assert server.refused == []
    sealed = [any("reasoning_details" in answer for answer in answers(asked.body)) for asked in server.asked]
    assert sealed == [False, True, False]


SEALS = [
    pytest.param(openai('Invalid JSON payload received. Unknown name "extra_content"'), id="an unknown field"),
    pytest.param(openai("Thought signature is not valid."), id="not valid"),
    pytest.param(openai("messages.1.content.0: Invalid `signature` in `thinking` block"), id="agno#8794"),
]


@pytest.mark.parametrize("refusal", SEALS)
def test_seals_that_are_refused_are_left_out(refusal):
    sealed = lambda body: "extra_content" in json.dumps(body) or "reasoning_details" in json.dumps(body)  # noqa: E731
    with choosing(refusing(CHAT, (sealed, refusal))) as server, connected(CHAT.config(server.url)) as client:
        spoken = conversation("Hello")
        thought = ThinkingBlock("", details=json.dumps(DETAILS[3:]))
        blocks: list[Block] = [thought, TextBlock("I look"), ToolUseBlock("t1", "look", {}, extra=json.dumps(SIGNED))]
        spoken.add("assistant", blocks, origin=client.origin)
        spoken.add("tool", [ToolResultBlock("t1", "done")])
        turn(client, spoken)
    assert [sealed(body) for body in bodies(server)] == [True, False]
