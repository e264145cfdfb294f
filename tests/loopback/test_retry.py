"""Trying again over real sockets: what is worth it, how often, after how long, and what ends it.

`Retry-After` keeps the waits short: it goes before our own back-off.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from mewcode import errors
from mewcode.llm.events import Cancelled, Retrying, StreamEnd
from mewcode.secret import Secret
from tests.fakes.dialects import CHAT, MESSAGES, RESPONSES, connected, conversation, each_dialect, text
from tests.fakes.raw_server import closed_port, handling, hang_up, read_request
from tests.fakes.sse_server import Reply, Silence, json_error, serving
from tests.loopback.turned import turned

SOON = {"Retry-After": "0.02"}
STREAM = {"Content-Type": "text/event-stream", **SOON}
LATER = "Rate limit reached"
THINKING: dict[str, list[Any]] = {
    "anthropic": [
        {"type": "message_start", "message": {"id": "msg_1"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
    ],
    "openai": [{"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "Hm."}],
    "openai-compat": [{"choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}, "finish_reason": None}]}],
}


def refusal(status, message=LATER, after="0.02", **more):
    return json_error(status, {"error": {"message": message, **more}}, Retry_After=after)


def asked(dialect, *replies, max_retries=9, **settings):
    """One turn, and how many requests it took."""
    with serving(*replies) as server:
        turn = turned(replace(dialect.config(server.url, max_retries=max_retries), **settings))
        return turn, server.requests.qsize()


@each_dialect
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 520, 529])
def test_what_passes_is_tried_again_and_announced(dialect, status):
    turn, requests = asked(dialect, refusal(status), refusal(status), dialect.answer("Hi"))
    assert requests == 3
    assert [(retry.attempt, retry.max_attempts, retry.delay) for retry in turn.retries] == [
        (2, 10, 0.02),
        (3, 10, 0.02),
    ]
    assert [retry.error.status for retry in turn.retries] == [status, status]
    assert text(turn.events) == "Hi"
    assert turn.ended


@each_dialect
@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 413, 418, 422])
def test_what_does_not_pass_is_asked_once(dialect, status):
    turn, requests = asked(dialect, refusal(status, "no"))
    assert (len(turn.events), requests) == (1, 1)
    assert turn.error.status == status


FINAL = {
    "quota": refusal(429, "You exceeded your current quota", type="insufficient_quota"),
    "money": refusal(400, "Your credit balance is too low to access the API"),
    "a request larger than a minute's tokens": refusal(429, "Request too large for tiny: Limit 6000, Requested 12328"),
    "x-should-retry": json_error(429, {"error": {"message": LATER}}, **SOON, x_should_retry="false"),
    "x-should-retry of a fault": json_error(500, {"error": {"message": LATER}}, **SOON, x_should_retry="false"),
    "a redirect": Reply(status=307, headers={"Location": "/elsewhere", **SOON}),
    "a page": Reply((b"<html>Sign in</html>",), headers={"Content-Type": "text/html", **SOON}),
}


@each_dialect
@pytest.mark.parametrize("reply", FINAL.values(), ids=FINAL)
def test_what_cannot_succeed_is_asked_once(dialect, reply):
    turn, requests = asked(dialect, reply)
    assert (turn.retries, requests) == ([], 1)
    assert not turn.error.retryable


def test_ten_attempts_are_all_there_are_and_the_last_error_is_shown():
    turn, requests = asked(CHAT, *(refusal(503, f"no. {number}") for number in range(1, 11)))
    assert requests == 10
    assert [retry.attempt for retry in turn.retries] == [*range(2, 11)]
    assert isinstance(turn.error, errors.ServerError)
    assert "no. 10" in str(turn.error)


def test_the_entrys_own_number_of_retries_counts():
    turn, requests = asked(CHAT, refusal(503), max_retries=2)
    assert requests == 3
    assert [retry.max_attempts for retry in turn.retries] == [3, 3]
    assert asked(CHAT, refusal(503), max_retries=0)[1] == 1


def test_a_time_that_the_server_names_is_waited_for():
    started = time.monotonic()
    turn, requests = asked(CHAT, refusal(429, after="0.3"), CHAT.answer("Hi"))
    assert 0.3 <= time.monotonic() - started < 3
    assert ([retry.delay for retry in turn.retries], requests) == ([0.3], 2)


def test_without_one_the_wait_is_half_a_second_or_so():
    turn, requests = asked(CHAT, json_error(503, {"error": {"message": "no"}}), CHAT.answer("Hi"))
    assert requests == 2
    assert 0.4 <= turn.retries[0].delay <= 0.6


@each_dialect
@pytest.mark.parametrize("header", [{"Retry_After": "61"}, {"retry_after_ms": "61000"}])
def test_a_time_beyond_our_patience_ends_the_turn_at_once(dialect, header):
    started = time.monotonic()
    turn, requests = asked(dialect, json_error(429, {"error": {"message": LATER}}, **header))
    assert time.monotonic() - started < 2
    assert (turn.retries, requests) == ([], 1)
    assert isinstance(turn.error, errors.RateLimited)
    assert turn.error.retry_after == 61


@pytest.mark.parametrize("where", ["refused", "unknown"])
def test_where_nobody_is_there_two_attempts_are_enough(where):
    url = f"http://127.0.0.1:{closed_port()}" if where == "refused" else "http://nobody.invalid:8"
    turn = turned(CHAT.config(url, max_retries=9))
    assert [(retry.attempt, retry.max_attempts) for retry in turn.retries] == [(2, 2)]
    assert 0.4 <= turn.retries[0].delay <= 0.6
    assert isinstance(turn.error, errors.NetworkError)


def test_a_server_that_hangs_up_is_asked_again():
    with handling(hang_up) as server:
        turn = turned(CHAT.config(server.url, max_retries=1))
        assert server.connections == 2
    assert isinstance(turn.error, errors.NetworkError)


def test_a_server_that_is_silent_is_asked_again():
    turn, requests = asked(CHAT, Reply(before_headers=(Silence(),)), CHAT.answer("Hi"), idle_timeout=0.2, max_retries=1)
    assert requests == 2
    assert isinstance(turn.retries[0].error, errors.TimedOut)
    assert turn.ended


def test_a_fault_of_tls_is_final():
    def plain(client):
        client.sendall(b"HTTP/1.1 400 This is plain HTTP\r\nConnection: close\r\n\r\n")
        read_request(client)

    with handling(plain) as server:
        turn = turned(CHAT.config(server.url.replace("http:", "https:"), max_retries=9))
        assert server.connections == 1
    assert (turn.retries, turn.error.retryable) == ([], False)
    assert isinstance(turn.error, errors.NetworkError)


@each_dialect
def test_an_error_in_the_stream_before_any_text_is_tried_again(dialect):
    failing = Reply((*dialect.begun(), *dialect.wire(dialect.failure)), headers=STREAM)
    turn, requests = asked(dialect, failing, dialect.answer("Hi"))
    assert requests == 2
    assert [retry.error.kind for retry in turn.retries] == ["overloaded"]
    assert text(turn.events) == "Hi"


@each_dialect
def test_an_error_in_the_stream_after_text_is_final(dialect):
    failing = Reply((*dialect.begun("Hel"), *dialect.wire(dialect.failure)), headers=STREAM)
    turn, requests = asked(dialect, failing, dialect.answer("Hi"))
    assert (text(turn.events), turn.retries, requests) == ("Hel", [], 1)
    assert isinstance(turn.error, errors.Overloaded)


@each_dialect
@pytest.mark.parametrize("end", ["finish", "cut"])
def test_a_stream_that_breaks_off_after_text_is_final(dialect, end):
    turn, requests = asked(dialect, Reply(dialect.begun("Hel"), headers=STREAM, end=end), dialect.answer("Hi"))
    assert (text(turn.events), turn.retries, requests) == ("Hel", [], 1)
    assert isinstance(turn.error, errors.StreamInterrupted)


@each_dialect
def test_thinking_counts_as_shown(dialect):
    failing = Reply(dialect.wire(*THINKING[dialect.protocol], dialect.failure), headers=STREAM)
    turn, requests = asked(dialect, failing, dialect.answer("Hi"))
    assert (turn.retries, requests) == ([], 1)
    assert isinstance(turn.error, errors.Overloaded)


@each_dialect
@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_was_good_a_moment_ago_gets_one_more_attempt(dialect, status):
    refused = refusal(status, "no")
    with serving(dialect.answer("Hi"), refused, dialect.answer("Hi"), refused) as server:
        config = dialect.config(server.url, max_retries=9)
        assert turned(config).ended
        again = turned(config)
        assert [(retry.attempt, retry.max_attempts) for retry in again.retries] == [(2, 2)]
        assert again.ended
        assert len(turned(config).retries) == 1
        assert turned(replace(config, api_key=Secret("kk-another-0123456789"))).retries == []
        assert server.requests.qsize() == 6


def test_a_cancel_ends_the_wait_at_once():
    with serving(refusal(429, after="50")) as server, connected(CHAT.config(server.url, max_retries=9)) as client:
        turn = client.stream(conversation())
        events = iter(turn)
        assert isinstance(next(events), Retrying)
        started = time.monotonic()
        turn.cancel()
        assert list(events) == [Cancelled()]
        assert turn.join(1.0)
        assert time.monotonic() - started < 1.0
        assert server.requests.qsize() == 1


LIMITED = {"total_timeout": 0.3, "max_retries": 9}


@each_dialect
def test_a_turn_whose_time_is_up_before_anything_came_has_timed_out_for_good(dialect):
    turn, requests = asked(dialect, Reply(before_headers=(Silence(),)), **LIMITED)
    assert (turn.retries, requests) == ([], 1)
    assert isinstance(turn.error, errors.TimedOut)
    assert "total_timeout (0.3 s)" in str(turn.error)


@each_dialect
@pytest.mark.parametrize("framing", ["chunked", "close"])
@pytest.mark.parametrize("said", [(), ("Hel",)])
def test_a_turn_whose_time_is_up_in_the_middle_is_interrupted_for_good(dialect, said, framing):
    turn, requests = asked(dialect, Reply((*dialect.begun(*said), Silence()), framing=framing), **LIMITED)
    assert (turn.retries, requests) == ([], 1)
    assert isinstance(turn.error, errors.StreamInterrupted)
    assert turn.error.partial == text(turn.events) == "".join(said)


@pytest.mark.parametrize("after", ["50", "0.04"])
def test_the_time_of_a_turn_covers_its_attempts_and_waits(after):
    started = time.monotonic()
    turn, requests = asked(CHAT, refusal(429, after=after), total_timeout=0.3, max_retries=1000)
    assert 0.3 <= time.monotonic() - started < 2
    assert requests < 9
    assert isinstance(turn.error, (errors.RateLimited, errors.TimedOut))


def test_a_turn_in_time_is_not_touched_by_its_limit_later():
    with serving(MESSAGES.answer("Hi")) as server:
        config = replace(MESSAGES.config(server.url), total_timeout=0.3)
        with connected(config) as client:
            later = time.monotonic() + 0.4
            while time.monotonic() < later:
                assert isinstance(list(client.stream(conversation()))[-1], StreamEnd)


def test_what_is_sent_again_is_the_same_to_the_byte():
    with serving(refusal(503), refusal(503), RESPONSES.answer("Hi")) as server:
        turned(RESPONSES.config(server.url, max_retries=9))
        sent = [server.request().body for _ in range(3)]
    assert sent[0] == sent[1] == sent[2]
