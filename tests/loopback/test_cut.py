"""Answers that break off: never lost, never taken for whole, on all three protocols."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mewcode import errors
from mewcode.llm.events import StreamEnd, StreamError, TextDelta
from tests.fakes.dialects import ALL, CHAT, MESSAGES, ask, each_dialect, failure, text
from tests.fakes.raw_server import handling, hang_up, read_request, reset
from tests.fakes.sse_server import Reply, serving

if TYPE_CHECKING:
    import socket

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


def answered(dialect, reply):
    with serving(reply) as server:
        return ask(dialect.config(server.url))


@each_dialect
@pytest.mark.parametrize("handler", [hang_up, reset])
def test_a_connection_that_breaks_before_the_headers_is_a_network_error(dialect, handler):
    with handling(handler) as server:
        error = failure(ask(dialect.config(server.url)))
        assert server.connections == 1
    assert type(error) is errors.NetworkError
    assert error.retryable
    assert f"127.0.0.1:{server.port}" in str(error)


@each_dialect
def test_what_is_no_http_is_a_network_error_that_shows_nothing_of_it(dialect):
    def speak(client: socket.socket) -> None:
        read_request(client)
        client.sendall(b"SSH-2.0-\x1b[31mOpenSSH\r\n\r\n")

    with handling(speak) as server:
        error = failure(ask(dialect.config(server.url)))
    assert type(error) is errors.NetworkError
    assert "\x1b" not in str(error)


@each_dialect
@pytest.mark.parametrize("end", ["cut", "reset"])
def test_a_connection_that_breaks_before_the_first_event_is_a_network_error(dialect, end):
    [error] = answered(dialect, Reply((), end=end))
    assert isinstance(error, StreamError)
    assert type(error.error) is errors.NetworkError


@each_dialect
@pytest.mark.parametrize("end", ["cut", "reset", "finish"])
@pytest.mark.parametrize("framing", ["chunked", "close"])
def test_an_answer_that_breaks_off_keeps_its_text(dialect, end, framing):
    events = answered(dialect, Reply(dialect.begun("Hel", "lo"), end=end, framing=framing))
    assert text(events) == "Hello"
    error = failure(events)
    assert isinstance(error, errors.StreamInterrupted)
    assert (error.partial, error.retryable, error.provider) == ("Hello", True, "here")


@each_dialect
def test_an_answer_that_breaks_off_inside_an_event_keeps_the_text_before_it(dialect):
    half = dialect.wire(dialect.delta("never"))[0][:-20]
    for end in ("cut", "finish"):
        events = answered(dialect, Reply((*dialect.begun("Hello"), half), end=end))
        assert text(events) == "Hello"
        assert isinstance(failure(events), errors.StreamInterrupted)


@each_dialect
def test_an_answer_that_breaks_off_after_its_first_event_is_interrupted_even_without_text(dialect):
    error = failure(answered(dialect, Reply(dialect.begun(), end="cut")))
    assert isinstance(error, errors.StreamInterrupted)
    assert error.partial == ""


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.protocol)
def test_no_cut_anywhere_in_an_answer_crashes_or_passes_for_its_end(dialect):
    whole = b"".join(dialect.begun("Hel", "lo")) + b"".join(dialect.ended())
    places = range(0, len(whole), 7)
    with serving(*(Reply((whole[:at],), end="cut") for at in places)) as server:
        config = dialect.config(server.url)
        endings = [ask(config) for _ in places]
    for at, events in zip(places, endings, strict=True):
        assert "Hello".startswith(text(events))
        kept = dialect is CHAT and b'"finish_reason": "stop"' in whole[:at]
        if isinstance(events[-1], StreamEnd):
            assert kept, at
        else:
            assert type(failure(events)) in (errors.NetworkError, errors.StreamInterrupted), (at, events[-1])


@each_dialect
@pytest.mark.parametrize(
    "broken", [b'{"type": "x", ', b"[" * 100_000, b'{"a": "\xff\xfe"}', b'{"a": "\xed\xa0\x80"}', b"NaN-1"]
)
def test_a_malformed_event_breaks_an_answer_off_and_keeps_the_text(dialect, broken):
    event = b"event: content_block_delta\ndata: " + broken + b"\n\n"
    events = answered(dialect, Reply((*dialect.begun("Hello"), event)))
    assert text(events) == "Hello"
    error = failure(events)
    assert type(error) is errors.StreamInterrupted
    assert error.partial == "Hello"


@each_dialect
@pytest.mark.parametrize("broken", [b'{"type": "x", ', b"NaN-1"])
def test_a_stream_that_begins_with_a_malformed_event_is_not_the_protocol(dialect, broken):
    error = failure(answered(dialect, Reply((b"event: content_block_delta\ndata: " + broken + b"\n\n",))))
    assert type(error) is errors.ProtocolError
    assert not error.retryable
    assert "malformed" in str(error)


@each_dialect
@pytest.mark.parametrize("odd", [b"null", b"[1, 2]", b'"text"', b"7", b"{}"])
def test_an_event_that_is_no_object_is_passed_over(dialect, odd):
    event = b"event: content_block_delta\ndata: " + odd + b"\n\n"
    events = answered(
        dialect, Reply((*dialect.begun("Hel"), event, *dialect.wire(dialect.delta("lo")), *dialect.ended()))
    )
    assert events[:-1] == [TextDelta("Hel"), TextDelta("lo")]
    assert isinstance(events[-1], StreamEnd)


@each_dialect
def test_an_answer_in_single_bytes_and_with_carriage_returns_is_the_same(dialect):
    whole = b"".join((*dialect.begun("Hel", "lo 你"), *dialect.ended()))
    with serving(dialect.answer("Hel", "lo 你")) as server:
        plain = ask(dialect.config(server.url))
    for spelled in (whole, whole.replace(b"\n", b"\r\n"), whole.replace(b"\n", b"\r")):
        pieces = tuple(spelled[at : at + 1] for at in range(len(spelled)))
        assert answered(dialect, Reply(pieces)) == plain


def test_a_body_with_a_length_that_it_does_not_reach_was_cut():
    body = b"".join(MESSAGES.begun("Hello"))

    def speak(client: socket.socket) -> None:
        read_request(client)
        client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % (len(body) + 500) + body)

    with handling(speak) as server:
        error = failure(ask(MESSAGES.config(server.url)))
    assert isinstance(error, errors.StreamInterrupted)
    assert error.partial == "Hello"


@each_dialect
def test_compressed_answers_that_nobody_asked_for_are_still_read(dialect):
    import gzip

    body = gzip.compress(b"".join((*dialect.begun("Hello"), *dialect.ended())))
    headers = {"Content-Type": "text/event-stream", "Content-Encoding": "gzip"}
    assert text(answered(dialect, replace(dialect.answer(), pieces=(body,), headers=headers))) == "Hello"
