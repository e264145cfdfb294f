"""R2: one answer in pieces of any size and with any line ends means the same."""

from __future__ import annotations

import random
from contextlib import ExitStack
from itertools import product
from typing import TYPE_CHECKING, Literal

from tests.fakes.dialects import connected
from tests.torture.framing import chunked
from tests.torture.outcome import ask
from tests.torture.stage import Wire, staged
from tests.torture.streams import SPEECHES
from tests.torture.tally import Tally

if TYPE_CHECKING:
    from tests.torture.tally import Share

Cut = Literal["bytes", "random", "line ends"]

_CUTS: tuple[Cut, ...] = ("bytes", "random", "line ends")
_LINE_ENDS = {"LF": b"\n", "CR": b"\r", "CRLF": b"\r\n"}
_ROUNDS = 37  # × 27 kinds of delivery: about a thousand


def delivered_anyhow(share: Share) -> Tally:
    tally = Tally("R2", "delivered in any pieces", ("other events",))
    with ExitStack() as stack:
        stage = stack.enter_context(staged())
        clients = [stack.enter_context(connected(speech.config(stage.url))) for speech in SPEECHES]
        plain = [
            ask(client, stage.book(Wire((chunked(speech.pieces),)))).events
            for client, speech in zip(clients, SPEECHES, strict=True)
        ]
        deliveries = list(product(range(_ROUNDS), _CUTS, _LINE_ENDS, range(len(SPEECHES))))
        for number, how, name, which in share.of(deliveries):
            body = SPEECHES[which].body.replace(b"\n", _LINE_ENDS[name])
            pieces = _cut(body, how, random.Random(number))
            outcome = ask(clients[which], stage.book(Wire((chunked(pieces),))))
            case = f"{SPEECHES[which].name}, {name} cut at {how} (seed {number})"
            tally.run(case, outcome)
            tally.check(outcome.events == plain[which], "other events", case, outcome)
    return tally


def _cut(body: bytes, how: Cut, chance: random.Random) -> list[bytes]:
    match how:
        case "bytes":
            places = list(range(1, len(body)))
        case "random":
            places = sorted(chance.sample(range(1, len(body)), chance.randrange(1, 60)))
        case "line ends":  # every line end in two, if it has two bytes, else before or after it
            places = [
                place + (body[place : place + 2] == b"\r\n" or chance.randrange(2)) for place in _ends_of_lines(body)
            ]
    return [body[start:end] for start, end in zip([0, *places], [*places, len(body)], strict=True) if start < end]


def _ends_of_lines(body: bytes) -> list[int]:
    return [
        place
        for place, byte in enumerate(body)
        if byte in b"\r\n" and not (byte == 10 and body[place - 1 : place] == b"\r")
    ]
