"""R4: when either side closes, both connections are gone: the server sees it, and no socket is left."""

from __future__ import annotations

import gc
import os
import queue
import time
from contextlib import ExitStack
from itertools import product
from typing import TYPE_CHECKING

from tests.fakes.dialects import connected
from tests.torture.framing import CHUNKED_HEAD, HEAD, chunk
from tests.torture.outcome import hear, start
from tests.torture.stage import Wire, staged
from tests.torture.streams import SPEECHES
from tests.torture.tally import Tally

if TYPE_CHECKING:
    from mewcode.llm.client import LLMClient
    from tests.torture.stage import Stage
    from tests.torture.streams import Speech
    from tests.torture.tally import Share

_LIMIT = 1.0  # seconds
_ROUNDS = 6  # × 3 protocols × 3 framings × 2 sides: 108


def left(share: Share) -> Tally:
    tally = Tally("R4", "half-closed or cancelled", ("closes not seen", "sockets left"))
    before, slowest = open_sockets(), [0.0]
    with ExitStack() as stack:
        stage = stack.enter_context(staged(4))
        clients = [stack.enter_context(connected(speech.config(stage.url))) for speech in SPEECHES]
        cases = list(
            product(range(_ROUNDS), range(len(SPEECHES)), ("chunked", "endless", "no head"), ("half", "cancel"))
        )
        for number, which, framing, side in share.of(cases):
            wire = _begun(SPEECHES[which], framing, number)
            case = f"{SPEECHES[which].name}, {framing}, {side}, after {number} of {_ROUNDS}"
            slowest.append(_leave(tally, case, clients[which], stage, wire, side))
    gc.collect()  # an SDK's client goes with a cycle
    for _ in range(open_sockets() - before):
        tally.fault("sockets left", "at the end", f"{open_sockets()} of {before}")
    tally.figures.append(f"slowest close {max(slowest):.3f} s (≤ {_LIMIT:g} s)")
    return tally


def _begun(speech: Speech, framing: str, number: int) -> bytes:
    """The head, and a part of the answer that is never the whole."""
    pieces = speech.pieces[: number * (len(speech.pieces) - 4) // _ROUNDS]
    match framing:
        case "chunked":
            return CHUNKED_HEAD + b"".join(map(chunk, pieces))
        case "endless":
            return HEAD + b"\r\n" + b"".join(pieces)
    return b""


def _leave(tally: Tally, case: str, client: LLMClient, stage: Stage, wire: bytes, side: str) -> float:
    """Seconds until the server saw the close."""
    play = stage.book(Wire((wire,), "half" if side == "half" else "wait"))
    turn = start(client, play)
    closed = play.sent.get(timeout=5.0)
    if side == "cancel":
        turn.join(0.02)
        closed = time.monotonic()
        turn.cancel()
    outcome = hear(turn)
    tally.run(case, outcome)
    try:
        return play.left.get(timeout=_LIMIT) - closed
    except queue.Empty:
        tally.fault("closes not seen", case, outcome)
        return _LIMIT


def open_sockets() -> int:
    found = 0
    for number in os.listdir("/proc/self/fd"):
        try:
            found += os.readlink(f"/proc/self/fd/{number}").startswith("socket:")
        except OSError:  # the listing's own descriptor
            continue
    return found
