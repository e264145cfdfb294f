from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewcode.providers._errors import read_fault, to_error
from mewcode.providers._retry_after import in_words, retry_after
from tests.fakes.dialects import CHAT

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
IN_A_MINUTE = "Mon, 30 Nov 2026 12:01:00 GMT"
ODD = [
    "-5",
    "abc",
    "nan",
    "1e400",
    "\u00b2",
    "Wed, 21 Oct 2015 07:28:00 GMT",
    "Wed, 31 Feb 2026 00:00:00 GMT",
    "3, 7",
    "",
]


def asked(value: str, **more: str) -> float | None:
    return retry_after({"retry-after": value, **{name.replace("_", "-"): text for name, text in more.items()}}, NOW)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("0", 0.0), ("17", 17.0), ("0.5", 0.5), (" 3\t", 3.0), ("007", 7.0), ("1382400", 1_382_400.0)],
)
def test_a_number_is_in_seconds_and_kept_whatever_its_size(value: str, seconds: float):
    assert asked(value) == seconds


@pytest.mark.parametrize(
    "value",
    [
        *ODD,
        *("inf", "-inf", "infinity", "NaN", "1e9", "0x10", "1_000", "+5", ".5", "5.", "1.5.2", "3 7", "3;7", "3s"),
        *("9" * 400, "9" * 13, "٣", "１２", "soon", "\x00", "5\n", " ", "," * 1000, "Mon, " * 1000),
        *(
            "Mon, 30 Nov 99999 12:01:00 GMT",
            "Mon, 30 Nov 2026 25:61:00 GMT",
            "30 Nov 2026 12:01:00 GMT",
            "2026-11-30T12:01:00Z",
        ),
        *("Mon, 30 Nov 2026 12:01:00 +9999", "Mon, 30 Nov 2026 11:59:59 GMT"),
    ],
)
def test_a_value_that_is_not_good_is_none(value: str):
    assert asked(value) is None


@pytest.mark.parametrize(
    "value", [IN_A_MINUTE, "Monday, 30-Nov-26 12:01:00 GMT", "Mon Nov 30 12:01:00 2026", f" {IN_A_MINUTE} "]
)
def test_a_date_in_each_of_its_forms_is_measured_against_the_clock(value: str):
    assert asked(value) == 60.0


def test_the_servers_own_clock_goes_before_ours():
    assert asked(IN_A_MINUTE, date="Mon, 30 Nov 2026 12:00:57 GMT") == 3.0
    assert asked("Mon, 30 Nov 2026 11:00:03 GMT", date="Mon Nov 30 11:00:00 2026") == 3.0
    assert asked(IN_A_MINUTE, date=IN_A_MINUTE) == 0.0
    assert asked(IN_A_MINUTE, date="Mon, 30 Nov 2026 12:01:01 GMT") is None


@pytest.mark.parametrize("date", ["", "now", "17", "Wed, 31 Feb 2026 00:00:00 GMT"])
def test_a_server_whose_clock_cannot_be_read_is_measured_with_ours(date: str):
    assert asked(IN_A_MINUTE, date=date) == 60.0


def test_a_date_at_the_end_of_time_is_a_good_one():
    wait = asked("Fri, 31 Dec 9999 23:59:59 GMT")
    assert wait is not None
    assert wait > 7000 * 365 * 86_400


def test_milliseconds_go_first_unless_they_are_not_good():
    assert asked("17", retry_after_ms="1500") == 1.5
    assert asked("17", retry_after_ms="-1") == 17.0
    assert asked("17", retry_after_ms="") == 17.0
    assert retry_after({"retry-after-ms": "99999999999"}, NOW) == 99_999_999.999
    assert retry_after({"retry-after-ms": IN_A_MINUTE}, NOW) is None


def test_nothing_asked_is_none():
    assert retry_after({}, NOW) is None
    assert retry_after({"date": IN_A_MINUTE}, NOW) is None


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_no_header_breaks_it(value: str, milliseconds: str, date: str):
    wait = asked(value, retry_after_ms=milliseconds, date=date)
    assert wait is None or 0 <= wait < 1e12


@given(st.integers(0, 10**9), st.integers(-(10**6), 10**6))
def test_a_date_says_the_same_as_its_distance_whatever_our_clock_says(seconds: int, ahead: int):
    server = NOW + timedelta(seconds=ahead)
    value, date = (format_datetime(moment, usegmt=True) for moment in (server + timedelta(seconds=seconds), server))
    assert asked(value, date=date) == seconds


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (0.2, "1 second"),
        (61, "1 minute 1 second"),
        (90, "1 minute 30 seconds"),
        (3_599.5, "1 hour"),
        (5_400, "1 hour 30 minutes"),
        (7_201, "2 hours 1 minute"),
        (86_399, "1 day"),
        (86_400, "1 day"),
        (90_000, "1 day 1 hour"),
        (1_382_400, "16 days"),
        (99_999_999.999, "1,157 days 10 hours"),
    ],
)
def test_a_time_is_said_as_a_person_says_it_and_rounded_up(seconds: float, words: str):
    assert in_words(seconds) == words


@given(st.floats(0, 1e12))
def test_a_time_in_words_is_never_shorter_and_has_two_parts_at_most(seconds: float):
    sizes = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
    parts = re.findall(r"([\d,]+) (\w+?)s?\b", in_words(seconds))
    said = sum(int(count.replace(",", "")) * sizes[unit] for count, unit in parts)
    assert len(parts) <= 2
    assert seconds <= said <= seconds + max(1.0, seconds / 24)


def test_the_names_of_headers_are_known_in_any_case():
    headers = {"Retry-After": "17", "X-Should-Retry": " False ", "Request-ID": "req_1"}
    error = to_error(read_fault(429, {}, headers), CHAT.config("http://h"), "http://h")
    assert (error.retry_after, error.retryable, error.request_id) == (17.0, False, "req_1")
