from __future__ import annotations

import random
from collections import deque
from typing import Any

import pytest

from mewcode import errors
from mewcode.llm.cancel import CancelToken
from mewcode.llm.events import Retrying, StreamEnd, TextDelta
from mewcode.llm.retry import RetryPolicy, attempts

BUSY = errors.Overloaded("busy")
AT_ONCE = RetryPolicy(first_delay=0.001)


def delays(policy, error, failures, lean=0.0):
    return [policy.delay([error] * count, lean) for count in range(1, failures + 1)]


def source(*outcomes) -> Any:
    """An attempt for each outcome: its events, then its error if it has one."""
    left = deque(outcomes)

    def attempt():
        for step in left.popleft():
            if isinstance(step, Exception):
                raise step
            yield step

    return attempt


def test_the_delay_doubles_up_to_a_ceiling():
    assert delays(RetryPolicy(), BUSY, 9) == [0.5, 1, 2, 4, 8, 15, 15, 15, 15]


def test_the_jitter_is_a_fifth_either_way_and_never_above_the_ceiling():
    assert delays(RetryPolicy(), BUSY, 6, lean=-1.0) == pytest.approx([0.4, 0.8, 1.6, 3.2, 6.4, 12.8])
    assert delays(RetryPolicy(), BUSY, 6, lean=1.0) == pytest.approx([0.6, 1.2, 2.4, 4.8, 9.6, 15.0])


def test_clients_that_failed_together_come_back_apart():
    def third_try(seed):
        events = attempts(source([BUSY], [BUSY], [StreamEnd("end")]), AT_ONCE, CancelToken(), random.Random(seed))
        return sum(event.delay for event in events if isinstance(event, Retrying)) * 500  # in units of the usual delay

    tries = [third_try(seed) for seed in range(20)]
    assert min(tries) >= 1.2
    assert max(tries) <= 1.8
    assert max(tries) - min(tries) >= 0.5


def test_ten_attempts_are_all_there_are():
    assert None not in delays(RetryPolicy(), BUSY, 9)
    assert RetryPolicy().delay([BUSY] * 10, 0.0) is None


def test_without_retries_there_is_one_attempt():
    assert RetryPolicy(max_retries=0).delay([BUSY], 0.0) is None


@pytest.mark.parametrize(
    "error",
    [
        errors.AuthError("no"),
        errors.QuotaExhausted("no"),
        errors.BadRequest("no"),
        errors.ContextTooLong("no"),
        errors.ProtocolError("no"),
        errors.RateLimited("no", retryable=False),
        errors.NetworkError("TLS", retryable=False),
    ],
)
def test_what_cannot_succeed_is_not_tried_again(error):
    assert RetryPolicy().delay([error], 0.0) is None


@pytest.mark.parametrize(("asked", "waited"), [(0.2, 0.2), (3.0, 3.0), (60.0, 60.0), (60.1, None), (1_382_400.0, None)])
def test_a_wait_that_the_server_asks_for_is_kept_or_ends_the_turn(asked, waited):
    assert RetryPolicy().delay([errors.RateLimited("later", retry_after=asked)], 0.0) == waited


def test_a_wait_of_nothing_is_the_usual_back_off():
    wait = RetryPolicy().delay([errors.RateLimited("now", retry_after=0.0)], 0.0)
    assert wait is not None
    assert wait >= 0.4


def test_an_error_that_bounds_its_attempts_is_tried_no_more_often():
    refused = errors.NetworkError("refused", max_attempts=2)
    assert RetryPolicy().delay([refused], 0.0) is not None
    assert RetryPolicy().delay([refused, refused], 0.0) is None
    assert RetryPolicy().delay([BUSY, BUSY, refused], 0.0) is not None
    assert RetryPolicy(max_retries=0).delay([refused], 0.0) is None


def test_a_final_error_that_allows_a_second_attempt_gets_one():
    refused = errors.AuthError("no", max_attempts=2)
    assert RetryPolicy().delay([refused], 0.0) is not None
    assert RetryPolicy().delay([refused, refused], 0.0) is None


def test_each_new_attempt_is_announced_and_the_answer_follows():
    events: list[Any] = list(
        attempts(source([BUSY], [BUSY], [TextDelta("a"), StreamEnd("end")]), AT_ONCE, CancelToken())
    )
    first, second, *rest = events
    assert [(event.attempt, event.max_attempts, event.error) for event in (first, second)] == [
        (2, 10, BUSY),
        (3, 10, BUSY),
    ]
    assert 0 < first.delay < second.delay
    assert rest == [TextDelta("a"), StreamEnd("end")]


def test_the_bound_of_an_error_is_announced_too():
    refused = errors.NetworkError("refused", max_attempts=2)
    events = attempts(source([refused], [refused]), AT_ONCE, CancelToken())
    announced = next(events)
    assert isinstance(announced, Retrying)
    assert (announced.attempt, announced.max_attempts) == (2, 2)
    with pytest.raises(errors.NetworkError):
        next(events)


@pytest.mark.parametrize("shown", [TextDelta("a"), TextDelta("")])
def test_nothing_is_repeated_once_anything_was_shown(shown):
    events = attempts(source([shown, errors.StreamInterrupted("cut")]), AT_ONCE, CancelToken())
    assert next(events) == shown
    with pytest.raises(errors.StreamInterrupted):
        next(events)


def test_the_error_of_the_last_attempt_is_the_one_that_is_raised():
    last = errors.ServerError("dead")
    with pytest.raises(errors.ServerError) as raised:
        list(attempts(source([BUSY], [last]), RetryPolicy(max_retries=1, first_delay=0.001), CancelToken()))
    assert raised.value is last


def test_a_cancel_ends_the_wait_at_once():
    cancel = CancelToken()
    events = attempts(source([BUSY], [StreamEnd("end")]), RetryPolicy(first_delay=3600.0), cancel)
    assert isinstance(next(events), Retrying)
    cancel.cancel()
    with pytest.raises(errors.Overloaded):
        next(events)


def test_a_cancelled_attempt_is_not_repeated():
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(errors.Overloaded):
        list(attempts(source([BUSY], [StreamEnd("end")]), AT_ONCE, cancel))
