"""Every row of the table of errors, over the real SDKs: as an answer with a status, and as an error in a stream."""

from __future__ import annotations

import json
import re

import pytest

from mewcode import errors
from tests.fakes.dialects import CHAT, KEY, MESSAGES, RESPONSES, ask, failure, text
from tests.fakes.sse_server import Reply, serving, sse
from tests.loopback.error_table import Row, message, said
from tests.loopback.faults import ROWS

each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.label)

STREAMED = [  # errors that come in a stream only
    (RESPONSES, {"type": "error", "code": "server_error", "message": "The words"}, errors.ServerError),
    (RESPONSES, {"type": "error", "code": None, "message": "The words"}, errors.ServerError),
    *(
        (RESPONSES, {"type": "response.failed", "response": {"error": {"code": code, "message": "The words"}}}, kind)
        for code, kind in {
            "server_error": errors.ServerError,
            "vector_store_timeout": errors.ServerError,
            "rate_limit_exceeded": errors.RateLimited,
            "insufficient_quota": errors.QuotaExhausted,
            "invalid_prompt": errors.BadRequest,
            "data_residency_mismatch": errors.BadRequest,
            "bio_policy": errors.ContentFiltered,
            "misalignment_policy_violation": errors.ContentFiltered,
        }.items()
    ),
    (CHAT, said("The words", code=403), errors.ContentFiltered),
    (CHAT, said("The words", code=404), errors.ModelNotFound),
    (CHAT, said("The words", code=408), errors.TimedOut),
    (CHAT, said("The words", code=429), errors.RateLimited),
    (CHAT, said("The words", code=502), errors.ServerError),
    (CHAT, {"error": "The words"}, errors.ServerError),
    (CHAT, {"object": "error", "message": "The words", "code": 400}, errors.BadRequest),
    (MESSAGES, message("not_found_error", "The words"), errors.ModelNotFound),
]


def answered(row: Row) -> Reply:
    body = row.body if isinstance(row.body, str) else json.dumps(row.body)
    return Reply((body.encode(),), row.status, {"Content-Type": "application/json", **row.headers})


def in_stream(row: Row) -> list[tuple[bytes, ...]]:
    """The row's body in every shape that an error has in its dialect's stream."""
    body = row.body[0] if isinstance(row.body, list) else row.body
    if row.dialect is MESSAGES:
        return [sse(body if isinstance(body, dict) else message("request_too_large", body), named=True)]
    if row.dialect is RESPONSES:
        inner = body["error"]
        events = [{"type": "error", "error": inner}, {"type": "response.failed", "response": {"error": inner}}]
        if "code" in inner:  # a flat one has no other type than the event's
            events.append({**inner, "type": "error"})
        return [sse(event, named=True) for event in events]
    chunk = body if isinstance(body, dict) and ("error" in body or "object" in body) else {"error": body}
    return [sse(chunk)]


def check(error: errors.LLMError, row: Row, kind: type[errors.LLMError]) -> None:
    sentence = str(error)
    assert type(error) is kind, sentence
    assert error.provider == "here"
    assert error.retryable == (kind.default_retryable or "tool_use_failed" in json.dumps(row.body))
    for words in said_in(row.body):
        assert words.rstrip(".") in sentence
    assert len(sentence) <= 500
    assert not re.search(r"[\x00-\x1f\x7f]|</?[a-z]|None|null", sentence)
    assert KEY not in sentence
    if isinstance(error, errors.ContextTooLong):
        assert (error.limit, error.requested) == (row.limit, row.requested)


def said_in(body):
    """The server's own words in this body."""
    return re.findall(r'"(?:message|msg|error|detail)": "([^"\\]*)"', json.dumps(body, ensure_ascii=False))


@each_row
def test_a_refusal_has_its_class_the_words_of_the_server_and_the_way_out(row):
    with serving(answered(row)) as server:
        events = ask(row.dialect.config(server.url))
    error = failure(events)
    check(error, row, row.kind)
    assert error.status == row.status
    assert f"({row.status})" in str(error)
    for piece in row.pieces:
        assert piece in str(error)


@each_row
def test_it_keeps_its_class_inside_a_stream(row):
    kind = row.in_stream or row.kind
    for pieces in in_stream(row):
        with serving(Reply(pieces)) as server:
            error = failure(ask(row.dialect.config(server.url)))
        check(error, row, kind)
        assert "(200)" not in str(error)


@pytest.mark.parametrize(("dialect", "body", "kind"), STREAMED, ids=[f"{row[1]}"[:70] for row in STREAMED])
@pytest.mark.parametrize("begun", [False, True], ids=["at once", "after text"])
def test_an_error_inside_the_stream_keeps_its_class_at_any_time(dialect, body, kind, begun):
    with serving(Reply((*(dialect.begun("Hi") if begun else ()), *dialect.wire(body)))) as server:
        events = ask(dialect.config(server.url))
    assert text(events) == ("Hi" if begun else "")
    assert type(failure(events)) is kind, failure(events)
    assert "The words" in str(failure(events))


def test_the_name_of_a_request_is_found_in_the_body_too():
    with serving(answered(ROWS[0])) as server:
        assert failure(ask(MESSAGES.config(server.url))).request_id == "req_in_body"


def test_a_tool_call_that_the_server_could_not_read_is_asked_for_once_more():
    fault = Reply(sse(said("Failed to call a function", code="tool_use_failed")))
    with serving(fault) as server:
        error = failure(ask(CHAT.config(server.url)))
    assert (error.retryable, error.max_attempts) == (True, 2)


def test_the_table_has_every_class_that_a_server_can_ask_for():
    assert {row.kind for row in ROWS} == {
        errors.AuthError,
        errors.PermissionDenied,
        errors.RateLimited,
        errors.QuotaExhausted,
        errors.ContextTooLong,
        errors.ContentFiltered,
        errors.ModelNotFound,
        errors.BadRequest,
        errors.Overloaded,
        errors.ServerError,
        errors.TimedOut,
    }
