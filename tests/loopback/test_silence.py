"""Servers that are not there, or say nothing: an error in time that names the host and the limit."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack
from dataclasses import replace

import pytest

from mewcode import errors, exits
from tests.fakes.dialects import CHAT, ask, each_dialect, failure, text
from tests.fakes.raw_server import closed_port
from tests.fakes.sse_server import Reply, Silence, serving

IDLE = 0.3  # seconds


@each_dialect
@pytest.mark.parametrize(
    "reply", [Reply(before_headers=(Silence(),)), Reply((Silence(),))], ids=["before the headers", "after them"]
)
def test_silence_before_the_first_event_is_a_time_out(dialect, reply):
    with serving(reply) as server:
        error = failure(ask(replace(dialect.config(server.url), idle_timeout=IDLE)))
    assert type(error) is errors.TimedOut
    assert error.retryable
    assert f"no answer from {server.url.removeprefix('http://')} within 0.3 s" in str(error)
    assert exits.exit_code(error) == exits.TRY_AGAIN


@each_dialect
def test_silence_after_the_first_event_is_an_interruption(dialect):
    with serving(dialect.stuck("Hel")) as server:
        events = ask(replace(dialect.config(server.url), idle_timeout=IDLE))
    assert text(events) == "Hel"
    error = failure(events)
    assert isinstance(error, errors.StreamInterrupted)
    assert error.partial == "Hel"
    assert "silent for 0.3 s" in str(error)


@each_dialect
def test_nobody_at_the_port_is_a_network_error_that_names_host_and_cause(dialect):
    port = closed_port()
    error = failure(ask(dialect.config(f"http://127.0.0.1:{port}")))
    assert type(error) is errors.NetworkError
    assert error.retryable
    assert f"127.0.0.1:{port}" in str(error)
    assert "Connection refused" in str(error)
    assert exits.exit_code(error) == exits.TRY_AGAIN


@each_dialect
def test_a_name_that_nobody_has_is_a_network_error_that_names_it(dialect):
    error = failure(ask(dialect.config("http://nobody.invalid:8")))
    assert type(error) is errors.NetworkError
    assert "nobody.invalid:8" in str(error)


def test_a_connection_that_nobody_accepts_times_out():
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        for _ in range(4):  # a full queue: whoever comes next waits for a place in it
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(address)
        started = time.monotonic()
        error = failure(ask(replace(CHAT.config(f"http://127.0.0.1:{address[1]}"), connect_timeout=IDLE)))
        assert time.monotonic() - started < 5
    assert type(error) is errors.TimedOut
    assert f"no connection to 127.0.0.1:{address[1]} within 0.3 s" in str(error)
