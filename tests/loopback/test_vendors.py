"""Histories that single vendors of chat completions refuse, each in the vendor's own words and body; the id names one
of the reports.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from mewcode.llm.events import StreamEnd
from mewcode.llm.messages import ToolResultBlock, ToolUseBlock
from mewcode.llm.pairing import UNANSWERED
from tests.fakes.choosy_server import choosing, refusing
from tests.fakes.dialects import CHAT, MESSAGES, connected, conversation
from tests.fakes.strict_memory import Options
from tests.fakes.strict_plans import Answer, Call, Said, Thought
from tests.fakes.strict_server import strict
from tests.loopback.looking import LOOK, answers, bodies, called, turn
from tests.unit.refusal_bodies import anthropic, openai


def mistral(message, kind, code):
    return 400, {"object": "error", "message": message, "type": kind, "param": None, "code": code}


ORDER = mistral("Unexpected role 'user' after role 'tool'", "invalid_request_message_order", "3230")
CALL_ID = "Tool call id was {} but must be a-z, A-Z, 0-9, with a length of 9."
KIMI = "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1"
DEEPSEEK = openai("The `reasoning_content` in the thinking mode must be passed back to the API.")


def out_of_order(body):
    roles = [message["role"] for message in body["messages"]]
    return ("tool", "user") in pairwise(roles)


def ids(body):
    return [call["id"] for message in body["messages"] for call in message.get("tool_calls", [])]


def results(body):
    return [message["tool_call_id"] for message in body["messages"] if message["role"] == "tool"]


def thoughts(body):
    return [message.get("reasoning_content") for message in answers(body)]


def test_an_answer_is_put_between_a_tools_result_and_the_user_and_stays_there():  # mistral-vibe#578, zed#37021
    with choosing(refusing(CHAT, (out_of_order, ORDER))) as server, connected(CHAT.config(server.url)) as client:
        spoken = called("t1", text="Never mind")
        turn(client, spoken)
        spoken.add("user", "Again")
        turn(client, spoken)
    assert [out_of_order(body) for body in bodies(server)] == [True, False, False]
    _, first, second = [body["messages"] for body in bodies(server)]
    assert [message["role"] for message in first[1:]] == ["user", "assistant", "tool", "assistant", "user"]
    assert first[4] == {"role": "assistant", "content": UNANSWERED}
    assert second[: len(first)] == first


def test_a_template_that_counts_no_calls_is_served_in_the_same_way():
    words = "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."
    with (
        choosing(refusing(CHAT, (out_of_order, openai(words)))) as server,
        connected(CHAT.config(server.url)) as client,
    ):
        turn(client, called("t1", text="Never mind"))
    first = bodies(server)[-1]["messages"]
    assert [message["role"] for message in first] == ["system", "user", "assistant", "tool", "assistant", "user"]


def long_id(body):
    return any(not re.fullmatch("[a-zA-Z0-9]{9}", it) for it in ids(body))


def test_ids_of_calls_become_as_short_as_the_server_wants_them():  # opencode#1680, langchain#24668
    given = ["call_0fypS1hVXaaaaaaaaaaaaaaaa", "dnEN4JsJy", "functions.look:0", "call_0fypS1hVX"]
    refusal = mistral(CALL_ID.format(given[0]), "invalid_function_call", "3280")
    with choosing(refusing(CHAT, (long_id, refusal))) as server, connected(CHAT.config(server.url)) as client:
        spoken = called(*given[:3])
        turn(client, spoken)
        spoken.add("assistant", [ToolUseBlock(given[3], "look", {})])
        spoken.add("tool", [ToolResultBlock(given[3], "again")])
        turn(client, spoken)
    assert [long_id(body) for body in bodies(server)] == [True, False, False]
    _, first, second = bodies(server)
    assert len(set(ids(second))) == 4
    assert ids(first)[1] == given[1]
    assert ids(second)[:3] == ids(first)
    assert [results(body) for body in (first, second)] == [ids(first), ids(second)]


def test_a_short_id_that_another_call_was_given_is_not_used_twice():
    refusal = mistral(CALL_ID.format("call_1"), "invalid_function_call", "3280")
    with choosing(refusing(CHAT, (long_id, refusal))) as server, connected(CHAT.config(server.url)) as client:
        turn(client, called("call_1"))
        (taken,) = ids(bodies(server)[-1])
        turn(client, called("call_1", taken))
    assert ids(bodies(server)[-1])[0] == taken
    assert len(set(ids(bodies(server)[-1]))) == 2


def test_the_order_and_the_ids_are_mended_in_one_turn():
    refusal = mistral(CALL_ID.format("call_1"), "invalid_function_call", "3280")
    complaints = (out_of_order, ORDER), (long_id, refusal)
    with choosing(refusing(CHAT, *complaints)) as server, connected(CHAT.config(server.url)) as client:
        turn(client, called("call_1", text="Never mind"))
    assert len(server.heard) == 3


def test_thinking_goes_back_in_the_answer_of_a_tool_turn_too():  # kimi-cli#2141, vercel/ai#14729
    plans = (
        Answer((Thought("I look."), Call("look"))),
        Answer((Thought("I see."), Said("A cat."))),
        Answer((Said("Yes."),)),
        Answer((Said("No."),)),
    )
    with (
        strict(*plans, options=Options(wants_reasoning_content=True)) as server,
        connected(CHAT.config(server.url)) as client,
    ):
        spoken = conversation("Hello")
        message = turn(client, spoken, client.origin)
        (call,) = (block for block in message.blocks if isinstance(block, ToolUseBlock))
        spoken.add("tool", [ToolResultBlock(call.tool_id, "a cat")])
        turn(client, spoken, client.origin)
        for text in ("Really?", "Sure?"):
            spoken.add("user", text)
            turn(client, spoken, client.origin)
    assert len(server.refused) == 1
    assert thoughts(server.accepted[-1].body) == ["I look.", "I see.", " "]


@pytest.mark.parametrize("refusal", [openai(KIMI), DEEPSEEK], ids=["llmgateway#2093, pi#4178", "deepseek"])
def test_a_call_without_thinking_of_its_own_goes_back_with_a_blank(refusal):
    at_fault = lambda body: any(not thought for thought in thoughts(body))  # noqa: E731
    with choosing(refusing(CHAT, (at_fault, refusal))) as server, connected(CHAT.config(server.url)) as client:
        turn(client, called("t1"))
    assert [thoughts(body) for body in bodies(server)] == [[None], [" "]]


def test_a_call_of_another_model_is_answered_without_thinking_by_a_server_that_misses_some():  # hermes-agent#14018
    at_fault = lambda body: body.get("thinking", {}).get("type") != "disabled"  # noqa: E731
    with choosing(refusing(MESSAGES, (at_fault, anthropic(KIMI)))) as server:
        for thinking in (True, None):
            with connected(replace(MESSAGES.config(server.url, "kimi-k2.6"), thinking=thinking)) as client:
                spoken = called("t1")
                running = client.stream(spoken, [LOOK])
                assert isinstance(list(running)[-1], StreamEnd)
                assert running.remarks == ["kimi-k2.6 answers this without thinking."]
    assert [body.get("thinking", {}).get("type") for body in bodies(server)][1::2] == ["disabled"] * 2
