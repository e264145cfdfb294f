"""Servers, proxies and networks that misbehave in ways a reader could think of, and what is right then."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from mewcode import errors
from mewcode.llm.events import Retrying, StreamEnd, TextDelta, ThinkingComplete, ThinkingDelta, ToolCallComplete
from mewcode.providers._chat_answer import translate
from mewcode.providers._stream import Heard
from tests.fakes.dialects import CHAT, KEY, MESSAGES, RESPONSES, each_dialect
from tests.fakes.sse_server import Reply, Silence, json_error, serving, sse
from tests.loopback.answers import chunk, function_call, message_end
from tests.loopback.turned import turned

OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded for now"}}


def document(body, status=200, kind="application/json"):
    return Reply((json.dumps(body).encode(),), status, {"Content-Type": kind})


def test_a_finish_reason_with_every_chunk_is_no_end():
    marks: list[str] = []
    heard = Heard()
    heard.mark = lambda: marks.append(f"over after {heard.text.getvalue()}")
    heard.unmark = lambda: marks.append(f"not over, {heard.text.getvalue()}")
    for event in translate([chunk(finish="stop", content=said) for said in ("", "a", "b")], heard):
        heard.note(event)
    assert marks == ["over after a", "not over, ab"]


def test_what_is_cut_after_such_a_reason_is_cut():
    pieces = sse(chunk("stop", content="Hello"), chunk("stop", content=" world"))
    with serving(Reply(pieces, end="cut")) as server:
        told = turned(CHAT.config(server.url))
    assert type(told.error) is errors.StreamInterrupted


def responses(*events):
    return Reply(RESPONSES.wire(*events))


SAID = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "half an ans"}


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "max_tokens"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ({"status": "cancelled"}, "other"),
        ({"status": "completed"}, "end"),
    ],
)
def test_a_response_ends_as_it_says_itself_whatever_its_event_is_called(response, reason):
    with serving(responses(SAID, {"type": "response.completed", "response": response})) as server:
        told = turned(RESPONSES.config(server.url))
    assert [event.stop_reason for event in told.events if isinstance(event, StreamEnd)] == [reason]


def test_a_response_that_failed_is_an_error_whatever_its_event_is_called():
    failed = {"status": "failed", "error": {"code": "server_error", "message": "It broke"}}
    with serving(responses(SAID, {"type": "response.completed", "response": failed})) as server:
        told = turned(RESPONSES.config(server.url))
    assert "It broke" in str(told.error)


def test_a_call_that_an_incomplete_response_ends_with_does_not_run():
    called = function_call(0, "c1", "delete_all", "{}")
    end = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    with serving(responses(*called, {"type": "response.completed", "response": end})) as server:
        told = turned(RESPONSES.config(server.url))
    calls = {event.tool_id: event for event in told.events if isinstance(event, ToolCallComplete)}
    assert calls["c1"].arguments is None


def test_an_answer_that_stands_in_the_last_event_alone_is_shown_beside_thinking_that_came():
    thought = {"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "hm"}
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"}
    message = {"type": "message", "content": [{"type": "output_text", "text": "Yes."}]}
    end = {"type": "response.completed", "response": {"status": "completed", "output": [reasoning, message]}}
    with serving(responses(thought, end)) as server:
        told = turned(RESPONSES.config(server.url))
    kinds = [type(event) for event in told.events]
    assert kinds == [ThinkingDelta, ThinkingComplete, TextDelta, StreamEnd]


@pytest.mark.parametrize("finish", [None, "tool_use"])
def test_a_call_without_arguments_is_whole_where_nothing_says_that_it_was_cut(finish):
    call = {"index": 0, "id": "c1", "function": {"name": "now", "arguments": ""}}
    with serving(Reply(sse(chunk(tool_calls=[call]), chunk(finish), "[DONE]"))) as server:
        told = turned(CHAT.config(server.url))
    assert [event.arguments for event in told.events if isinstance(event, ToolCallComplete)] == [{}]


@pytest.mark.parametrize(
    ("words", "param", "code"),
    [
        ("Invalid prompt: 'reasoning_effort is not supported' flagged by policy", None, "invalid_prompt"),
        ("'why is temperature not supported?' is too risky", "messages[1].content", "refused"),
    ],
)
def test_what_a_message_says_of_a_field_heals_nothing(words, param, code):
    refused = json_error(400, {"error": {"message": words, "param": param, "code": code}})
    with serving(refused) as server:
        told = turned(replace(CHAT.config(server.url), effort="high", temperature=0.5))
        assert server.requests.qsize() == 1
    assert told.remarks == []


@pytest.mark.parametrize("name", ["cache_creation_input_tokens", "prompt_tokens_details"])
def test_tokens_written_to_the_cache_are_counted_under_each_of_their_names(name):
    details: Any = {"cache_creation_tokens": 80} if name == "prompt_tokens_details" else 80
    usage = {"prompt_tokens": 100, "completion_tokens": 1, name: details}
    with serving(Reply(sse(chunk(content="Hi"), chunk("stop", usage=usage), "[DONE]"))) as server:
        told = turned(CHAT.config(server.url))
    assert [event.usage.cache_write_tokens for event in told.events if isinstance(event, StreamEnd)] == [80]


def test_a_call_whose_input_came_whole_needs_no_end_of_its_block():
    call = {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 1}}
    start = {"type": "content_block_start", "index": 0, "content_block": call}
    with serving(Reply(MESSAGES.wire(start, *message_end("tool_use")))) as server:
        told = turned(MESSAGES.config(server.url))
    assert [event.arguments for event in told.events if isinstance(event, ToolCallComplete)] == [{"a": 1}]


@each_dialect
@pytest.mark.parametrize("charset", ["hex", "zip", "rot13", "base64", "idna", "undefined", "utf-7", "nonsense"])
def test_an_error_is_read_whatever_charset_is_claimed(dialect, charset):
    body = {"error": {"message": "Slow down, naïve one", "type": "rate_limit_error"}}
    with serving(document(body, 429, f"application/json; charset={charset}")) as server:
        told = turned(dialect.config(server.url))
    assert type(told.error) is errors.RateLimited
    assert "Slow down, naïve one" in str(told.error)


def test_nothing_behind_an_error_holds_the_key():
    with serving(Reply((b'data: {"a": ' + KEY.encode() + b"}\n\n",))) as server:
        told = turned(CHAT.config(server.url))
    shown = ""
    link: BaseException | None = told.error
    while link is not None:
        shown += repr(link) + repr(vars(link))
        link = link.__cause__ or link.__context__
    assert "ProtocolError" in shown
    assert KEY not in shown


@pytest.mark.parametrize("status", [404, 405])
def test_the_way_to_v1_is_found_behind_a_page_that_never_ends(status):
    page = Reply((b"<html>not here", Silence()), status, {"Content-Type": "text/html"})
    with serving(page, CHAT.answer("Hi")) as server:
        told = turned(replace(CHAT.config(server.url), base_url=server.url))
        paths = [server.request().path for _ in range(2)]
    assert told.ended
    assert paths == ["/chat/completions", "/v1/chat/completions"]


@each_dialect
def test_an_error_in_json_that_comes_as_a_success_keeps_its_class(dialect):
    with serving(document(OVERLOADED), dialect.answer("Hi")) as server:
        told = turned(dialect.config(server.url, max_retries=1))
    assert [type(event.error) for event in told.events if isinstance(event, Retrying)] == [errors.Overloaded]
    assert told.ended


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ({"object": "error", "message": "maximum context length is 9", "code": 400}, errors.ContextTooLong, "9"),
        ({"detail": "Who are you"}, errors.ProtocolError, "Who are you"),
        ({"message": "Sign in first", "code": "x"}, errors.ProtocolError, "Sign in first"),
        ({"error": "Nobody knows"}, errors.ProtocolError, "Nobody knows"),
    ],
)
def test_a_document_in_place_of_a_stream_is_shown_with_its_words(body, kind, words):
    with serving(document(body)) as server:
        told = turned(CHAT.config(server.url))
    assert type(told.error) is kind
    assert words in str(told.error)


def huge(dialect):
    """Endless events of nearly a megabyte that are kept."""
    big = "x" * 900_000
    match dialect:
        case "chat":
            return chunk(tool_calls=[{"index": 0, "id": "c", "function": {"name": big, "arguments": ""}}])
        case "messages":
            return {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": big}}
    return {"type": "response.output_item.done", "item": {"type": "reasoning", "encrypted_content": big}}


@pytest.mark.parametrize(
    ("dialect", "name"), [(CHAT, "chat"), (MESSAGES, "messages"), (RESPONSES, "responses")], ids=lambda it: str(it)[:9]
)
def test_an_answer_of_nothing_but_large_events_is_cut_off(dialect, name):
    thinking = {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}
    pieces = [*dialect.wire(thinking), *(dialect.wire(huge(name)) * 60)]
    with serving(Reply(tuple(pieces))) as server:
        told = turned(dialect.config(server.url))
    assert re.search(r"large events|longer than 16 million", str(told.error))


@pytest.mark.parametrize("answer", [b"502 Bad gateway", b"503 Busy"])
def test_a_proxy_that_cannot_get_through_for_now_is_asked_again(answer):
    with serving(json_error(int(answer[:3]), {})) as proxy:
        config = replace(CHAT.config("https://h.invalid", max_retries=1), proxy=proxy.url)
        told = turned(config)
        assert proxy.requests.qsize() == 2
    assert isinstance(told.error, errors.NetworkError)
    assert told.error.retryable


def test_a_proxys_password_is_shown_by_nobody():
    with serving(json_error(503, {"error": {"message": "no way for user:pr0xy-passw0rd here"}})) as proxy:
        through = proxy.url.replace("http://", "http://user:pr0xy-passw0rd@")
        told = turned(replace(CHAT.config("http://h.invalid"), proxy=through))
    assert "no way" in str(told.error)
    assert "pr0xy-passw0rd" not in str(told.error)


@pytest.mark.parametrize("end", ["cut", "reset"])
@pytest.mark.parametrize(("pieces", "said"), [(("<thi",), "<thi"), (("<think>abc", "def</thi"), "")])
def test_a_piece_of_a_tag_is_not_lost_where_the_stream_is_cut(end, pieces, said):
    with serving(Reply(sse(*(chunk(content=piece) for piece in pieces)), end=end)) as server:
        told = turned(CHAT.config(server.url))
    assert type(told.error) is errors.StreamInterrupted
    assert "".join(event.text for event in told.events if isinstance(event, TextDelta)) == said
    assert told.error.partial == said


def test_a_limit_of_rate_that_sells_something_is_still_one_of_rate():
    words = "Rate limit exceeded: 60 requests per minute. Upgrade your plan at https://h.invalid/settings/billing"
    error = {"type": "requests", "code": "rate_limit_exceeded", "message": words}
    with serving(json_error(429, {"error": error})) as server:
        assert type(turned(CHAT.config(server.url)).error) is errors.RateLimited


def test_a_sentence_is_short_whatever_a_server_says():
    long = Reply((b"x" * 2000,), 302, {"Content-Type": "text/plain", "Location": "https://h.invalid/" + "y" * 400})
    with serving(long) as server:
        told = turned(replace(CHAT.config(server.url), base_url=f"{server.url}/{'z' * 200}"))
    assert len(str(told.error)) <= 500
    assert "redirects" in str(told.error)
