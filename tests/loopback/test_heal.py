"""Requests that correct themselves: how many there are, what the next turn sends, and what the user is told."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from mewcode import errors
from mewcode.llm.events import StreamEnd
from mewcode.session import Session
from tests.fakes.choosy_server import bodies, choosing, having, refusing
from tests.fakes.dialects import CHAT, MESSAGES, connected, conversation
from tests.fakes.sse_server import LIMIT, Reply, json_error, serving
from tests.loopback.turned import turned
from tests.unit import refusal_table as words
from tests.unit.refusal_bodies import anthropic, openai

NEW_NAME = openai(words.NEW_NAME, "max_tokens", "unsupported_parameter")
OLD_NAME = openai("Unrecognized request argument supplied: max_completion_tokens")
ONE_TEMPERATURE = openai(words.ONE_TEMPERATURE, "temperature", "unsupported_value")
NO_USAGE = openai("Unknown parameter: 'stream_options'.", "stream_options", "unknown_parameter")
FEW_EFFORTS = openai(words.EFFORTS.format("xhigh", "'low' and 'high'"), "reasoning_effort", "unsupported_value")
NEW_MODEL = (having("max_tokens", NEW_NAME), having("temperature", ONE_TEMPERATURE))
OLD_MODEL = (having("max_completion_tokens", OLD_NAME),)


def test_a_corrected_request_is_sent_once_and_the_next_turn_is_right_at_once():
    with choosing(refusing(CHAT, *NEW_MODEL)) as server:
        config = replace(CHAT.config(server.url), max_output_tokens=100)
        with connected(config) as client:
            for _ in range(2):
                turn = client.stream(conversation())
                assert isinstance(list(turn)[-1], StreamEnd)
                assert turn.remarks == []
    assert bodies(server, "max_tokens", "max_completion_tokens") == [(100, None), (None, 100), (None, 100)]


def test_what_was_learned_holds_for_another_client_of_the_same_server_and_model():
    with choosing(refusing(CHAT, *NEW_MODEL)) as server:
        config = replace(CHAT.config(server.url), max_output_tokens=100)
        assert turned(config).ended
        assert turned(replace(config, name="again", max_output_tokens=7)).ended
    assert bodies(server, "max_tokens", "max_completion_tokens") == [(100, None), (None, 100), (None, 7)]


def test_another_model_of_the_same_server_does_not_inherit_it():
    with choosing(refusing(CHAT, *NEW_MODEL)) as server:
        config = replace(CHAT.config(server.url), max_output_tokens=100)
        turned(config)
        turned(replace(config, model="other"))
    assert bodies(server, "max_tokens")[2] == (100,)


def test_the_same_server_and_model_over_another_protocol_does_not_inherit_it():
    with choosing(lambda heard: refusing(MESSAGES if "messages" in heard.path else CHAT, *NEW_MODEL)(heard)) as server:
        assert turned(replace(CHAT.config(server.url), base_url=server.url, max_output_tokens=100)).ended
        turned(replace(MESSAGES.config(server.url), max_output_tokens=100))
    assert bodies(server, "max_tokens", "max_completion_tokens")[2] == (100, None)


def test_several_fields_are_corrected_one_after_the_other_each_once():
    rules = (
        *NEW_MODEL,
        having("stream_options", NO_USAGE),
        (lambda b: b.get("reasoning_effort") == "xhigh", FEW_EFFORTS),
    )
    with choosing(refusing(CHAT, *rules)) as server:
        config = replace(CHAT.config(server.url), max_output_tokens=100, temperature=0.5, effort="xhigh")
        first = turned(config)
        assert first.ended
        assert len(server.heard) == 5
        assert turned(config).ended
    body = server.heard[-1].json
    assert len(server.heard) == 6
    assert body["max_completion_tokens"] == 100
    assert body["reasoning_effort"] == "high"
    assert not {"max_tokens", "temperature", "stream_options"} & body.keys()
    assert first.remarks == [
        "tiny does not take a temperature: left out.",
        "tiny does not know effort xhigh: high was used.",
    ]


@pytest.mark.parametrize("max_retries", [0, 9])
def test_a_correction_that_is_refused_as_well_is_the_end_with_the_servers_words(max_retries):
    both = (*NEW_MODEL, having("max_completion_tokens", NEW_NAME))
    with choosing(refusing(CHAT, *both)) as server:
        config = replace(CHAT.config(server.url, max_retries=max_retries), max_output_tokens=100)
        for _ in range(2):
            error = turned(config).error
            assert isinstance(error, errors.BadRequest)
            assert words.NEW_NAME.rstrip(".") in str(error)
    assert bodies(server, "max_tokens", "max_completion_tokens") == [(100, None), (None, 100)] * 2


def test_a_value_out_of_range_is_the_users_to_mend():
    out_of_range = having(
        "temperature", openai("Invalid temperature value, the valid range of temperature is [0, 2.0]")
    )
    with choosing(refusing(CHAT, out_of_range)) as server:
        error = turned(replace(CHAT.config(server.url), temperature=3.0)).error
    assert len(server.heard) == 1
    assert "the valid range of temperature is [0, 2.0]" in str(error)


def test_a_corrected_request_that_fails_otherwise_is_tried_again_in_its_corrected_form():
    busy = iter([json_error(503, {"error": {"message": "later"}}, Retry_After="0.01")] * 2)

    def rule(heard):
        judged = refusing(CHAT, *NEW_MODEL)(heard)
        return judged if judged.status == 400 else next(busy, judged)

    with choosing(rule) as server:
        config = replace(CHAT.config(server.url, max_retries=9), max_output_tokens=100, temperature=0.5)
        first = turned(config)
        assert first.ended
        assert len(first.retries) == 2
        assert first.remarks == ["tiny does not take a temperature: left out."]
        assert turned(config).ended
    assert bodies(server, "max_tokens", "temperature") == [(100, 0.5), (None, 0.5), *[(None, None)] * 4]


def test_a_correction_that_nobody_answered_is_no_knowledge():
    later = iter([json_error(503, {"error": {"message": "later"}})])
    answers = refusing(CHAT, having("max_tokens", NEW_NAME))
    with choosing(lambda heard: answers(heard) if "max_tokens" in heard.json else next(later, CHAT.answer())) as server:
        config = replace(CHAT.config(server.url), max_output_tokens=100)
        assert isinstance(turned(config).error, errors.ServerError)
        assert turned(config).ended
    assert bodies(server, "max_tokens") == [(100,), (None,), (100,), (None,)]


def test_a_server_that_changes_its_mind_is_asked_anew():
    minds = [NEW_MODEL, NEW_MODEL, OLD_MODEL, OLD_MODEL]
    with choosing(lambda heard: refusing(CHAT, *minds.pop(0))(heard)) as server:
        config = replace(CHAT.config(server.url), max_output_tokens=100)
        assert turned(config).ended
        assert isinstance(turned(config).error, errors.BadRequest)
        assert turned(config).ended
    assert bodies(server, "max_tokens") == [(100,), (None,), (None,), (100,)]


def test_a_refusal_in_the_stream_before_any_text_is_corrected_too():
    refusal = Reply(CHAT.wire({"error": {"code": 400, "message": words.NEW_NAME}, "choices": []}))
    with choosing(lambda heard: refusal if "max_tokens" in heard.json else CHAT.answer("Hi")) as server:
        assert turned(replace(CHAT.config(server.url), max_output_tokens=100)).ended
    assert len(server.heard) == 2


def test_a_refusal_after_text_is_not_corrected():
    failing = (*CHAT.begun("Hel"), *CHAT.wire({"error": {"code": 400, "message": words.NEW_NAME}}))
    with choosing(lambda heard: Reply(failing)) as server:
        assert isinstance(turned(replace(CHAT.config(server.url), max_output_tokens=100)).error, errors.BadRequest)
    assert len(server.heard) == 1


@pytest.mark.parametrize("set_by_user", [300_000, None])
def test_the_servers_own_number_is_the_limit_and_the_user_is_told_of_theirs_alone(set_by_user):
    refusal = anthropic(words.TOO_MANY.format(8192))
    with choosing(refusing(MESSAGES, (lambda body: body["max_tokens"] > 8192, refusal))) as server:
        config = replace(MESSAGES.config(server.url, "claude-opus-9"), max_output_tokens=set_by_user)
        first = turned(config)
        turned(config)
        turned(replace(config, max_output_tokens=5))
    assert first.ended
    assert first.remarks == (["claude-opus-9 writes at most 8,192 tokens."] if set_by_user else [])
    assert [limit for (limit,) in bodies(server, "max_tokens")[1:]] == [8192, 8192, 5]


def test_an_older_server_is_not_asked_to_cache():
    with choosing(
        refusing(MESSAGES, having("cache_control", anthropic("cache_control: Extra inputs are not permitted")))
    ) as server:
        config = replace(MESSAGES.config(server.url), prompt_cache=True)
        first = turned(config)
        assert first.ended
        assert turned(config).ended
    assert first.remarks == []
    assert bodies(server, "cache_control") == [({"type": "ephemeral"},), (None,), (None,)]


def test_what_was_left_out_is_said_of_an_answer_that_failed_too():
    refused = json_error(400, {"error": {"message": "Unsupported parameter: temperature"}})
    ready = threading.Event()
    with (
        serving(refused, json_error(500, {})) as server,
        connected(replace(CHAT.config(server.url), temperature=0.5)) as client,
    ):
        session = Session(client, ready.set)
        asked = session.ask("Hello")
        while session.running:
            assert ready.wait(LIMIT)
            ready.clear()
            session.pump()
    assert session.failure(asked) is not None
    assert session.note(asked) == "tiny does not take a temperature: left out."
