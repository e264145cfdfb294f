from __future__ import annotations

import threading

import pytest

from mewcode.errors import BadRequest, ConfigError, LLMError, ProtocolError
from mewcode.llm.events import Cancelled, StreamEnd, StreamError, TextDelta
from mewcode.llm.turn import QUEUE_SIZE, Turn
from tests.fakes.scripted import PATIENCE, Scripted, Wakes, start

END = StreamEnd("end", "stop")


def deltas(count):
    return [TextDelta(str(number)) for number in range(count)]


def full(provider):
    """A turn whose worker waits for room: the queue is full, and it has one event in hand."""
    wakes = Wakes()
    turn = start(provider, wakes)
    assert wakes.wait_for(QUEUE_SIZE)
    while provider.given <= QUEUE_SIZE:
        assert not turn.join(0.01)
    return turn, wakes


def only_error(turn):
    [event] = turn
    assert isinstance(event, StreamError)
    return event.error


def test_events_come_in_order_and_the_end_last():
    provider = Scripted([*deltas(200), END])
    assert list(start(provider)) == [*deltas(200), END]
    assert provider.open_streams == 0


def test_after_the_end_there_is_nothing_to_read():
    turn = start(Scripted([TextDelta("a"), END]))
    assert list(turn) == [TextDelta("a"), END]
    assert list(turn) == []
    assert turn.take() == []


def test_take_does_not_wait():
    pause = threading.Event()
    turn = start(Scripted([pause, END]))
    assert turn.take() == []
    pause.set()
    assert turn.join(PATIENCE)
    assert turn.take() == [END]


def test_iteration_goes_on_after_what_was_taken():
    pause, wakes = threading.Event(), Wakes()
    turn = start(Scripted([TextDelta("a"), TextDelta("b"), pause, TextDelta("c"), END]), wakes)
    assert wakes.wait_for(2)
    assert turn.take() == [TextDelta("a"), TextDelta("b")]
    pause.set()
    assert list(turn) == [TextDelta("c"), END]


def test_an_end_that_was_taken_ends_the_iteration_too():
    turn = start(Scripted([END]))
    assert turn.join(PATIENCE)
    assert turn.take() == [END]
    assert list(turn) == []


def test_what_comes_while_the_queue_is_taken_is_left_for_the_next_time():
    turn, _ = full(Scripted([*deltas(10_000), END]))
    assert all(len(turn.take()) <= QUEUE_SIZE for _ in range(100))
    turn.cancel()


def test_taking_what_is_there_lets_a_worker_that_waits_for_room_go_on():
    turn, _ = full(Scripted([*deltas(200), END]))
    taken = turn.take()
    assert taken == deltas(QUEUE_SIZE)
    assert [*taken, *turn] == [*deltas(200), END]


def test_nobody_reading_holds_the_source_at_the_queue_and_one_in_hand():
    provider, most = Scripted([*deltas(10_000), END]), 0

    def look():
        nonlocal most
        most = max(most, turn_made.result().queue.qsize())
        wakes()

    wakes, turn_made = Wakes(), Later()
    turn = start(provider, look)
    turn_made.set(turn)
    assert wakes.wait_for(QUEUE_SIZE)
    assert not turn.join(0.05)
    assert (most, turn.queue.qsize(), provider.given) == (QUEUE_SIZE, QUEUE_SIZE, QUEUE_SIZE + 1)
    assert list(turn) == [*deltas(10_000), END]
    assert most == QUEUE_SIZE


class Later:
    """A value that another thread waits for."""

    def __init__(self):
        self._there, self._value = threading.Event(), None

    def set(self, value):
        self._value = value
        self._there.set()

    def result(self):
        assert self._there.wait(PATIENCE)
        return self._value


def test_cancelling_a_turn_that_nobody_reads_frees_the_worker_and_keeps_what_is_queued():
    provider = Scripted([*deltas(300), END])
    turn, wakes = full(provider)
    turn.cancel()
    assert turn.join(1.0)
    assert provider.open_streams == 0
    seen = turn.take()
    assert seen[:QUEUE_SIZE] == deltas(QUEUE_SIZE)
    assert seen[QUEUE_SIZE:] in ([TextDelta(str(QUEUE_SIZE)), Cancelled()], [Cancelled()])
    assert wakes.count == len(seen)


def test_cancelling_a_finished_turn_that_was_not_read_keeps_its_end():
    turn = start(Scripted([TextDelta("a"), END]))
    assert turn.join(PATIENCE)
    turn.cancel()
    assert list(turn) == [TextDelta("a"), END]


def test_an_end_that_waits_for_room_stays_when_the_turn_is_cancelled():
    turn, _ = full(Scripted([*deltas(QUEUE_SIZE), END]))
    turn.cancel()
    assert turn.join(1.0)
    assert turn.take() == [*deltas(QUEUE_SIZE), END]


def test_an_end_that_the_source_was_about_to_give_stays_when_the_turn_is_cancelled():
    def source(cancel):
        cancel.sleep(PATIENCE)
        yield END

    turn = Turn(source)
    turn.cancel()
    assert list(turn) == [END]


def test_progress_that_comes_after_the_cancel_is_not_wanted():
    def source(cancel):
        cancel.sleep(PATIENCE)
        yield TextDelta("late")
        yield END

    turn = Turn(source)
    turn.cancel()
    assert list(turn) == [Cancelled()]


def test_cancelling_wakes_a_silent_source():
    provider = Scripted([TextDelta("a"), threading.Event(), END])
    turn = start(provider)
    events = iter(turn)
    assert next(events) == TextDelta("a")
    turn.cancel()
    assert list(events) == [Cancelled()]
    assert turn.join(1.0)
    assert provider.open_streams == 0


def test_cancelling_wakes_a_reader_that_waits():
    turn = start(Scripted([threading.Event()]))
    canceller = threading.Thread(target=turn.cancel)
    canceller.start()
    assert list(turn) == [Cancelled()]
    canceller.join()


def test_cancelling_twice_gives_one_end():
    turn = start(Scripted([threading.Event()]))
    turn.cancel()
    turn.cancel()
    assert list(turn) == [Cancelled()]


def test_a_failure_of_the_request_is_the_end():
    error = BadRequest("no")
    assert only_error(start(Scripted([error]))) is error


def test_a_wrong_setting_that_shows_only_now_is_the_end_and_the_cause():
    error = ConfigError("c.yaml:3: wrong")
    failed = only_error(start(Scripted([error])))
    assert type(failed) is LLMError
    assert (str(failed), failed.__cause__) == (str(error), error)


def test_a_bug_is_an_end_that_shows_only_the_kind_of_the_exception():
    failed = only_error(start(Scripted([ValueError("sk-secret")])))
    assert type(failed) is LLMError
    assert "ValueError" in str(failed)
    assert "sk-secret" not in str(failed)


def test_a_source_that_cannot_be_opened_is_an_end_too():
    def source(cancel):
        raise BadRequest("no")

    assert str(only_error(Turn(source))) == "no"


def test_a_source_that_just_stops_has_not_finished():
    *text, end = start(Scripted([TextDelta("a")]))
    assert text == [TextDelta("a")]
    assert isinstance(end, StreamError)
    assert type(end.error) is ProtocolError


@pytest.mark.parametrize("late", [OSError("late"), BadRequest("late"), TextDelta("late")])
def test_what_breaks_after_the_end_mark_does_not_matter(late):
    def source(cancel):
        try:
            yield END
            yield TextDelta("more")
        finally:
            if isinstance(late, Exception):
                raise late

    turn = Turn(source)
    assert list(turn) == [END]
    assert turn.join(PATIENCE)


def test_on_ready_is_called_for_each_event_and_what_it_raises_is_harmless():
    calls = []

    def failing():
        calls.append(threading.current_thread().name)
        raise RuntimeError("no screen")

    turn = start(Scripted([*deltas(3), END]), failing)
    assert list(turn) == [*deltas(3), END]
    assert turn.join(PATIENCE)
    assert len(calls) == 4
    assert set(calls) == {calls[0]}
    assert calls[0].startswith("mewcode-turn-")


def test_a_turn_that_was_read_says_why_it_ended():
    turn = start(Scripted([TextDelta("a"), StreamEnd("max_tokens", "length")]))
    assert turn.end is None
    events = list(turn)
    assert turn.end == events[-1] == StreamEnd("max_tokens", "length")


def test_a_worker_that_cannot_be_woken_is_not_waited_for_long():
    stuck = threading.Event()

    def source(cancel):
        yield TextDelta("a")
        assert stuck.wait(PATIENCE)
        yield TextDelta("too late")

    turn = Turn(source)
    events = iter(turn)
    assert next(events) == TextDelta("a")
    turn.cancel()
    assert list(events) == [Cancelled()]
    stuck.set()
    assert turn.join(PATIENCE)
    assert turn.take() == []
