"""How the settings of a provider entry are spelled in a request; one that is absent is not sent."""

from __future__ import annotations

import pytest

from tests.fakes.dialects import CHAT, MESSAGES, RESPONSES, connected, conversation
from tests.fakes.sse_server import serving
from tests.loopback.test_request_body import frame, says, sent

SUMMARISED = {"thinking": {"type": "adaptive", "display": "summarized"}}
OFF = {"thinking": {"type": "disabled"}}
SEALED = {"include": ["reasoning.encrypted_content"]}
ADAPTIVE, ALWAYS, BUDGETED, PLAIN = "claude-opus-4-8", "claude-opus-5-5", "claude-haiku-4-5", "claude-3-5-haiku"
SETTINGS = [
    (MESSAGES, "tiny", {"max_output_tokens": 5}, {"max_tokens": 5}),
    (MESSAGES, "tiny", {"temperature": 0.5}, {}),
    (MESSAGES, ADAPTIVE, {"effort": "low"}, {"output_config": {"effort": "low"}, "max_tokens": 128000}),
    (RESPONSES, "tiny", {"max_output_tokens": 5}, {"max_output_tokens": 5}),
    (RESPONSES, "tiny", {"temperature": 0.0}, {"temperature": 0.0}),
    (RESPONSES, "gpt-5", {"effort": "low"}, {"reasoning": {"effort": "low"}, **SEALED}),
    (CHAT, "tiny", {"max_output_tokens": 5}, {"max_tokens": 5}),
    (CHAT, "gpt-5", {"max_output_tokens": 5}, {"max_completion_tokens": 5}),
    (CHAT, "tiny", {"temperature": 0.0}, {"temperature": 0.0}),
    (CHAT, "tiny", {"effort": "low"}, {"reasoning_effort": "low"}),
]
THINKING = [
    (MESSAGES, ADAPTIVE, None, {"max_tokens": 128000}),
    (MESSAGES, ADAPTIVE, True, {"max_tokens": 128000, **SUMMARISED}),
    (MESSAGES, ADAPTIVE, False, {"max_tokens": 128000, **OFF}),
    (MESSAGES, ALWAYS, None, {"max_tokens": 64000}),
    (MESSAGES, ALWAYS, True, {"max_tokens": 64000, **SUMMARISED}),
    (MESSAGES, ALWAYS, False, {"max_tokens": 64000}),
    (MESSAGES, BUDGETED, None, {"max_tokens": 64000}),
    (MESSAGES, BUDGETED, False, {"max_tokens": 64000, **OFF}),
    (MESSAGES, PLAIN, None, {}),
    (MESSAGES, PLAIN, True, {}),
    (MESSAGES, PLAIN, False, {}),
    (MESSAGES, "tiny", None, {}),
    (MESSAGES, "tiny", True, {"thinking": {"type": "enabled", "budget_tokens": 4096}}),
    (MESSAGES, "tiny", False, OFF),
    (RESPONSES, "gpt-5", None, SEALED),
    (RESPONSES, "gpt-5", True, {"reasoning": {"summary": "auto"}, **SEALED}),
    (RESPONSES, "gpt-5", False, {"reasoning": {"effort": "none"}, **SEALED}),
    (RESPONSES, "o3", False, SEALED),
    (RESPONSES, "gpt-4o", True, {}),
    (RESPONSES, "gpt-4o", False, {}),
    (RESPONSES, "tiny", None, {}),
    (RESPONSES, "tiny", True, {"reasoning": {"summary": "auto"}, **SEALED}),
    (RESPONSES, "tiny", False, {"reasoning": {"effort": "none"}}),
    (CHAT, "gpt-5", None, {}),
    (CHAT, "gpt-5", True, {}),
    (CHAT, "gpt-5", False, {"reasoning_effort": "none"}),
    (CHAT, "o3", False, {}),
    (CHAT, "gpt-4o", True, {}),
    (CHAT, "gpt-4o", False, {}),
    (CHAT, "tiny", None, {}),
    (CHAT, "tiny", True, {"reasoning_effort": "medium"}),
    (CHAT, "tiny", False, {"reasoning_effort": "none"}),
]


def named(rows):
    return [f"{dialect.protocol} {model} {setting}" for dialect, model, setting, _ in rows]


@pytest.mark.parametrize(("dialect", "model", "settings", "fields"), SETTINGS, ids=named(SETTINGS))
def test_a_setting_has_the_name_that_the_protocol_gives_it(dialect, model, settings, fields):
    expected = frame(dialect, says(dialect, "user", "Hello"), model=model) | fields
    assert sent(dialect, model=model, **settings) == expected


@pytest.mark.parametrize(("dialect", "model", "thinking", "fields"), THINKING, ids=named(THINKING))
def test_thinking_is_asked_for_in_the_form_that_the_model_takes(dialect, model, thinking, fields):
    expected = frame(dialect, says(dialect, "user", "Hello"), model=model) | fields
    assert sent(dialect, model=model, thinking=thinking) == expected


@pytest.mark.parametrize("limit", [1025, 2000, 64000])
def test_a_thinking_budget_is_what_the_api_accepts_and_leaves_room_for_the_answer(limit):
    body = sent(MESSAGES, model=BUDGETED, thinking=True, max_output_tokens=limit)
    assert body["thinking"]["type"] == "enabled"
    assert 1024 <= body["thinking"]["budget_tokens"] < body["max_tokens"] == limit


def test_no_thinking_is_asked_for_where_the_limit_has_no_room_for_it():
    assert "thinking" not in sent(MESSAGES, model=BUDGETED, thinking=True, max_output_tokens=1024)


def test_a_short_name_goes_out_as_the_full_id():
    assert sent(MESSAGES, model="sonnet")["model"] == "claude-sonnet-5-5"
    assert sent(CHAT, model="sonnet")["model"] == "sonnet"


def test_a_limit_set_later_holds_from_the_next_request_on():
    with serving(CHAT.answer("Hi")) as server, connected(CHAT.config(server.url)) as client:
        for limit in (None, 7):
            client.set_max_output_tokens(limit)
            list(client.stream(conversation()))
        limits = [server.request().json.get("max_tokens") for _ in range(2)]
    assert limits == [None, 7]
