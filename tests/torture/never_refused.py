"""R36: after a turn that was cancelled at any time, and in any history at all, the next request is one that is taken.

A refusal counts although the client would mend it by itself.
"""

from __future__ import annotations

import random
import threading
from itertools import groupby
from typing import TYPE_CHECKING

from mewcode.session import Session
from tests.fakes.strict_plans import Answer, Said
from tests.property.histories import drawn, plan, script
from tests.property.playing import PROTOCOLS, cast, entries, play
from tests.torture.tally import Tally

if TYPE_CHECKING:
    from tests.property.playing import Cast
    from tests.torture.tally import Share

_CANCELS = 100  # a protocol
_HISTORIES = 300  # a protocol
_AT_ONE_SERVER = 25  # it looks through all that it has said, for each request
_LONGEST_TURN = 0.03  # seconds; most are over before
_PATIENCE = 20.0  # seconds


def never_refused(share: Share) -> Tally:
    tally = Tally("R36", "next message after a cancel, and any history", ("refused",))
    requests = 0
    cases = [(name, number) for name in PROTOCOLS for number in range(_CANCELS + _HISTORIES)]
    for (protocol, _), group in groupby(share.of(cases), key=lambda case: (case[0], case[1] // _AT_ONE_SERVER)):
        with cast(protocol) as players:
            for _, number in group:
                _try(tally, players, protocol, number)
            requests += len(players.server.asked)
    tally.figures.append(f"{requests:,} requests")
    return tally


def _try(tally: Tally, players: Cast, protocol: str, number: int) -> None:
    before, clients = len(players.refused), len(entries(protocol))
    if number < _CANCELS:
        case = f"{protocol}, cancel {number}"
        answered = _cancel(players, random.Random(number), number % clients)
        tally.check(answered, "hangs", case, "the next message has no answer")
    else:
        steps = drawn(number - _CANCELS, clients)
        case = f"{protocol}, history {number - _CANCELS}: {script(steps)}"
        play(players, steps, number // 2 % clients)
    tally.runs += 1
    tally.check(len(players.refused) == before, "refused", case, players.refused[before:])


def _cancel(players: Cast, rng: random.Random, first: int) -> bool:
    """Whether the message after the cancelled one has its answer."""
    ended = threading.Event()
    session = Session(players.clients[first], on_ready=ended.set)
    for _ in range(rng.randint(1, 3)):
        players.plan = plan(rng)
        session.ask("Say something")
        threading.Event().wait(rng.uniform(0, _LONGEST_TURN))
        session.cancel()
    players.plan = Answer((Said("Here I am"),))
    session.ask("And now?")
    while session.running and ended.wait(_PATIENCE):
        ended.clear()
        session.pump()
    return session.answer().status == "complete" and session.answer().text == "Here I am"
