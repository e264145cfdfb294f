"""What a server's refusal becomes: the right class, and one sentence with the server's own words."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from mewcode import errors
from mewcode.llm.events import StreamEnd
from mewcode.secret import Secret
from tests.fakes.dialects import CHAT, KEY, MESSAGES, RESPONSES, ask, each_dialect, failure
from tests.fakes.raw_server import handling, hang_up
from tests.fakes.sse_server import Reply, json_error, serving, sse
from tests.loopback.error_table import message, said

PAGE = b"<!doctype html><html><head><title>Bad\n gateway &#8212;\x1b[31m</title></head><body><p>Sorry</p></body></html>"


def refused(dialect, reply, **settings):
    """The error of a turn that the server answers so."""
    with serving(reply) as server:
        events = ask(replace(dialect.config(server.url), **settings))
        server.request()
        assert server.requests.empty()
    assert len(events) == 1
    return failure(events)


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
    assert "failed (500 Internal Server Error); try again" in str(refused(dialect, Reply((), 500, {})))
    assert "failed (502 Bad Gateway)" in str(refused(dialect, Reply((b" \n",), 502, {})))
    assert "failed (520)" in str(refused(dialect, Reply((b"null",), 520, {})))


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
    assert str(error) == "here: too many requests for now (429): Slow down; try again later."


@each_dialect
@pytest.mark.parametrize(
    ("header", "seconds", "shown"),
    [
        ({"Retry-After": "1382400"}, 1_382_400.0, "16 days"),
        ({"retry-after-ms": "99999999999"}, 99_999_999.999, "1,157 days 10 hours"),
        ({"RETRY-AFTER": "61"}, 61.0, "1 minute 1 second"),
    ],
)
def test_a_wait_that_is_too_long_is_told(dialect, header, seconds, shown):
    body = message("rate_limit_error", "Monthly usage limit reached. Resets in 16 days.")
    error = refused(dialect, json_error(429, body, **header))
    assert (type(error), error.retry_after) == (errors.RateLimited, seconds)
    assert str(error).endswith(f"Resets in 16 days; the server asks to wait {shown}.")


def test_a_wait_is_told_beside_another_way_out():
    error = refused(CHAT, json_error(402, said("Pay"), retry_after="7200"))
    assert "add credit or choose another provider; the server asks to wait 2 hours." in str(error)


@each_dialect
def test_a_key_or_header_that_the_server_repeats_is_not_shown(dialect):
    headers = {"X-Api-Key": Secret("hh-secret-header")}
    body = said(f"Incorrect API key provided: {KEY}, hh-secret-header", code="invalid_api_key")
    error = refused(dialect, json_error(401, body), headers=headers)
    assert "Incorrect API key provided: ***, ***" in str(error)
    assert "HERE_KEY" in str(error)
    assert KEY not in repr(error)


def test_a_key_that_is_missing_is_asked_for():
    error = refused(CHAT, json_error(401, said("Who?")), api_key=None, key_source="")
    assert isinstance(error, errors.AuthError)
    assert error.has_key is False
    assert str(error) == "here wants a key (401): Who?; set api_key in the configuration."


@each_dialect
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_named_and_never_followed(dialect, status):
    with handling(hang_up) as other:
        location = other.url.replace("://", "://me:password@")
        error = refused(dialect, Reply((), status, {"Location": f"{location}/v1/x?{KEY}#top"}))
        assert other.connections == 0
    assert type(error) is errors.ProtocolError
    assert f"redirects to {other.url}/v1/x, which is not followed ({status} " in str(error)
    assert not re.search(f"password|{KEY}", str(error))


@each_dialect
def test_a_redirect_on_the_same_server_is_not_followed_either(dialect):
    with serving(Reply((), 308, {"Location": "/moved\x1b[31m"})) as server:
        error = failure(ask(dialect.config(server.url)))
    assert type(error) is errors.ProtocolError
    assert f"redirects to {server.url}/moved␛[31m," in str(error)


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("", "without saying where"),
        ("http://[::1", "an address that cannot be read"),
        ("//else:9/x", "http://else:9/x"),
    ],
)
def test_a_redirect_to_anywhere_is_a_sentence(location, words):
    error = refused(CHAT, Reply((), 302, {"Location": location}))
    assert type(error) is errors.ProtocolError
    assert words in str(error)


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
        base_url = server.url.replace("://", "://me:password@") + "/api?key=hidden"
        error = failure(ask(replace(RESPONSES.config(server.url), base_url=base_url)))
    assert type(error) is errors.ProtocolError
    assert f"nothing at {server.url}/api/responses (404): Not Found; check base_url" in str(error)
    assert "end in /v1" in str(error)
    assert not re.search("password|hidden", str(error))


@pytest.mark.parametrize(
    "words", ["Cannot POST /models/x/chat", "<title>404 Not Found</title>", "No such path: /v1/models"]
)
def test_a_path_with_models_in_it_is_no_model(words):
    assert type(refused(CHAT, Reply((words.encode(),), 404, {}))) is errors.ProtocolError


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"error":', "}")])
@pytest.mark.parametrize("depth", [20, 900, 100_000])
def test_a_body_that_is_nested_very_deep_is_a_sentence(opened, closed, depth):
    body = (opened * depth + '"in"' + closed * depth).encode()
    assert "(500 Internal Server Error)" in str(refused(CHAT, Reply((body,), 500, {})))


def test_a_server_that_says_only_a_code_is_quoted():
    assert "(500): only_a_code" in str(refused(CHAT, json_error(500, {"error": {"code": "only_a_code"}})))


@each_dialect
@pytest.mark.parametrize(
    ("name", "value", "worth"), [("x-should-retry", "false", False), ("x-should-retry", "true", True)]
)
def test_a_server_may_forbid_another_try(dialect, name, value, worth):
    for status, kind in ((429, errors.RateLimited), (503, errors.ServerError)):
        error = refused(dialect, json_error(status, said("no"), **{name: value}))
        assert (type(error), error.retryable) == (kind, worth)


@each_dialect
@pytest.mark.parametrize("status", [400, 401, 402, 403])
def test_a_server_cannot_ask_for_another_try_of_what_is_final(dialect, status):
    assert refused(dialect, json_error(status, said("no"), x_should_retry="true")).retryable is False


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
