"""R5: a server that says nothing, but says it all the time: pings keep a turn alive, and a cancel ends it."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

from mewcode.llm.events import Cancelled
from tests.fakes.dialects import connected
from tests.torture.framing import CHUNKED_HEAD, LAST_CHUNK, chunk
from tests.torture.memory import MB, growing
from tests.torture.outcome import hear, start
from tests.torture.stage import staged
from tests.torture.streams import MESSAGES_SPEECH, SPEECHES, TEXT
from tests.torture.tally import Tally

if TYPE_CHECKING:
    import socket

    from mewcode.llm.client import LLMClient
    from tests.torture.outcome import Outcome
    from tests.torture.stage import Play, Stage
    from tests.torture.streams import Speech
    from tests.torture.tally import Share

IDLE = 0.5  # seconds
_FOR = 10 * IDLE
_BEAT = 0.2
_LIMIT = 5 * MB
_PING = b'event: ping\ndata: {"type": "ping"}\n\n'
_COMMENT = b": still here\n\n"


@dataclass(frozen=True, slots=True)
class _Beats:
    """An answer's beginning, then a beat again and again, then its end, or nothing but beats."""

    begin: bytes
    beat: bytes
    end: bytes | None

    def __call__(self, client: socket.socket, play: Play) -> None:
        client.sendall(self.begin)
        clock = threading.Event()
        for _ in repeat(None) if self.end is None else repeat(None, round(_FOR / _BEAT)):
            clock.wait(_BEAT)
            client.sendall(self.beat)
        play.sent.put(time.monotonic())
        client.sendall(self.end or b"")


def trickling(share: Share) -> Tally:
    """All six, whatever the share: side by side they take as long as one."""
    tally = Tally(
        "R5", f"pings and trickles for {_FOR:g} s at an idle limit of {IDLE:g} s", ("dead", "too late", "memory")
    )
    with ExitStack() as stack:
        stage = stack.enter_context(staged(2 * len(SPEECHES)))
        clients = [stack.enter_context(connected(speech.config(stage.url, idle=IDLE))) for speech in SPEECHES]
        for client in clients:
            client.warm()
        pool = stack.enter_context(ThreadPoolExecutor(2 * len(SPEECHES)))
        with growing() as growth:
            living = pool.map(_pinged, clients, SPEECHES, repeat(stage))
            leaving = pool.map(_trickled, clients, SPEECHES, repeat(stage))
            ends = [*zip(SPEECHES, living, strict=True)], [*zip(SPEECHES, leaving, strict=True)]
    for speech, outcome in ends[0]:
        tally.run(f"{speech.name}, pings", outcome)
        tally.check(outcome.complete and outcome.text == TEXT, "dead", f"{speech.name}, pings", outcome)
    for speech, (alive, outcome) in ends[1]:
        tally.run(f"{speech.name}, trickle", outcome)
        tally.check(alive, "dead", f"{speech.name}, trickle", outcome)
        late = outcome.seconds > 1 or not isinstance(outcome.events[-1], Cancelled)
        tally.check(not late, "too late", f"{speech.name}, trickle", outcome)
    tally.check(growth.size < _LIMIT, "memory", "all six", f"+{growth.size / MB:.1f} MB")
    tally.figures.append(f"memory +{growth.size / MB:.1f} MB (< 5 MB)")
    return tally


def _pinged(client: LLMClient, speech: Speech, stage: Stage) -> Outcome:
    ping = _PING if speech is MESSAGES_SPEECH else _COMMENT
    half = len(speech.pieces) // 2
    begin = CHUNKED_HEAD + b"".join(map(chunk, speech.pieces[:half]))
    end = b"".join(map(chunk, speech.pieces[half:])) + LAST_CHUNK
    return hear(start(client, stage.book(_Beats(begin, chunk(ping), end))), 2 * _FOR)


def _trickled(client: LLMClient, speech: Speech, stage: Stage) -> tuple[bool, Outcome]:
    """Whether it lived for as long as it should, and how it then ended by a cancel."""
    begin = CHUNKED_HEAD + chunk(speech.pieces[0]) + chunk(b"data: ")
    turn = start(client, stage.book(_Beats(begin, chunk(b"x"), None)))
    alive = not turn.join(_FOR)
    turn.cancel()
    return alive, hear(turn)
