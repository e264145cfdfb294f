"""Answers that do not end well: what came stays, it is marked, the reason is named, and the chat goes on."""

from __future__ import annotations

import re
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from mewcode.errors import Overloaded, StreamInterrupted
from mewcode.llm.client import ProviderConfig
from mewcode.llm.events import StreamError, TextDelta
from tests.cases.case import EVENT_STREAM, Case, answer
from tests.cases.play import TAG, case_serving, config_file, crashed, cut_off, once, play, provider, screen
from tests.cases.strict import said
from tests.fakes.case_server import Step
from tests.fakes.dialects import connected, conversation
from tests.fakes.program import Home

HALF = "Half an ans"
IDLE = 3
BODIES = {"openai-compat": "chat.sse", "anthropic": "anthropic.sse", "openai": "responses.sse"}
EXAMPLE = Path(__file__).resolve().parents[2] / "config.yaml.example"

each_protocol = pytest.mark.parametrize("protocol", BODIES)


def test_c007_an_overload_inside_the_stream_keeps_the_text_and_is_not_tried_again():
    played = play(Case("C007"))
    assert (played.ran.code, played.ran.text) == (75, HALF)
    assert "overloaded" in played.ran.err.lower()
    assert (len(played.once_requests), len(played.requests)) == (1, 1)
    assert (played.message.text, played.message.status) == (HALF, "interrupted")
    assert isinstance(played.failure, Overloaded)
    assert HALF in played.shown
    assert "overloaded" in played.shown.lower()


def test_c007_the_half_answer_is_marked_as_cut_off():
    assert cut_off(play(Case("C007")).shown)


def test_c007_the_next_message_is_a_valid_request():
    case = Case("C007")
    with case_serving(*case.steps) as server, screen(server.url, case.protocol) as chat:
        chat.turn("first")
        assert (chat.turn("second").text, len(server.requests)) == ("ok", 2)
    assert said(server.requests[1]) == [("user", "first"), ("assistant", HALF), ("user", "second")]


@pytest.mark.parametrize(("place", "words"), [(0, "no answer|empty"), (1, "text/html")], ids=["empty", "page"])
def test_c009_a_success_without_an_answer_is_an_error_and_can_be_asked_again(place, words):
    case = Case("C009")
    played = play(case, case.steps[place])
    assert (played.ran.code, played.ran.text) == (76, "")
    assert re.search(words, played.ran.err)
    assert re.search(words, played.shown)
    assert (len(played.once_requests), len(played.requests)) == (1, 1)
    assert played.message.status == "error"
    assert not TAG.search("".join(played.texts))


@pytest.mark.parametrize("place", [0, 1], ids=["empty", "page"])
def test_c009_nothing_is_added_to_the_history_and_a_retry_asks_the_same(place):
    case = Case("C009")
    with (
        case_serving(case.steps[place], answer(case.protocol)) as server,
        screen(server.url, case.protocol) as chat,
    ):
        chat.turn("hi")
        assert [message.role for message in chat.session.conversation.to_api()] == ["user"]
        chat.session.retry()
        assert chat.finish().text == "ok"
    assert said(server.requests[0]) == said(server.requests[1]) == [("user", "hi")]


def test_c009_a_document_in_the_place_of_a_stream_is_the_answer_or_an_error():
    case = Case("C009")
    played = play(case, case.steps[2])
    if played.ran.code == 0:
        assert (played.ran.text, played.message.text) == ("Hello world", "Hello world")
        assert played.message.status == "complete"
    else:
        assert re.search("stream", played.ran.err)
        assert re.search("stream", played.shown)
        assert played.message.status == "error"


@each_protocol
def test_c010_a_connection_that_dies_keeps_the_text_and_names_the_loss(protocol):
    played = play(Case("C010"), Case("C010").serving(BODIES[protocol]), protocol=protocol)
    assert (played.ran.code, played.ran.text) == (75, HALF)
    assert re.search("connection", played.ran.err)
    assert (played.message.text, played.message.status) == (HALF, "interrupted")
    assert isinstance(played.failure, StreamInterrupted)
    assert HALF in played.shown


@each_protocol
def test_c010_the_half_answer_is_marked_and_the_next_message_works(protocol):
    case = Case("C010")
    steps = (case.serving(BODIES[protocol]), answer(protocol))
    with case_serving(*steps) as server, screen(server.url, protocol) as chat:
        chat.turn("first")
        assert cut_off(chat.shown)
        assert chat.turn("second").text == "ok"
    assert said(server.requests[1]) == [("user", "first"), ("assistant", HALF), ("user", "second")]


@each_protocol
def test_c010_a_cut_at_any_byte_neither_crashes_nor_hangs_nor_passes_for_an_end(protocol):
    case = Case("C010")
    step = case.serving(BODIES[protocol])
    cuts = [replace(step, body=step.body[:at]) for at in range(len(step.body) + 1)]
    with case_serving(*cuts) as server, connected(provider(server.url, protocol, max_retries=0)) as client:
        for _ in cuts:
            started = time.monotonic()
            *shown, end = client.stream(conversation("hi"))
            assert time.monotonic() - started < 5
            assert isinstance(end, StreamError)
            assert "".join(event.text for event in shown if isinstance(event, TextDelta)) in ("", HALF)
        assert len(server.requests) == len(cuts)


def test_c012_a_silent_stream_ends_at_the_idle_limit_and_typing_works_all_the_time():
    case = Case("C012")
    steps = (*case.steps, *case.steps)
    with case_serving(*steps) as server, screen(server.url, case.protocol, idle_timeout=IDLE) as chat:
        chat.ask("hi")
        started = time.monotonic()
        chat.wait(lambda: HALF in chat.shown)
        chat.type("a draft")
        assert (chat.prompt, chat.session.running) == ("a draft", True)
        ran = once(server.url, case.protocol, idle_timeout=IDLE)
        once_took = time.monotonic() - started
        message = chat.finish()
        assert message.elapsed is not None
        assert message.elapsed >= IDLE
        assert (message.text, message.status, chat.prompt) == (HALF, "interrupted", "a draft")
        assert "silent" in str(chat.session.failure(message.id))
        assert "silent" in chat.shown
        assert HALF in chat.shown
    assert (ran.code, ran.text) == (75, HALF)
    assert IDLE <= once_took < IDLE + 3
    assert not crashed(ran.err)


def test_c012_the_cancel_key_ends_a_silent_turn_at_once():
    case = Case("C012")
    with case_serving(*case.steps) as server, screen(server.url, case.protocol, idle_timeout=IDLE) as chat:
        chat.ask("hi")
        chat.wait(lambda: HALF in chat.shown)
        started = time.monotonic()
        chat.press("esc")
        assert (chat.session.running, chat.session.answer().status) == (False, "cancelled")
        assert server.left.get(timeout=1) - started < 1
        assert HALF in chat.shown


def test_c012_ctrl_c_ends_once_within_a_second(tmp_path):
    case, home = Case("C012"), Home(tmp_path)
    with case_serving(*case.steps) as server:
        process = home.start("once", "-c", str(config_file(server.url, case.protocol).absolute()), "-m", "hi")
        server.wait_for_requests(1)
        assert process.stdout is not None
        first = process.stdout.read(len(HALF))
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        assert process.wait(5) == 130
        assert time.monotonic() - started < 2
        home.finish(process)
    assert first == HALF.encode()


def test_c012_the_default_limit_is_short_enough_and_documented():
    limit = ProviderConfig("demo", "anthropic", "demo-model").idle_timeout
    assert limit <= 300
    assert f"idle_timeout: {limit:g}" in EXAMPLE.read_text(encoding="utf-8")


def test_c022_an_incomplete_response_is_an_end_with_a_note_and_costs_one_request():
    played = play(Case("C022"))
    assert (played.ran.code, played.ran.text) == (0, HALF)
    assert re.search("token limit", played.ran.err)
    assert (len(played.once_requests), len(played.requests)) == (1, 1)
    usage = played.message.usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == (12, 9)
    assert HALF in played.shown
    assert re.search("token limit", played.shown)
    assert "12 in, 9 out" in played.shown


def test_c009_an_empty_body_without_any_framing_is_no_answer_either():
    step = Step(headers=EVENT_STREAM, framing="close")
    with case_serving(step) as server:
        assert once(server.url, "openai-compat").code == 76
