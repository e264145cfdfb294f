"""R11: twenty clients of one overloaded server ask no more than they may, and do not come back all at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

from mewcode import errors
from tests.fakes.dialects import connected
from tests.torture.outcome import ask
from tests.torture.stage import Wire, staged
from tests.torture.streams import SPEECHES
from tests.torture.tally import Tally

if TYPE_CHECKING:
    from tests.torture.tally import Share

_CLIENTS = 20
_RETRIES = 2
_SPREAD = 0.5  # seconds between the first and the last third try
_PATIENCE = 30.0
_FULL = b"HTTP/1.1 529 Overloaded\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def crowded(share: Share) -> Tally:
    """All twenty, whatever the share: fewer are no crowd."""
    tally = Tally("R11", f"{_CLIENTS} clients of an overloaded server", ("requests too many", "wrong ends", "herds"))
    with ExitStack() as stack:
        stage = stack.enter_context(staged(_CLIENTS))
        speeches = [SPEECHES[number % len(SPEECHES)] for number in range(_CLIENTS)]
        configs = [speech.config(stage.url, retries=_RETRIES) for speech in speeches]
        clients = [stack.enter_context(connected(config)) for config in configs]
        for client in clients:
            client.warm()
        plays = [stage.book(Wire((_FULL,))) for _ in clients]
        pool = stack.enter_context(ThreadPoolExecutor(_CLIENTS))
        outcomes = list(pool.map(lambda client, play: ask(client, play, _PATIENCE), clients, plays))
    for number, outcome in enumerate(outcomes):
        tally.run(f"client {number}", outcome)
        tally.check(isinstance(outcome.error, errors.Overloaded), "wrong ends", f"client {number}", outcome)
    requests = sum(len(play.asked) for play in plays)
    for _ in range(requests - _CLIENTS * (1 + _RETRIES)):
        tally.fault("requests too many", "all", requests)
    # by the waits themselves: a busy machine spreads everything
    thirds = [sum(retry.delay for retry in outcome.retries) for outcome in outcomes if len(outcome.retries) == _RETRIES]
    spread = max(thirds) - min(thirds) if thirds else 0.0
    tally.check(spread >= _SPREAD, "herds", "third tries", f"within {spread:.2f} s")
    tally.figures.append(f"{requests} requests (≤ 60), third tries spread over {spread:.2f} s (≥ {_SPREAD:g} s)")
    return tally
