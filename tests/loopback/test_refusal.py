"""What a server's refusal becomes: the right class, and one sentence with the server's own words."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from mewcode import errors
from mewcode.llm.events import StreamEnd
from mewcode.secret import Secret
from tests.fakes.dialects import CHAT, KEY, MESSAGES, RESPONSES, ask, each_dialect, failure, text
from tests.fakes.raw_server import handling, hang_up
from tests.fakes.sse_server import Reply, json_error, serving, sse
from tests.loopback.faults import FAULTS, IN_STREAM, message, said

PAGE = b"<!doctype html><html><head><title>Bad\n gateway &#8212;\x1b[31m</title></head><body><p>Sorry</p></body></html>"


def refused(dialect, reply, **settings):
    """The error of a turn that the server answers so."""
    with serving(reply) as server:
        events = ask(replace(dialect.config(server.url), **settings))
        server.request()
        assert server.requests.empty()
    assert len(events) == 1
    return failure(events)


def words_of(body):
    """What the server itself says in this body."""
    return re.findall(r'"(?:message|msg|raw|error|detail)": "([^"]*)"', json.dumps(body))


@pytest.mark.parametrize(
    ("dialect", "status", "body", "kind"), FAULTS, ids=[f"{row[0].protocol} {row[1]} {row[2]}"[:70] for row in FAULTS]
)
def test_a_refusal_has_its_class_and_the_words_of_the_server(dialect, status, body, kind):
    error = refused(dialect, json_error(status, body))
    assert type(error) is kind, error
    assert (error.status, error.provider) == (status, "here")
    for words in words_of(body):
        assert words.rstrip(".") in str(error)
    assert str(error).count("\n") == 0
    assert KEY not in str(error)


@each_dialect
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, errors.AuthError),
        (402, errors.QuotaExhausted),
        (403, errors.PermissionDenied),
        (404, errors.ProtocolError),
        (408, errors.TimedOut),
        (409, errors.Overloaded),
        (413, errors.ContextTooLong),
        (418, errors.BadRequest),
        (422, errors.BadRequest),
        (429, errors.RateLimited),
        (500, errors.ServerError),
        (502, errors.ServerError),
        (520, errors.ServerError),
        (529, errors.Overloaded),
    ],
)
def test_a_page_of_html_counts_by_its_status_and_shows_its_title(dialect, status, kind):
    error = refused(dialect, Reply((PAGE,), status, {"Content-Type": "text/html"}))
    assert type(error) is kind
    assert f"({status})" in str(error)
    assert "Bad gateway" in str(error)
    assert not re.search(r"[<>\x00-\x1f]", str(error))
    assert len(str(error)) < 500


@each_dialect
def test_a_server_that_failed_is_named(dialect):
    with serving(Reply((PAGE,), 520, {"Content-Type": "text/html"})) as server:
        error = failure(ask(dialect.config(server.url)))
    assert server.url.removeprefix("http://") in str(error)


@each_dialect
def test_an_error_without_a_body_is_still_a_sentence(dialect):
    error = refused(dialect, Reply((), 500, {}))
    assert "(500)" in str(error)


@each_dialect
def test_the_request_id_is_kept_also_for_an_error_inside_the_stream(dialect):
    name = "request-id" if dialect is MESSAGES else "x-request-id"
    error = refused(dialect, json_error(500, said("Oops"), **{name: "req_1"}))
    assert error.request_id == "req_1"
    headers = {"Content-Type": "text/event-stream", name: "req_2"}
    assert refused(dialect, Reply(dialect.wire(dialect.failure), headers=headers)).request_id == "req_2"


@each_dialect
def test_the_wait_that_the_server_asks_for_is_kept(dialect):
    error = refused(dialect, json_error(429, message("rate_limit_error", "Slow down"), Retry_After="17"))
    assert (type(error), error.retry_after, error.retryable) == (errors.RateLimited, 17.0, True)


@each_dialect
def test_a_key_or_header_that_the_server_repeats_is_not_shown(dialect):
    headers = {"X-Api-Key": Secret("hh-secret-header")}
    body = said(f"Incorrect API key provided: {KEY}, hh-secret-header", code="invalid_api_key")
    error = refused(dialect, json_error(401, body), headers=headers)
    assert "Incorrect API key provided: ***, ***" in str(error)
    assert "HERE_KEY" in str(error)
    assert KEY not in repr(error)


def test_a_key_that_is_missing_is_asked_for():
    error = refused(CHAT, json_error(401, said("Who?")), api_key=None)
    assert isinstance(error, errors.AuthError)
    assert (error.has_key, "api_key" in str(error)) == (False, True)


@pytest.mark.parametrize(
    ("words", "limit", "requested"),
    [
        ("prompt is too long: 333 tokens > 200 maximum", 200, 333),
        ("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", 8192, 9000),
        ("This endpoint's maximum context length is 2000 tokens. However, you requested about 2500", 2000, 2500),
        ("prompt too long", None, None),
    ],
)
def test_a_full_context_knows_its_numbers(words, limit, requested):
    error = refused(CHAT, json_error(400, said(words)))
    assert isinstance(error, errors.ContextTooLong)
    assert (error.limit, error.requested) == (limit, requested)


@pytest.mark.parametrize(("dialect", "body", "kind"), IN_STREAM, ids=[f"{row[1]}"[:70] for row in IN_STREAM])
@pytest.mark.parametrize("begun", [False, True], ids=["at once", "after text"])
def test_an_error_inside_the_stream_keeps_its_class_at_any_time(dialect, body, kind, begun):
    with serving(Reply((*(dialect.begun("Hi") if begun else ()), *dialect.wire(body)))) as server:
        events = ask(dialect.config(server.url))
    assert text(events) == ("Hi" if begun else "")
    assert type(failure(events)) is kind, failure(events)
    assert "The words" in str(failure(events))


@each_dialect
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_named_and_never_followed(dialect, status):
    with handling(hang_up) as other:
        error = refused(dialect, Reply((), status, {"Location": f"{other.url}/v1/x?{KEY}"}))
        assert other.connections == 0
    assert type(error) is errors.ProtocolError
    assert f"({status}) to {other.url}/v1/x?***" in str(error)


@each_dialect
def test_a_redirect_on_the_same_server_is_not_followed_either(dialect):
    error = refused(dialect, Reply((), 308, {"Location": "/moved\x1b[31m"}))
    assert type(error) is errors.ProtocolError
    assert "/moved␛[31m" in str(error)


@each_dialect
@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply((b"<html><title>Log in</title></html>",), headers={"Content-Type": "text/html"}), "text/html"),
        (Reply((b'{"text": "Hi"}',), headers={"Content-Type": "application/json"}), "application/json"),
        (Reply(()), "empty"),
        (Reply((b": only a comment\n\n",)), "empty"),
        (Reply((), headers={}), "no type"),
        (Reply((), 204, {}, framing="close"), "204"),
    ],
    ids=["captive portal", "json", "nothing", "comment", "no type", "204"],
)
def test_a_success_without_an_event_is_an_error_that_names_the_address(dialect, reply, words):
    with serving(reply) as server:
        error = failure(ask(replace(dialect.config(server.url), base_url=f"{server.url}{dialect.root}?key=hidden")))
    assert type(error) is errors.ProtocolError
    assert f"{server.url}{dialect.path}" in str(error)
    assert words in str(error)
    assert "hidden" not in str(error)
    assert "base_url" in str(error)


def test_a_path_that_is_not_there_is_named():
    with serving(json_error(404, {"detail": "Not Found"})) as server:
        error = failure(ask(RESPONSES.config(server.url)))
    assert type(error) is errors.ProtocolError
    assert f"{server.url}/v1/responses" in str(error)
    assert "/v1" in str(error)


@each_dialect
def test_a_key_that_comes_back_in_a_header_is_shown_nowhere(dialect):
    page = Reply((b"<html>",), headers={"Content-Type": f"text/html; k={KEY}", "request-id": KEY, "x-request-id": KEY})
    refusal = json_error(500, said("no"), request_id=f"{KEY} x", x_request_id=KEY.upper())
    for reply in (page, refusal):
        error = refused(dialect, reply)
        for shown in (str(error), error.request_id or ""):
            assert KEY.lower() not in shown.lower()


def test_a_key_that_comes_back_as_a_stop_reason_is_not_shown():
    last = sse({"choices": [{"index": 0, "delta": {}, "finish_reason": KEY}]}, "[DONE]")
    with serving(Reply((*CHAT.begun("Hel"), *last))) as server:
        end = ask(CHAT.config(server.url))[-1]
    assert isinstance(end, StreamEnd)
    assert (end.stop_reason, end.raw_stop_reason) == ("other", "***")
