"""Trying again: when the server says, at most as long as we are willing to wait, and never when it cannot help."""

from __future__ import annotations

import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

import pytest

from mewcode.errors import RateLimited
from mewcode.llm.events import Retrying, StreamEnd, StreamError
from tests.cases.case import DIALECTS, Case, answer
from tests.cases.play import TAG, case_serving, config_file, crashed, once, play, provider, screen
from tests.cases.strict import said
from tests.fakes.dialects import connected, conversation
from tests.fakes.program import Home

if TYPE_CHECKING:
    from mewcode.llm.events import Event
    from tests.fakes.case_server import Heard, Step

CAP = 60.0
BACK_OFF = 3.0  # the longest first wait that the server has no say in, with room

each_protocol = pytest.mark.parametrize("protocol", DIALECTS)


def asked(step: Step, ok: Step, clock: float = 0.0) -> tuple[list[Event], list[Heard]]:
    """One turn against a server that answers like this, then well; its events and the requests."""
    with case_serving(step, ok, clock=clock) as server, connected(provider(server.url, "openai-compat")) as client:
        return list(client.stream(conversation("hi"))), server.requests


def test_c036_a_date_is_waited_for_by_the_servers_clock_wherever_ours_is():
    first, ok = Case("C036").steps
    with ThreadPoolExecutor(3) as pool:
        turns = list(pool.map(lambda clock: asked(first, ok, clock), (0.0, 3600.0, -3600.0)))
    for events, requests in turns:
        assert [type(event) for event in events if isinstance(event, Retrying | StreamEnd)] == [Retrying, StreamEnd]
        assert len(requests) == 2
        assert 3.0 <= requests[1].at - requests[0].at < 7.0


def test_c036_no_odd_value_crashes_or_makes_us_wait_beyond_the_cap():
    case = Case("C036")
    first, ok = case.steps
    values: list[str] = case.json("headers.json")
    steps = [replace(first, headers={**first.headers, "Retry-After": value}) for value in values]
    with ThreadPoolExecutor(len(values)) as pool:
        turns = dict(zip(values, pool.map(lambda step: asked(step, ok), steps), strict=True))
    beyond_the_cap, requests = turns.pop("Fri, 31 Dec 9999 23:59:59 GMT")
    assert (type(beyond_the_cap[-1]), len(beyond_the_cap), len(requests)) == (StreamError, 1, 1)
    for value, (events, _) in turns.items():
        assert isinstance(events[0], Retrying), value
        assert 0 <= events[0].delay <= BACK_OFF, value
        assert isinstance(events[-1], StreamEnd), value


def test_c036_the_wait_is_counted_down_on_the_screen_and_the_cancel_key_ends_it():
    first, ok = Case("C036").steps
    patient = replace(first, headers={**first.headers, "Retry-After": "50"})
    with case_serving(patient, ok) as server, screen(server.url, "openai-compat") as chat:
        chat.ask("hi")
        chat.wait(lambda: chat.session.phase == "retrying")
        assert re.search(r"retrying 2/10 in (50|49|48) s", chat.shown)
        started = time.monotonic()
        chat.press("esc")
        assert not chat.session.running
        chat.session.close(1.0)
        assert time.monotonic() - started < 1.0
        assert len(server.requests) == 1


@each_protocol
@pytest.mark.parametrize("place", [0, 1], ids=["days", "milliseconds"])
def test_c037_a_wait_of_days_ends_the_turn_at_once_and_is_told(place, protocol):
    case = Case("C037")
    started = time.monotonic()
    played = play(case, case.steps[place], protocol=protocol)
    assert time.monotonic() - started < 4  # two turns
    assert (played.ran.code, played.ran.text) == (75, "")
    assert (len(played.once_requests), len(played.requests)) == (1, 1)
    assert isinstance(played.failure, RateLimited)
    assert re.search(r"\b16 days", played.ran.err)
    assert re.search(r"\b16\s+days", played.shown)


@each_protocol
def test_c037_the_time_that_the_header_names_is_told_also_when_the_words_do_not(protocol):
    quiet = replace(Case("C037").steps[0], body=b'{"error": {"message": "Later", "type": "rate_limit_error"}}')
    with case_serving(quiet) as server:
        ran = once(server.url, protocol)
    assert (ran.code, len(server.requests)) == (75, 1)
    assert re.search(r"16 d|384 h|1382400 s", ran.err)


@each_protocol
def test_c037_just_beyond_the_cap_nothing_is_waited_for(protocol):
    step = replace(Case("C037").steps[0], headers={"Content-Type": "application/json", "Retry-After": f"{CAP + 1:g}"})
    started = time.monotonic()
    with case_serving(step) as server:
        assert once(server.url, protocol).code == 75
    assert (len(server.requests), time.monotonic() - started < 2) == (1, True)


def test_c037_ctrl_c_ends_a_wait(tmp_path):
    step = replace(Case("C037").steps[0], headers={"Content-Type": "application/json", "Retry-After": f"{CAP - 1:g}"})
    with case_serving(step) as server:
        config = str(config_file(server.url, "openai-compat").absolute())
        process = Home(tmp_path).start("once", "-c", config, "-m", "hi")
        server.wait_for_requests(1)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        assert time.monotonic() - started < 2
        ran = Home(tmp_path).finish(process)
    assert not crashed(ran.err)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("place", "code"),
    [(0, 69), (1, 69), (2, 75), (3, 77), (4, 77), (5, 69), (6, 65)],
    ids=["quota", "402", "x-should-retry", "401", "403", "404", "400"],
)
def test_c038_what_cannot_succeed_is_asked_once_and_said_at_once(place, code):
    case = Case("C038")
    step = case.steps[place]
    started = time.monotonic()
    with case_serving(step) as server:
        ran = once(server.url, case.protocol)
    assert time.monotonic() - started < 2
    assert (ran.code, ran.text, len(server.requests)) == (code, "", 1)
    sentence = re.search(rb'"message": "(.*)"', step.body)
    assert sentence is not None
    assert sentence[1].decode().rstrip(".") in ran.err
    assert ran.err.count("\n") == 1


def test_c038_an_unknown_model_is_named():
    case = Case("C038")
    silent = replace(case.steps[5], body=b'{"error": {"message": "no", "code": "model_not_found"}}')
    for step in (case.steps[5], silent):
        played = play(case, step, model="some-model")
        assert "some-model" in played.ran.err
        assert "some-model" in played.shown.replace("\n", " ").removesuffix("some-model")


def test_c045_a_page_as_an_error_is_its_status_its_host_and_its_title():
    case = Case("C045")
    with case_serving(*case.steps) as server:
        ran = once(server.url, case.protocol, max_retries=2)
    assert (ran.code, ran.text) == (75, "")
    assert len(server.requests) <= 3
    assert ran.err.count("\n") <= 3
    assert "520" in ran.err
    assert f"127.0.0.1:{server.port}" in ran.err
    assert "Web server is returning an unknown error" in ran.err
    assert not TAG.search(ran.err)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", ran.err)
    assert max(map(len, ran.err.splitlines())) <= 500


def test_c045_the_page_takes_three_rows_of_the_screen_at_most():
    case = Case("C045")
    with case_serving(*case.steps) as server, screen(server.url, case.protocol, max_retries=2) as chat:
        chat.turn()
        assert len(server.requests) <= 3
        rows = chat.rows
    below = rows[rows.index("❯ hi") + 1 :]
    said_by = [row for row in takewhile(lambda row: not row.startswith("Failed after"), below) if row]
    assert len(said_by) <= 3
    error = " ".join(said_by)
    assert "520" in error
    assert f"127.0.0.1:{server.port}" in error
    assert "Web server is returning an unknown error" in error
    assert not TAG.search(error)


def test_c036_the_second_request_is_the_same_as_the_first():
    first, ok = Case("C036").steps
    soon = replace(first, headers={**first.headers, "Retry-After": "0"})
    _, (once_asked, again) = asked(soon, ok)
    assert said(once_asked) == said(again) == [("user", "hi")]


def test_c037_a_wait_that_is_short_is_kept_to_by_once():
    step = replace(Case("C037").steps[0], headers={"Content-Type": "application/json", "Retry-After": "1"})
    with case_serving(step, answer("anthropic")) as server:
        assert once(server.url, "anthropic").text == "ok"
    assert server.requests[1].at - server.requests[0].at >= 1.0
