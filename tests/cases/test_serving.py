"""The scripted server itself: each word of a serve.json does what it says."""

from __future__ import annotations

import http.client
import socket
import time
from email.utils import parsedate_to_datetime

import pytest

from tests.fakes.case_server import Step, serving

REQUEST = b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"
BODY = b"data: 1\n\ndata: 2\n\n"


def got(port, body="{}"):
    """One request, without an SDK's care; the response and its body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("POST", "/asked", body)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def raw(port):
    """All bytes of an answer until the connection ends."""
    with socket.create_connection(("127.0.0.1", port), 5) as client:
        client.sendall(REQUEST)
        read = b""
        while piece := client.recv(65536):
            read += piece
    return read.partition(b"\r\n\r\n")[2]


def test_a_chunk_holds_an_event_and_a_cut_leaves_the_last_one_out():
    chunks = b"9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n"
    with serving(Step(body=BODY, framing="chunked", end="cut")) as server:
        assert raw(server.port) == chunks


@pytest.mark.parametrize("framing", ["chunked", "close", "length"])
def test_a_regular_end_is_a_whole_body_in_each_framing(framing):
    with serving(Step(503, {"X-Said": "yes"}, BODY, framing)) as server:
        response, body = got(server.port)
    assert (response.status, response.headers["X-Said"], body) == (503, "yes", BODY)


@pytest.mark.parametrize("framing", ["chunked", "length"])
def test_a_cut_is_no_regular_end(framing):
    with serving(Step(body=BODY, framing=framing, end="cut")) as server, pytest.raises(http.client.IncompleteRead):
        got(server.port)


def test_a_reset_is_one():
    with serving(Step(body=BODY, framing="close", end="rst")) as server, pytest.raises(ConnectionResetError):
        got(server.port)


def test_a_stall_lasts_until_the_client_leaves():
    with serving(Step(body=BODY, framing="chunked", end="stall")) as server:
        with socket.create_connection(("127.0.0.1", server.port), 5) as client:
            client.sendall(REQUEST)
            read = b""
            while not read.endswith(b"data: 2\n\n\r\n"):
                read += client.recv(65536)
            assert server.left.empty()
        assert server.left.get(timeout=5) <= time.monotonic()


def test_events_come_at_their_distance():
    with serving(Step(body=BODY, framing="chunked", delay=0.3)) as server:
        started = time.monotonic()
        assert got(server.port)[1] == BODY
        assert time.monotonic() - started >= 0.3


def test_a_trickle_follows_the_body_once_or_for_ever():
    with serving(Step(body=BODY, framing="close", trickle=b":", every=0.01)) as server:
        assert got(server.port)[1] == BODY + b":"
    endless = Step(body=BODY, framing="close", trickle=b":", every=0.01, forever=True)
    with serving(endless) as server, socket.create_connection(("127.0.0.1", server.port), 5) as client:
        client.sendall(REQUEST)
        read = b""
        while not read.endswith(b":::::"):
            read += client.recv(100)


def test_steps_go_in_order_and_only_the_last_repeats_where_it_says_so():
    with serving(Step(201), Step(202)) as server:
        assert [got(server.port)[0].status for _ in range(3)] == [201, 202, 410]
        assert [request.path for request in server.requests] == ["/asked"] * 3
    with serving(Step(201), Step(202, repeats=True)) as server:
        assert [got(server.port)[0].status for _ in range(3)] == [201, 202, 202]


def test_the_first_rule_that_holds_decides():
    rules = ("model=a and limit present", "request body over 40 bytes", "else")
    with serving(*(Step(status, rule=rule) for status, rule in zip((201, 202, 203), rules, strict=True))) as server:
        bodies = (
            '{"model": "a", "limit": 1}',
            '{"model": "b", "limit": 1}',
            '{"model": "a"}',
            f'{{"x": "{"-" * 40}"}}',
        )
        assert [got(server.port, body)[0].status for body in bodies] == [201, 203, 203, 202]


def test_ports_and_times_are_put_in_when_the_answer_goes_out():
    headers = {"Location": "http://h:SINK/PORT", "Date": "@now as IMF-fixdate", "Retry-After": "@now+3s as IMF-fixdate"}
    with serving(Step(headers=headers), clock=3600) as server:
        said = got(server.port)[0].headers
        assert said["Location"] == f"http://h:{server.sink.port}/{server.port}"
    now, later = (parsedate_to_datetime(said[name]) for name in ("Date", "Retry-After"))
    assert (later - now).total_seconds() == 3
    assert 3590 < now.timestamp() - time.time() <= 3600


def test_the_sink_counts_who_connects():
    with serving() as server:
        with socket.create_connection(("127.0.0.1", server.sink.port), 5) as client:
            assert client.recv(1) == b""
        assert (server.sink.connections, server.connections) == (1, 0)


def test_a_request_that_is_refused_fails_the_test():
    answers = []
    with pytest.raises(AssertionError), serving(Step(), judge=lambda heard: "no") as server:
        answers.append(got(server.port))
    [(response, body)] = answers
    assert (response.status, body) == (400, b'{"error": {"message": "no"}}')
