"""R12: servers that cannot be reached, by name, by port, by TLS or by proxy: who it is and why, in time."""

from __future__ import annotations

import re
import socket
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fakes.dialects import connected
from tests.torture.outcome import ask
from tests.torture.stage import Play, Wire
from tests.torture.streams import SPEECHES
from tests.torture.tally import Tally
from tests.torture.wrong_servers import UNKNOWN, wrong_servers

if TYPE_CHECKING:
    from tests.torture.streams import Speech
    from tests.torture.tally import Share
    from tests.torture.wrong_servers import WrongServer

CONNECT = 1.0  # seconds
_GRACE = 1.0
_KINDS = ("host missing", "proxy missing", "cause missing", "too late", "no error")
_UNHEARD = Play("Is anybody there?", Wire(()))


def unreachable(share: Share) -> Tally:
    """Every case at least once: a share of them all is one protocol a case."""
    tally = Tally("R12", "servers that cannot be reached", _KINDS)
    slowest = 0.0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = [stack.enter_context(server) for server in wrong_servers(folder)]
        every = list(product(servers, SPEECHES))
        turns = [(server, SPEECHES[number % len(SPEECHES)]) for number, server in enumerate(servers)]
        for server, speech in every if share.part >= 1 else turns:
            slowest = max(slowest, _try(tally, server, speech))
    tally.figures.append(f"slowest {slowest:.2f} s (≤ {CONNECT + _GRACE:g} s)")
    return tally


def _try(tally: Tally, server: WrongServer, speech: Speech) -> float:
    """Seconds until the error; of the system's own search for a name only what we add to it."""
    limit = CONNECT + _GRACE
    searching = _time_of_a_search() if UNKNOWN in server.url else 0.0
    config = replace(speech.config(server.url), connect_timeout=CONNECT)
    config = replace(config, ca_bundle=server.ca_bundle, proxy=server.proxy or "none")
    case = f"{speech.name}, {server.name}"
    with connected(config) as client:
        outcome = ask(client, _UNHEARD, 10.0 + 2 * searching)
    tally.run(case, outcome)
    took = max(0.0, outcome.seconds - searching)
    said = str(outcome.error)
    tally.check(outcome.error is not None, "no error", case, outcome)
    tally.check(re.search(server.host, said) is not None, "host missing", case, said)
    tally.check(re.search(server.named, said) is not None, "proxy missing", case, said)
    tally.check(re.search(server.cause, said) is not None, "cause missing", case, said)
    tally.check(took <= limit, "too late", case, f"{took:.2f} s: {said}")
    return took


def _time_of_a_search() -> float:
    """How long this machine takes to find out that a name does not exist: offline it may be long."""
    began = time.monotonic()
    with suppress(OSError):
        socket.getaddrinfo(f"another.{UNKNOWN}", 80)
    return time.monotonic() - began
