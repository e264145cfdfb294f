"""Cancelling: the worker is gone and the server sees the close at once, wherever the turn was blocked.

The limit is generous, for a loaded machine; `-s` shows the milliseconds.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mewcode.llm.events import Cancelled, StreamEnd, TextDelta
from tests.fakes.dialects import CHAT, connected, conversation, each_dialect, text
from tests.fakes.raw_server import handling, listening_only
from tests.fakes.sse_server import LIMIT, Reply, Silence, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from mewcode.llm.turn import Turn

AT_ONCE = 1.0  # seconds
PLACES = ["before the headers", "before the first event", "after text"]


def silent(dialect, place):
    match place:
        case "before the headers":
            return Reply(before_headers=(Silence(),))
        case "before the first event":
            return Reply((Silence(),))
    return dialect.stuck("Hel")


def cancelled(turn: Turn, place: str, seen: Callable[[], float]) -> None:
    """Cancel now, and check that the worker ends and the server sees the client leave."""
    started = time.monotonic()
    turn.cancel()
    assert turn.join(AT_ONCE)
    gone = time.monotonic() - started
    left = seen() - started
    print(f"cancel {place}: worker gone after {gone * 1000:.1f} ms, close seen after {left * 1000:.1f} ms")  # noqa: T201
    assert left < AT_ONCE
    assert list(turn)[-1] == Cancelled()


@each_dialect
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("line", ["fresh", "reused"])
def test_cancel_wakes_a_worker_that_waits_for_a_silent_server(dialect, place, line):
    before = [dialect.answer("Hi")] if line == "reused" else []
    with serving(*before, silent(dialect, place)) as server, connected(dialect.config(server.url)) as client:
        ports = []
        for _ in before:
            list(client.stream(conversation()))
            ports.append(server.request().port)
        turn = client.stream(conversation())
        ports.append(server.request().port)
        assert len(set(ports)) == 1
        if place == "after text":
            assert turn.queue.get(timeout=LIMIT) == TextDelta("Hel")
        cancelled(turn, f"{place}, {line}, {dialect.protocol}", lambda: server.left.get(timeout=LIMIT))


@each_dialect
def test_cancel_wakes_a_worker_in_a_tls_handshake_that_never_ends(dialect):
    with handling(listening_only) as server:
        config = replace(dialect.config(server.url), base_url=f"https://127.0.0.1:{server.port}{dialect.root}")
        with connected(config) as client:
            turn = client.stream(conversation())
            server.spoken.get(timeout=LIMIT)
            cancelled(turn, f"in the handshake, {dialect.protocol}", lambda: server.left.get(timeout=LIMIT))


@each_dialect
def test_a_client_works_on_after_a_cancelled_turn(dialect):
    with serving(dialect.stuck("Hel"), dialect.answer("Hi")) as server, connected(dialect.config(server.url)) as client:
        turn = client.stream(conversation())
        assert turn.queue.get(timeout=LIMIT) == TextDelta("Hel")
        turn.cancel()
        assert text(client.stream(conversation())) == "Hi"


@each_dialect
def test_two_turns_at_once_do_not_disturb_each_other_when_one_is_cancelled(dialect):
    with (
        serving(dialect.stuck("one"), dialect.stuck("two"), dialect.answer("three")) as server,
        connected(dialect.config(server.url)) as client,
    ):
        first, second = client.stream(conversation()), client.stream(conversation())
        said = [turn.queue.get(timeout=LIMIT) for turn in (first, second)]
        assert sorted(map(repr, said)) == [repr(TextDelta("one")), repr(TextDelta("two"))]
        first.cancel()
        assert list(first) == [Cancelled()]
        server.left.get(timeout=LIMIT)
        assert server.left.empty()
        assert second.take() == []
        assert not second.join(0)
        assert text(client.stream(conversation())) == "three"
        second.cancel()
        assert list(second) == [Cancelled()]


@each_dialect
def test_a_turn_that_is_cancelled_at_once_asks_nothing_more(dialect):
    with serving(dialect.answer("Hi")) as server, connected(dialect.config(server.url)) as client:
        turn = client.stream(conversation())
        turn.cancel()
        assert turn.join(LIMIT)
        assert isinstance(list(turn)[-1], Cancelled | StreamEnd)


@each_dialect
def test_a_connection_is_used_again_for_the_next_turn(dialect):
    with serving(dialect.answer("Hi")) as server, connected(dialect.config(server.url)) as client:
        ports = set()
        for _ in range(3):
            assert text(client.stream(conversation())) == "Hi"
            ports.add(server.request().port)
    assert len(ports) == 1


@each_dialect
def test_a_server_that_goes_on_after_the_end_mark_is_not_waited_for(dialect):
    whole = (*dialect.begun("Hi"), *dialect.ended())
    with (
        serving(Reply((*whole, Silence())), dialect.answer("again")) as server,
        connected(dialect.config(server.url)) as client,
    ):
        started = time.monotonic()
        assert isinstance(list(client.stream(conversation()))[-1], StreamEnd)
        assert time.monotonic() - started < AT_ONCE
        assert server.left.get(timeout=LIMIT) - started < AT_ONCE
        assert text(client.stream(conversation())) == "again"


def test_a_body_that_only_the_connection_ends_is_not_waited_for_either():
    with serving(replace(CHAT.answer("Hi"), framing="close")) as server, connected(CHAT.config(server.url)) as client:
        assert [text(client.stream(conversation())) for _ in range(2)] == ["Hi", "Hi"]
