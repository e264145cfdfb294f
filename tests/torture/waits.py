"""R10: how long a server asks to wait: what makes sense is obeyed, what is too long ends the turn, the rest is none."""

from __future__ import annotations

import queue
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING

from mewcode.llm.events import Cancelled, Retrying, StreamError
from tests.fakes.dialects import connected
from tests.torture.framing import chunked
from tests.torture.outcome import hear, start
from tests.torture.stage import Play, Wire, staged
from tests.torture.streams import SPEECHES, TEXT
from tests.torture.tally import Tally

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from mewcode.llm.client import LLMClient
    from tests.torture.stage import Stage
    from tests.torture.streams import Speech
    from tests.torture.tally import Share

_BACK_OFF = 2.0  # seconds; the first wait is never longer by itself
_SOON = 0.5  # seconds; a wait that is short enough to be waited for
_EXACT = 2.0  # seconds: a date has no fractions, and a busy machine takes its time
_CANCEL = 1.0


@dataclass(frozen=True, slots=True)
class _Wait:
    """`headers` are what a server sends at that moment; `seconds` is what it asks for: None for nothing sensible."""

    name: str
    headers: Callable[[datetime], str]
    seconds: float | None


@dataclass(frozen=True, slots=True)
class _Later:
    """Refuses once, then answers."""

    speech: Speech
    wait: _Wait

    def __call__(self, client: socket.socket, play: Play) -> None:
        if len(play.asked) > 1:
            Wire((chunked(self.speech.pieces),))(client, play)
            return
        body = b'{"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down"}}'
        headers = self.wait.headers(datetime.now(UTC))
        client.sendall(
            f"HTTP/1.1 429 No\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{headers}\r\n".encode() + body
        )


def _value(value: str, seconds: float | None) -> _Wait:
    return _Wait(repr(value), lambda now: f"Retry-After: {value}\r\n", seconds)


def _date(ahead: float, seconds: float | None) -> _Wait:
    name = f"a date {ahead:g} s ahead"
    return _Wait(name, lambda now: f"Retry-After: {_spelled(now + timedelta(seconds=ahead))}\r\n", seconds)


def _clock(off: timedelta) -> _Wait:
    """A server whose clock is wrong says so itself."""

    def headers(now: datetime) -> str:
        its = now + off
        return f"Date: {_spelled(its)}\r\nRetry-After: {_spelled(its + timedelta(seconds=30))}\r\n"

    return _Wait(f"a clock that is off by {off}", headers, 30.0)


def _spelled(moment: datetime) -> str:
    return format_datetime(moment, usegmt=True)


_ODD = ("0", "-5", "soon", "", "nan", "inf", "1e9", "1, 2", "３", "0x10", "1 s", "Wed, 99 Foo 2026 25:61:61 GMT")
_GOOD = {"0.3": 0.3, " 20 ": 20.0, "60": 60.0, "61": 61.0, "99999": 99999.0, "4294967": 4294967.0}
_WAITS = (
    *(_value(value, None) for value in _ODD),
    *(_value(value, seconds) for value, seconds in _GOOD.items()),
    *(_date(ahead, seconds) for ahead, seconds in ((30, 30.0), (-30, None), (7200, 7200.0))),
    *(_clock(timedelta(hours=hours)) for hours in (-1, 1)),
)


def waited(share: Share) -> Tally:
    tally = Tally("R10", "Retry-After", ("wrong waits", "wrong ends", "late cancels"))
    with ExitStack() as stack:
        stage = stack.enter_context(staged())
        for speech in SPEECHES:
            client = stack.enter_context(connected(speech.config(stage.url, retries=2)))
            for wait in share.of(_WAITS):
                _try(tally, client, stage, speech, wait)
    return tally


def _try(tally: Tally, client: LLMClient, stage: Stage, speech: Speech, wait: _Wait) -> None:
    case = f"{speech.name}, {wait.name}"
    play = stage.book(_Later(speech, wait))
    turn = start(client, play)
    try:
        first = turn.queue.get(timeout=_CANCEL + _SOON)
    except queue.Empty:
        tally.run(case, hear(turn, 0.1))
        return
    if isinstance(first, StreamError):
        tally.runs += 1
        tally.check((wait.seconds or 0) > 60, "wrong ends", case, f"ended at once: {first.error}")
        return
    assert isinstance(first, Retrying), first
    _check_delay(tally, case, first.delay, wait.seconds)
    if first.delay <= _SOON:
        outcome = hear(turn)
        slept = play.asked[-1] - play.asked[0]
        tally.check(outcome.text == TEXT and slept >= first.delay, "wrong ends", case, f"{slept:.2f} s: {outcome}")
    else:
        cancelled = time.monotonic()
        turn.cancel()
        outcome = hear(turn, _CANCEL)
        gone = turn.join(_CANCEL) and time.monotonic() - cancelled <= _CANCEL
        tally.check(gone, "late cancels", case, outcome)
        tally.check(isinstance(outcome.events[-1], Cancelled), "wrong ends", case, outcome)
    tally.run(case, outcome)


def _check_delay(tally: Tally, case: str, delay: float, asked: float | None) -> None:
    if asked is None:
        right = 0 < delay <= _BACK_OFF
    else:
        right = asked <= 60 and abs(delay - asked) <= (_EXACT if asked > 1 else 0.0)
    tally.check(right, "wrong waits", case, f"{delay:.2f} s, not {asked or 'the back-off'}")
