"""R8: HTTP faults: the answer in spite of them, or one sentence; never half an answer that passes for whole."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from mewcode import errors
from tests.fakes.dialects import connected
from tests.torture.http_faults import http_faults
from tests.torture.memory import MB, growing
from tests.torture.outcome import ask
from tests.torture.stage import staged
from tests.torture.streams import SPEECHES, TEXT
from tests.torture.tally import Tally

if TYPE_CHECKING:
    from tests.torture.http_faults import HttpFault
    from tests.torture.outcome import Outcome
    from tests.torture.tally import Share

_LIMIT = 60 * MB
_KINDS = (errors.NetworkError, errors.ServerError, errors.ProtocolError, errors.TimedOut, errors.StreamInterrupted)


def http_broken(share: Share) -> Tally:
    tally = Tally("R8", "HTTP faults", ("no answer", "no error", "half marked complete", "wrong error", "memory"))
    most = 0
    with ExitStack() as stack:
        stage = stack.enter_context(staged())
        for speech in SPEECHES:
            client = stack.enter_context(connected(speech.config(stage.url, idle=2.0)))
            client.warm()
            for fault in share.of(list(http_faults(speech))):
                case = f"{speech.name}, {fault.name}"
                with growing() as growth:
                    outcome = ask(client, stage.book(fault.wire))
                _judge(tally, case, fault, outcome)
                tally.check(growth.size < _LIMIT, "memory", case, f"+{growth.size / MB:.0f} MB")
                most = max(most, growth.size)
    tally.figures.append(f"memory +{most / MB:.1f} MB (< {_LIMIT // MB} MB)")
    return tally


def _judge(tally: Tally, case: str, fault: HttpFault, outcome: Outcome) -> None:
    tally.run(case, outcome)
    error = outcome.error
    if outcome.complete:
        tally.check(outcome.text == TEXT, "half marked complete", case, outcome)
    if fault.must == "answer":
        tally.check(outcome.complete, "no answer", case, outcome)
    elif fault.must == "error":
        tally.check(error is not None, "no error", case, outcome)
    if error is not None:
        tally.check(type(error) in _KINDS and TEXT.startswith(outcome.text), "wrong error", case, outcome)
    if isinstance(error, errors.StreamInterrupted):
        tally.check(error.partial == outcome.text, "wrong error", case, outcome)
