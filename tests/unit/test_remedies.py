"""A refused request and the one that is sent instead. Who says what, and when, is in the table and in test_heal.py."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewcode.llm.client import ProviderConfig, Request
from mewcode.llm.messages import ApiMessage, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from mewcode.providers._errors import read_fault, to_error
from mewcode.providers._heal import Healing
from mewcode.providers._memory import Place
from mewcode.providers._remedies import CHAT, MESSAGES, RESPONSES
from tests.unit import refusal_table as table
from tests.unit.refusal_bodies import anthropic, extra, openai, pydantic, vllm, vllm_extra
from tests.unit.refused_requests import ADAPTIVE, CALLING, ENABLED, FRAMES, SYSTEM, USER, Json

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
        ApiMessage("assistant", (TextBlock("Yes"),)),
    ]
    answers = [message for thought in thoughts for message in (said, thought)]
    request = replace(REQUEST, messages=tuple(answers))
    plain: Json = {"role": "assistant", "content": "Hi"}
    unthought: Json = {"role": "assistant", "content": "Yes"}
    messages: list[Json] = [SYSTEM, USER, CALLING, USER, plain, USER, CALLING, USER, unthought]
    words = "The `reasoning_content` in the thinking mode must be passed back to the API."
    body = refused("chat", openai(words), {**FRAMES["chat"], "messages": messages}, request)
    assert body is not None
    expected = {2: "Look it up�.", 4: "Plain.", 6: " ", 8: " "}
    assert body["messages"] == [
        {**message, "reasoning_content": expected[place]} if place in expected else message
        for place, message in enumerate(messages)
    ]


def test_thinking_goes_back_where_it_was_without_a_call_and_none_is_made_up():
    thought = ApiMessage("assistant", (ThinkingBlock("Plain."), TextBlock("Hi")))
    plain = ApiMessage("assistant", (TextBlock("Hi"),))
    said = ApiMessage("user", (TextBlock("Hello"),))
    request = replace(REQUEST, messages=(said, plain, said, thought, said))
    answer = {"role": "assistant", "content": "Hi"}
    words = "The `reasoning_content` in the thinking mode must be passed back to the API."
    body = refused("chat", openai(words), {**FRAMES["chat"], "messages": [USER, answer, USER, answer, USER]}, request)
    assert body is not None
    assert body["messages"] == [USER, answer, USER, {**answer, "reasoning_content": "Plain."}, USER]


def test_thinking_finds_its_answer_beside_one_that_was_put_in():
    call, result = ToolUseBlock("t1", "f", {}), ToolResultBlock("t1", "done")
    said = ApiMessage("user", (TextBlock("Hello"),))
    interrupted = ApiMessage("user", (result, TextBlock("Hello")))
    calls = ApiMessage("assistant", (ThinkingBlock("One."), call))
    answer = ApiMessage("assistant", (ThinkingBlock("Two."), TextBlock("Hi")))
    request = replace(REQUEST, messages=(said, calls, interrupted, answer, said))
    told, hi = {"role": "tool", "tool_call_id": "t1", "content": "done"}, {"role": "assistant", "content": "Hi"}
    body = {**FRAMES["chat"], "messages": [SYSTEM, USER, CALLING, told, USER, hi, USER]}
    healed = refused("chat", vllm("Unexpected role 'user' after role 'tool'"), body, request)
    assert healed is not None
    words = "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"
    healed = refused("chat", openai(words), healed, request)
    assert healed is not None
    thoughts = [message.get("reasoning_content") for message in healed["messages"] if message["role"] == "assistant"]
    assert thoughts == ["One.", " ", "Two."]


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
