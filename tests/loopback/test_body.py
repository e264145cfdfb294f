"""Bodies that are no event stream, those of errors, and floods, through both SDKs."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from itertools import repeat

import httpx2
import pytest

from mewcode import errors
from mewcode.llm.events import StreamEnd
from mewcode.providers._body import Head, TooLarge, Watched
from tests.fakes.bodies import MEGABYTE, answered, peak, singly, whole
from tests.fakes.dialects import RESPONSES, connected, conversation, each_dialect, failure, text
from tests.fakes.sse_server import Reply, serving

MOST = 60 * MEGABYTE  # bytes of memory that no server can make us take

# What is no event stream


@each_dialect
@pytest.mark.parametrize("kind", ["text/html", "text/plain", "application/json", ""])
def test_an_answer_under_another_type_is_read_when_it_looks_like_one(dialect, kind):
    plain = answered(dialect, dialect.answer("Hello"))
    for body in (
        whole(dialect, "Hello"),
        b": hello\r\n\r\n" + whole(dialect, "Hello"),
        b"\n\n" + whole(dialect, "Hello"),
    ):
        assert answered(dialect, Reply(singly(body), headers={"Content-Type": kind})) == plain


@each_dialect
@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html", b"<html>\ndata: {}\n\n</html>"),
        ("application/json", b'{"choices": []}\n\n'),
        ("text/plain", b"id"),
    ],
)
def test_a_page_or_a_document_is_no_answer(dialect, kind, body):
    error = failure(answered(dialect, Reply((body,), headers={"Content-Type": kind})))
    assert type(error) is errors.ProtocolError
    assert kind in str(error)


@each_dialect
def test_a_page_without_end_is_left_after_its_first_part(dialect):
    pieces = (b"<html>", *repeat(b"x" * 65536, 1600))
    with peak() as used:
        error = failure(answered(dialect, Reply(pieces, headers={"Content-Type": "text/html"})))
    assert type(error) is errors.ProtocolError
    assert used[0] < 5 * MEGABYTE


def read(body: bytes | list[bytes], *, status: int = 200, is_stream: bool = True, patience: float = 9.0) -> Watched:
    """A body that was read, without any SDK. It stays open after its last piece, until it is aborted."""
    aborted = threading.Event()

    class Body(httpx2.SyncByteStream):
        def __iter__(self):
            yield from [body] if isinstance(body, bytes) else body
            if not isinstance(body, bytes):
                assert aborted.wait(20)
                raise httpx2.ReadError("aborted")

    watched = Watched(Body(), Head(status, is_stream, (), framed=True), "openai", aborted.set, patience)
    watched.document = b"".join(watched) if status >= 300 else watched.document
    for _ in watched if status < 300 else ():
        pass
    watched.close()
    return watched


def test_what_came_instead_of_events_is_kept():
    assert read(b'{"error": "no"}', is_stream=False).document == b'{"error": "no"}'
    assert read(b'{"error": "no"}').document == b'{"error": "no"}'
    assert len(read(b"<" + b"x" * MEGABYTE, is_stream=False).document) == 65536


@pytest.mark.parametrize("status", [200, 500])
def test_a_body_that_trickles_and_is_no_event_stream_is_left_in_time(status):
    begun = time.monotonic()
    assert (
        read([b"<html>", b"tri", b"ckle"], status=status, is_stream=False, patience=0.05).document == b"<html>trickle"
    )
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("status", [200, 500])
def test_no_more_is_read_of_it_than_is_kept(status):
    begun = time.monotonic()
    assert read([b"<" * 60000, b"x" * 60000], status=status, is_stream=False).document == b"<" * 60000 + b"x" * 5536
    assert time.monotonic() - begun < 5


# Bodies of errors


@each_dialect
@pytest.mark.parametrize("framing", ["chunked", "close"])
def test_of_an_endless_error_only_the_beginning_is_read(dialect, framing):
    pieces = (b"The words ", *repeat(b"x" * 65536, 1600))
    with peak() as used:
        error = failure(answered(dialect, Reply(pieces, 500, {"Content-Type": "text/plain"}, framing=framing)))
    assert type(error) is errors.ServerError
    assert "The words" in str(error)
    assert len(str(error)) < 1000
    assert used[0] < 5 * MEGABYTE


@each_dialect
@pytest.mark.parametrize("end", ["cut", "reset"])
def test_an_error_whose_body_breaks_off_is_still_that_error(dialect, end):
    reply = Reply((b"The words",), 401, {"Content-Type": "text/plain"}, end=end)
    assert type(failure(answered(dialect, reply))) is errors.AuthError


@each_dialect
def test_after_an_error_that_was_read_whole_the_connection_is_used_again(dialect):
    refused = Reply((b'{"error": {"message": "no"}}',), 400, {"Content-Type": "application/json"})
    with serving(refused, dialect.answer("Hi")) as server, connected(dialect.config(server.url)) as client:
        failure(list(client.stream(conversation())))
        assert text(client.stream(conversation())) == "Hi"
        assert server.request().port == server.request().port


# Floods


LINES = [b"data: ", b'event: x\ndata: {"a": "', b": ", b"", b'data: {"error": "']


@each_dialect
@pytest.mark.parametrize("line", LINES)
def test_a_line_without_end_is_refused_at_the_limit(dialect, line):
    begun = time.monotonic()
    with peak() as used:
        error = failure(answered(dialect, Reply((*dialect.begun("Hi"), line, *repeat(b"x" * 65536, 1600)))))
    assert isinstance(error.__cause__, TooLarge)
    assert (error.__cause__.what, error.__cause__.limit) == (
        "event",
        5 * MEGABYTE if dialect is RESPONSES else MEGABYTE,
    )
    assert used[0] < MOST
    assert time.monotonic() - begun < 5


def test_the_long_last_event_of_responses_is_no_flood():
    said = "word " * 400_000
    last = {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [{"text": said}]}}
    events = answered(RESPONSES, Reply((*RESPONSES.begun("word"), *RESPONSES.wire(last))))
    assert isinstance(events[-1], StreamEnd)


@each_dialect
def test_thousands_of_comments_and_pings_are_passed_over(dialect):
    noise = (b": x\n\n" * 500 + b"event: ping\ndata: {}\n\n" * 500,) * 20
    with peak() as used:
        events = answered(dialect, replace(dialect.answer(), pieces=(*noise, *dialect.answer("Hi").pieces)))
    assert text(events) == "Hi"
    assert used[0] < 5 * MEGABYTE
