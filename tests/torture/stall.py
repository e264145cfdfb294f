"""R3: a server that falls silent anywhere is left at the idle limit, or at once when the user cancels."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewcode import errors
from mewcode.llm.events import Cancelled
from tests.fakes.dialects import connected
from tests.torture.framing import CHUNKED_HEAD, chunk
from tests.torture.outcome import ask, hear, start
from tests.torture.reference import meaning
from tests.torture.stage import Wire, staged
from tests.torture.streams import SPEECHES
from tests.torture.tally import Tally

if TYPE_CHECKING:
    from mewcode.llm.client import LLMClient
    from tests.torture.outcome import Outcome
    from tests.torture.stage import Play, Stage
    from tests.torture.streams import Speech
    from tests.torture.tally import Share

IDLE = 1.0  # seconds
GRACE = 1.0
_EARLY = 0.1  # as much before the limit is not yet too early: timers are not exact
_PLACES = 50
_AT_ONCE = 30  # turns side by side


@dataclass(frozen=True, slots=True)
class _Stall:
    speech: Speech
    client: LLMClient
    place: int  # bytes of head and body that come
    cancelled: bool

    @property
    def wire(self) -> bytes:
        return (CHUNKED_HEAD + b"".join(map(chunk, self.speech.pieces)))[: self.place]

    @property
    def body(self) -> bytes:
        """What of the body has come, without its chunks' frames."""
        left = self.place - len(CHUNKED_HEAD)
        body = b""
        for piece in self.speech.pieces:
            spelled = chunk(piece)
            frame = len(spelled) - len(piece) - 2
            body += piece[: max(0, left - frame)]
            left -= len(spelled)
        return body

    def __str__(self) -> str:
        return f"{self.speech.name}, {'cancel' if self.cancelled else 'stall'} at byte {self.place}"


def stalled(share: Share) -> Tally:
    tally = Tally("R3", "stalled anywhere", ("too late", "too early", "lost text", "wrong end"))
    with ExitStack() as stack:
        stage = stack.enter_context(staged(_AT_ONCE + 10))
        stalls = []
        for speech in SPEECHES:
            client = stack.enter_context(connected(speech.config(stage.url, idle=IDLE)))
            length = len(CHUNKED_HEAD) + sum(len(chunk(piece)) for piece in speech.pieces)
            places = [number * length // (_PLACES - 1) for number in range(_PLACES)]
            stalls += [_Stall(speech, client, place, cancelled) for place in places for cancelled in (False, True)]
        chosen = share.of(stalls)
        pool = stack.enter_context(ThreadPoolExecutor(_AT_ONCE))
        found = list(pool.map(lambda stall: _leave(stall, stage), chosen))
    waits = [0.0]
    for stall, (outcome, waited) in zip(chosen, found, strict=True):
        _judge(tally, stall, outcome, waited)
        waits.append(waited - (0.0 if stall.cancelled else IDLE))
    tally.figures.append(f"latest {max(waits):.2f} s after the limit or the cancel (≤ {GRACE:g} s)")
    return tally


def _leave(stall: _Stall, stage: Stage) -> tuple[Outcome, float]:
    """The outcome, and seconds from the server's last byte, or from the cancel, to the turn's end."""
    play = stage.book(Wire((stall.wire,), "wait"))
    if stall.cancelled:
        return _cancel(stall, play)
    outcome = ask(stall.client, play)
    return outcome, time.monotonic() - play.sent.get(timeout=IDLE)


def _cancel(stall: _Stall, play: Play) -> tuple[Outcome, float]:
    turn = start(stall.client, play)
    play.sent.get(timeout=5.0)
    turn.join(0.2)  # it takes in what has come
    cancelled = time.monotonic()
    turn.cancel()
    outcome = hear(turn)
    gone = turn.join(GRACE)
    return outcome, time.monotonic() - cancelled if gone else float("inf")


def _judge(tally: Tally, stall: _Stall, outcome: Outcome, waited: float) -> None:
    case = f"{stall} ({waited:.2f} s)"
    tally.run(case, outcome)
    expected = meaning(stall.body, stall.speech.protocol)
    tally.check(outcome.text == expected.text, "lost text", case, f"{outcome}, not {expected.text!r}")
    limit = GRACE if stall.cancelled else IDLE + GRACE
    tally.check(waited <= limit, "too late", case, outcome)
    if expected.ended:
        at_once = waited < IDLE or stall.body != stall.speech.body
        tally.check(at_once, "too late", case, f"all had come: {outcome}")
        right = outcome.complete or (stall.cancelled and isinstance(outcome.events[-1], Cancelled))
        tally.check(right, "wrong end", case, outcome)
    elif stall.cancelled:
        tally.check(isinstance(outcome.events[-1], Cancelled), "wrong end", case, outcome)
    else:
        tally.check(waited >= IDLE - _EARLY, "too early", case, outcome)
        kind = errors.StreamInterrupted if expected.heard else errors.TimedOut
        tally.check(isinstance(outcome.error, kind), "wrong end", case, outcome)
