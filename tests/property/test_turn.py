from __future__ import annotations

import threading

from hypothesis import given, settings
from hypothesis import strategies as st

from mewcode.errors import BadRequest, ConfigError, LLMError, ProtocolError, ToolArgumentsError
from mewcode.llm.events import (
    Cancelled,
    Retrying,
    StreamEnd,
    StreamError,
    Terminal,
    TextDelta,
    ThinkingComplete,
    ThinkingDelta,
    ToolCallComplete,
    ToolCallDelta,
    ToolCallStart,
)
from mewcode.llm.messages import ThinkingBlock
from tests.fakes.scripted import Scripted, Wakes, start

TEXT = st.text(max_size=3)
PROGRESS = st.one_of(
    st.builds(TextDelta, TEXT),
    st.builds(ThinkingDelta, TEXT),
    st.builds(ThinkingComplete, st.builds(ThinkingBlock, TEXT)),
    st.builds(ToolCallStart, TEXT, TEXT),
    st.builds(ToolCallDelta, TEXT, TEXT),
    st.builds(ToolCallComplete, TEXT, TEXT, st.none(), st.builds(ToolArgumentsError, TEXT, TEXT)),
    st.builds(Retrying, st.integers(2, 9), st.just(10), st.floats(0, 60), st.builds(LLMError, TEXT)),
)
END = StreamEnd("end", "stop")
ENDS = st.sampled_from([END, BadRequest("no"), ConfigError("c.yaml:1: no"), ValueError("bug"), None])
# an event and how often: long lists of different ones are slow to draw
RUNS = st.lists(st.tuples(PROGRESS, st.integers(1, 70)), max_size=6)
ACTS = st.lists(st.sampled_from(["next", "take", "cancel", "cancel elsewhere", "gone"]), max_size=12)


def natural(end, event):
    """Whether a turn that was left alone ends as its source did."""
    match end, event:
        case StreamEnd(), _:
            return event == end
        case BadRequest(), StreamError(error):
            return error is end
        case ConfigError(), StreamError(error):
            return error.__cause__ is end and str(error) == str(end)
        case ValueError(), StreamError(error):
            return type(error) is LLMError and "ValueError" in str(error)
        case None, StreamError(error):
            return type(error) is ProtocolError
    return False


class Reader:
    """Reads a turn by a list of acts, and notes how much had been queued when it was first cancelled."""

    def __init__(self, turn, wakes):
        self._turn, self._wakes, self._events = turn, wakes, iter(turn)
        self.seen = []
        self.queued_before: int | None = None
        self._helpers: list[threading.Thread] = []

    def do(self, act):
        match act:
            case "next":
                self.seen += [event for event in [next(self._events, None)] if event is not None]
            case "take":
                self.seen += self._turn.take()
            case "cancel":
                self._note()
                self._turn.cancel()
            case "cancel elsewhere":
                self._note()
                self._helpers.append(threading.Thread(target=self._turn.cancel))
                self._helpers[-1].start()
            case "gone":  # a reader that will not come back cancels, and waits for the worker alone
                self.do("cancel")
                assert self._turn.join(1.0)

    def _note(self):
        if self.queued_before is None:
            self.queued_before = self._wakes.count

    def finish(self):
        self.seen += list(self._events)
        for helper in self._helpers:
            helper.join()


def assert_one_end(reader, turn, provider, wakes):
    assert [isinstance(event, Terminal) for event in reader.seen].count(True) == 1
    assert isinstance(reader.seen[-1], Terminal)
    assert turn.join(1.0)
    assert turn.take() == list(turn) == []
    assert provider.open_streams == 0
    assert wakes.count == len(reader.seen)


@given(runs=RUNS, end=ENDS, acts=ACTS)
@settings(max_examples=250, deadline=None)
def test_a_turn_ends_exactly_once_and_loses_nothing_that_was_queued(runs, end, acts):
    before = [event for event, times in runs for _ in range(times)]
    provider, wakes = Scripted([*before, *([end] if end else [])]), Wakes()
    turn = start(provider, wakes)
    reader = Reader(turn, wakes)
    for act in acts:
        reader.do(act)
    reader.finish()

    assert_one_end(reader, turn, provider, wakes)
    *progress, last = reader.seen
    assert progress == before[: len(progress)]
    if reader.queued_before is None or last != Cancelled():
        assert progress == before
        assert natural(end, last)
    else:
        assert len(progress) >= min(reader.queued_before, len(before))


@given(before=st.lists(PROGRESS, max_size=12), cancel_after=st.integers(0, 12), elsewhere=st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_turn_whose_source_is_silent_ends_when_it_is_cancelled(before, cancel_after, elsewhere):
    provider, wakes = Scripted([*before, threading.Event(), END]), Wakes()
    turn = start(provider, wakes)
    reader = Reader(turn, wakes)
    for _ in range(min(cancel_after, len(before))):
        reader.do("next")
    reader.do("cancel elsewhere" if elsewhere else "cancel")
    reader.finish()

    assert_one_end(reader, turn, provider, wakes)
    assert reader.seen[-1] == Cancelled()
    assert reader.seen[:-1] == before[: len(reader.seen) - 1]
