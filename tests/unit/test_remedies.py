"""A refused request and the one that is sent instead. Who says what, and when, is in the table and in test_heal.py."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewcode.llm.client import ProviderConfig, Request
from mewcode.llm.messages import ApiMessage, TextBlock, ThinkingBlock, ToolUseBlock
from mewcode.providers._errors import read_fault, to_error
from mewcode.providers._heal import Healing
from mewcode.providers._memory import Place
from mewcode.providers._remedies import CHAT, MESSAGES, RESPONSES
from tests.unit import refusal_table as table
from tests.unit.refusal_bodies import anthropic, extra, openai, pydantic, vllm, vllm_extra
from tests.unit.refused_requests import ADAPTIVE, CALLING, ENABLED, FRAMES, SYSTEM, USER

CONFIG = ProviderConfig("here", "openai-compat", "tiny")
REQUEST = Request("tiny", "Be brief.", ())
REMEDIES = {"chat": CHAT, "responses": RESPONSES, "messages": MESSAGES}
CALLED_FOR = [
    pytest.param(row.protocol, refused, row.held, row.becomes, id=f"{row.protocol} {source}, {next(iter(row.becomes))}")
    for row in table.ROWS
    for source, refused in row.refusals.items()
]
RANGE = "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead."
NO_ROOM = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease `max_tokens`"
SMALL = "This model's maximum context length is 8192 tokens. However, 'max_tokens' is too large: 9000 is not supported."
WARM = {"temperature": 3.0}
# the protocol, a refusal, and what the request holds: as the user set it, or not at all what the words are about
NOT_CALLED_FOR = {
    "anthropic's range": ("messages", anthropic("temperature: range: 0..1"), WARM),
    "openai's range": ("responses", openai(RANGE, "temperature", "decimal_above_max_value"), WARM),
    "mistral's range": ("chat", pydantic({"loc": ["body", "temperature"], "msg": "Input should be at most 1.5"}), WARM),
    "deepseek's range": ("chat", openai("Invalid temperature value, the valid range of temperature is [0, 2.0]"), WARM),
    "vllm's range": ("chat", vllm("temperature must be non-negative, got -1.0."), WARM),
    "a range beside an extra field": (
        "chat",
        pydantic(extra("safe_mode"), {"loc": ["body", "temperature"], "msg": "Input should be at most 1.5"}),
        WARM,
    ),
    "an extra field, with the whole request repeated": ("chat", vllm_extra("seed", {"temperature": 3}), WARM),
    "a limit that is too low": ("responses", openai("Invalid 'max_output_tokens': below 16"), {"max_output_tokens": 5}),
    "no room for the limit": ("messages", anthropic(NO_ROOM), {"max_tokens": 21_333}),
    "a context that is smaller than the limit": ("chat", vllm(SMALL), {"max_tokens": 9000}),
    "a lower limit than what was asked for": ("messages", anthropic(table.TOO_MANY.format(9000)), {}),
    "a limit that the request does not have": ("chat", openai(table.NEW_NAME, "max_tokens"), {}),
    "a temperature that the request does not have": ("chat", openai(table.ONE_TEMPERATURE, "temperature"), {}),
    "stream itself": ("chat", openai("Unsupported value: 'stream' does not support true", "stream"), {}),
    "stream_options without stream": ("chat", openai("'stream_options' is only allowed when 'stream' is enabled."), {}),
    "another role": ("chat", openai("role 'tool' is not supported; supported are 'system', 'user'"), {}),
    "the order of roles": ("chat", openai("Unexpected role 'user' after role 'tool'"), {}),
    "one of several forms of a message": (
        "chat",
        vllm(
            "[{'type': 'literal_error', 'loc': ('body', 'messages', 0, 'role'), 'msg': \"Input should be 'user'\", "
            "'input': 'system', 'ctx': {'expected': \"'user'\"}}]"
        ),
        {},
    ),
    "content that is no null": ("chat", openai("Invalid 'content': string too long"), {"messages": [CALLING]}),
    "content that is nowhere null": ("chat", openai("content must be a string, got null"), {}),
    "thinking that nobody wants back": ("chat", openai("The `reasoning_content` must be passed back to the API."), {}),
    "a budget": ("messages", anthropic("thinking.enabled.budget_tokens: Input should be at least 1024"), ENABLED),
    "a budget above the limit": ("messages", anthropic("max_tokens must be above thinking.budget_tokens"), ENABLED),
    "a value of display": ("messages", anthropic("Thinking display has to be 'omitted'"), ADAPTIVE),
    "a tool's field": ("messages", anthropic("tools.0.custom.strict: Extra inputs are not permitted"), ADAPTIVE),
    "a signature without thinking": ("messages", anthropic("Invalid `signature` in `thinking` block"), {}),
    "an item that is not there": ("responses", openai(table.LOST_ITEM, "input"), {}),
    "a word that is no field": (
        "responses",
        openai("Unsupported file. Please include a text that is not supported otherwise."),
        {"include": ["reasoning.encrypted_content"]},
    ),
    "nothing in particular": ("chat", openai("Invalid request data"), {**WARM, "reasoning_effort": "low"}),
}


def refused(protocol, refusal, body, request=REQUEST):
    """The body that is sent instead of this one, or None."""
    status, said = refusal
    fault = read_fault(status, json.loads(json.dumps(said)), {})
    healing = Healing(REMEDIES[protocol], Place("http://here", "tiny"), request)
    return healing.correct(body, to_error(fault, CONFIG, "http://here"), fault)


def changed(body, changes):
    return {name: value for name, value in {**body, **changes}.items() if value is not None}


@pytest.mark.parametrize(("protocol", "refusal", "held", "becomes"), CALLED_FOR)
def test_what_a_server_refuses_is_taken_out_or_put_in_its_words(protocol, refusal, held, becomes):
    body = {**FRAMES[protocol], **held}
    before = json.dumps(body)
    assert refused(protocol, refusal, body) == changed(body, becomes)
    assert json.dumps(body) == before


@pytest.mark.parametrize(("protocol", "refusal", "held"), NOT_CALLED_FOR.values(), ids=NOT_CALLED_FOR)
def test_what_the_user_has_to_mend_is_not_corrected(protocol, refusal, held):
    assert refused(protocol, refusal, {**FRAMES[protocol], **held}) is None


def test_thinking_goes_back_beside_the_calls_it_led_to_where_it_is_wanted():
    call = ToolUseBlock("t1", "f", {})
    said = ApiMessage("user", (TextBlock("Hello"),))
    thoughts = [
        ApiMessage("assistant", (ThinkingBlock("Look "), ThinkingBlock("it up\ud83d."), call)),
        ApiMessage("assistant", (ThinkingBlock("Plain."), TextBlock("Hi"))),
        ApiMessage("assistant", (call,)),
    ]
    request = replace(REQUEST, messages=(said, thoughts[0], said, thoughts[1], said, thoughts[2]))
    plain = {"role": "assistant", "content": "Hi"}
    messages = [SYSTEM, USER, CALLING, USER, plain, USER, CALLING]
    words = "The `reasoning_content` in the thinking mode must be passed back to the API."
    body = refused("chat", openai(words), {**FRAMES["chat"], "messages": messages}, request)
    assert body is not None
    assert body["messages"][2] == {**CALLING, "reasoning_content": "Look it up�."}
    assert body["messages"][6] == {**CALLING, "reasoning_content": ""}
    assert [*body["messages"][:2], *body["messages"][3:6]] == [*messages[:2], *messages[3:6]]


def test_effort_never_becomes_none_unless_that_is_all_that_was_asked_for():
    for levels in ("'none' and 'low'", "'low' and 'none'"):
        words = openai(table.EFFORTS.format("minimal", levels), "reasoning_effort")
        body = refused("chat", words, {**FRAMES["chat"], "reasoning_effort": "minimal"})
        assert body is not None
        assert body["reasoning_effort"] == "low"


@given(words=st.text(max_size=60), protocol=st.sampled_from(sorted(FRAMES)))
def test_words_at_random_call_for_nothing(words, protocol):
    held = {"temperature": 0.5, "reasoning_effort": "low", **ADAPTIVE}
    assert refused(protocol, openai(words), {**FRAMES[protocol], **held}) is None


@pytest.mark.parametrize("word", ["extra inputs ", "max_tokens ", "content ", "effort ", "thinking ", "'input': "])
def test_a_refusal_of_any_length_is_read_at_once(word):
    started = time.monotonic()
    for protocol, frame in FRAMES.items():
        refused(protocol, openai(word * 10_000), frame)
    assert time.monotonic() - started < 2
