"""What a server refuses about thinking, in settings and in the history, and what it gets instead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mewcode.llm.client import ToolSchema
from mewcode.llm.events import StreamEnd
from mewcode.llm.messages import TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from tests.fakes.choosy_server import bodies, choosing, having, refusing
from tests.fakes.dialects import CHAT, MESSAGES, RESPONSES, connected, conversation
from tests.loopback.turned import turned
from tests.unit import refusal_table as words
from tests.unit.refusal_bodies import anthropic, openai

LOOK = ToolSchema("look", "Looks", {"type": "object", "properties": {}})
ADAPTIVE, ENABLED = {"type": "adaptive", "display": "summarized"}, {"type": "enabled", "budget_tokens": 32_000}


@pytest.mark.parametrize(
    ("model", "refused", "said", "sent"),
    [
        ("claude-haiku-4-5", "enabled", words.ONLY_ADAPTIVE, [ENABLED, ADAPTIVE, ADAPTIVE]),
        ("claude-opus-9", "adaptive", "adaptive thinking is not supported on this model", [ADAPTIVE, ENABLED, ENABLED]),
    ],
)
def test_the_other_form_of_thinking_is_used_where_one_is_refused(model, refused, said, sent):
    at_fault = lambda body: body["thinking"]["type"] == refused  # noqa: E731
    with choosing(refusing(MESSAGES, (at_fault, anthropic(said)))) as server:
        config = replace(MESSAGES.config(server.url, model), thinking=True, effort="low")
        turns = [turned(config) for _ in range(2)]
    assert [turn.ended for turn in turns] == [True, True]
    assert [turn.remarks for turn in turns] == [[], []]
    assert bodies(server, "thinking", "output_config") == [(form, {"effort": "low"}) for form in sent]


def test_a_form_that_is_refused_as_well_is_the_end_with_the_servers_words():
    with choosing(refusing(MESSAGES, having("thinking", anthropic(words.ONLY_ADAPTIVE)))) as server:
        config = replace(MESSAGES.config(server.url, "claude-haiku-4-5"), thinking=True, effort="low")
        assert '"thinking.type.enabled" is not supported' in str(turned(config).error)
    assert bodies(server, "thinking", "output_config") == [(form, {"effort": "low"}) for form in (ENABLED, ADAPTIVE)]


def test_an_answer_to_a_tool_goes_without_thinking_where_what_was_thought_before_is_gone():
    with choosing(refusing(MESSAGES, having("thinking", anthropic(words.UNTHOUGHT)))) as server:
        spoken = conversation("Hello")
        spoken.add("assistant", [ToolUseBlock("t1", "look", {})])
        spoken.add("tool", [ToolResultBlock("t1", "nothing")])
        config = replace(MESSAGES.config(server.url, "claude-opus-4-6"), thinking=True)
        first = turned(config, spoken, [LOOK])
        assert first.ended
        turned(config)
    assert first.remarks == ["claude-opus-4-6 answers this without thinking."]
    assert bodies(server, "thinking")[:3] == [(ADAPTIVE,), (None,), (ADAPTIVE,)]


def test_thinking_that_cannot_be_switched_off_stays_on_and_the_user_is_told():
    with choosing(refusing(MESSAGES, having("thinking", anthropic(words.ALWAYS_ON)))) as server:
        first = turned(replace(MESSAGES.config(server.url, "claude-opus-4-8"), thinking=False))
    assert first.ended
    assert first.remarks == ["claude-opus-4-8 cannot be told whether to think."]
    assert bodies(server, "thinking") == [({"type": "disabled"},), (None,)]


def test_a_model_that_never_thinks_is_not_asked_to():
    refusal = anthropic('"tiny" does not support thinking')
    with choosing(refusing(MESSAGES, having("thinking", refusal))) as server:
        first = turned(replace(MESSAGES.config(server.url, "claude-opus-9"), thinking=True))
    assert first.ended
    assert first.remarks == ["claude-opus-9 does not take settings for its thinking: left out."]
    assert len(server.heard) == 2


def test_an_effort_that_only_stood_for_no_thinking_is_answered_by_the_least_there_is():
    refusal = openai(words.EFFORTS.format("none", "'minimal' and 'low'"), "reasoning.effort", "unsupported_value")
    at_fault = lambda body: body.get("reasoning") == {"effort": "none"}  # noqa: E731
    with choosing(refusing(RESPONSES, (at_fault, refusal))) as server:
        first = turned(replace(RESPONSES.config(server.url, "gpt-5"), thinking=False))
    assert first.ended
    assert first.remarks == ["gpt-5 cannot be told not to think; effort: minimal was used."]
    assert bodies(server, "reasoning")[1] == ({"effort": "minimal"},)


@pytest.mark.parametrize(
    ("dialect", "field", "thinking", "refusal"),
    [
        (CHAT, "reasoning_effort", True, openai('"tiny" does not support thinking')),
        (CHAT, "reasoning_effort", True, openai("Unrecognized request argument supplied: reasoning_effort")),
        (CHAT, "reasoning_effort", False, openai('"tiny" does not support thinking')),
        (RESPONSES, "reasoning", True, openai('"tiny" does not support thinking')),
        (RESPONSES, "reasoning", True, openai("Unsupported parameter: 'reasoning'", "reasoning")),
        (MESSAGES, "thinking", True, anthropic('"tiny" does not support thinking')),
        (MESSAGES, "thinking", False, anthropic("thinking: Extra inputs are not permitted")),
    ],
)
def test_a_model_that_nobody_knows_is_asked_to_think_or_not_and_may_refuse(dialect, field, thinking, refusal):
    with choosing(refusing(dialect, having(field, refusal))) as server:
        config = replace(dialect.config(server.url), thinking=thinking)
        turns = [turned(config) for _ in range(2)]
    assert [turn.ended for turn in turns] == [True, True]
    assert turns[0].remarks == ["tiny does not take settings for its thinking: left out."]
    assert [field in heard.json for heard in server.heard] == [True, False, False]


def test_an_effort_that_only_stood_for_thinking_is_left_out_where_the_server_knows_no_such_level():
    refusal = openai("`reasoning_effort` must be one of `none` or `default`")
    with choosing(refusing(CHAT, having("reasoning_effort", refusal))) as server:
        first = turned(replace(CHAT.config(server.url), thinking=True))
    assert first.ended
    assert first.remarks == ["tiny does not take settings for its thinking: left out."]


def answered_by_the_client(client, *blocks):
    spoken = conversation("Hello")
    spoken.add("assistant", [*blocks], origin=client.origin)
    return spoken


def test_thinking_goes_back_beside_calls_where_the_server_wants_it_and_in_the_next_turn_at_once():
    refusal = openai("The `reasoning_content` in the thinking mode must be passed back to the API.")
    calls = lambda body: [message for message in body["messages"] if "tool_calls" in message]  # noqa: E731
    at_fault = lambda body: any("reasoning_content" not in message for message in calls(body))  # noqa: E731
    with choosing(refusing(CHAT, (at_fault, refusal))) as server, connected(CHAT.config(server.url)) as client:
        spoken = answered_by_the_client(client, ThinkingBlock("I look."), ToolUseBlock("t1", "look", {}))
        spoken.add("tool", [ToolResultBlock("t1", "nothing")])
        for _ in range(2):
            assert isinstance(list(client.stream(spoken, [LOOK]))[-1], StreamEnd)
    assert [[message.get("reasoning_content") for message in calls(heard.json)] for heard in server.heard] == [
        [None],
        ["I look."],
        ["I look."],
    ]


SEALED = '{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}'
HISTORIES = [
    pytest.param(
        RESPONSES, openai(words.LOST_ITEM, "input"), ThinkingBlock("Hm.", redacted_data=SEALED), id="lost item"
    ),
    pytest.param(RESPONSES, openai(words.WRONG_SEAL), ThinkingBlock("Hm.", redacted_data=SEALED), id="wrong seal"),
    pytest.param(MESSAGES, anthropic(words.CHANGED), ThinkingBlock("Hm.", "x"), id="changed"),
    pytest.param(MESSAGES, anthropic(words.BOUND), ThinkingBlock("Hm.", "x"), id="bound"),
]


@pytest.mark.parametrize(("dialect", "refusal", "thought"), HISTORIES)
def test_a_history_whose_thinking_is_refused_goes_without_it_and_only_that_once(dialect, refusal, thought):
    thinks = lambda body: "rs_1" in str(body) or "signature" in str(body)  # noqa: E731
    with choosing(refusing(dialect, (thinks, refusal))) as server, connected(dialect.config(server.url)) as client:
        spoken = answered_by_the_client(client, thought, TextBlock("Hi"))
        spoken.add("user", "Again")
        for _ in range(2):
            turn = client.stream(spoken)
            assert isinstance(list(turn)[-1], StreamEnd)
            assert turn.remarks == []
    assert [thinks(heard.json) for heard in server.heard] == [True, False, True, False]
