"""R1: an answer cut at every byte, in four ways: what came is shown, and nothing cut passes for whole."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import product
from typing import TYPE_CHECKING

from mewcode import errors
from mewcode.llm.events import ThinkingComplete, ToolCallComplete
from tests.fakes.dialects import connected
from tests.torture.framing import CHUNKED_HEAD, WAYS, Way, cut
from tests.torture.outcome import ask
from tests.torture.reference import meaning
from tests.torture.stage import Wire, staged
from tests.torture.streams import ARGUMENTS, SPEECHES, THOUGHT, UNFINISHED_SPEECH
from tests.torture.tally import Tally

if TYPE_CHECKING:
    from tests.torture.outcome import Outcome
    from tests.torture.stage import End
    from tests.torture.streams import Speech
    from tests.torture.tally import Share

_KINDS = ("lost text", "cut marked complete", "whole marked cut", "wrong error", "invented")
_BEFORE_THE_FIRST = (errors.NetworkError, errors.TimedOut, errors.ProtocolError)


def cut_anywhere(share: Share) -> Tally:
    tally = Tally("R1", "cut at every byte", _KINDS)
    with ExitStack() as stack:
        stage = stack.enter_context(staged())
        for speech in (*SPEECHES, UNFINISHED_SPEECH):
            client = stack.enter_context(connected(speech.config(stage.url)))
            pieces, body = speech.pieces, speech.body
            places: list[tuple[Way, int]] = list(product(WAYS, range(len(body) + 1)))
            last = product(WAYS, range(len(body) - 2, len(body) + 1))  # in each sample: where cut and whole meet
            for way, place in [*share.of(places), *last]:
                outcome = ask(client, stage.book(cut(pieces, place, way)))
                _judge(tally, f"{speech.name}, {way} at {place} of {len(body)}", outcome, body[:place], speech)
            ends: tuple[End, ...] = ("close", "reset")
            heads = list(product(ends, range(len(CHUNKED_HEAD) + 1)))
            for end, place in share.of(heads):
                outcome = ask(client, stage.book(Wire((CHUNKED_HEAD[:place],), end)))
                _judge(tally, f"{speech.name}, head {end} at {place}", outcome, b"", speech)
    return tally


def _judge(tally: Tally, case: str, outcome: Outcome, body: bytes, speech: Speech) -> None:
    tally.run(case, outcome)
    expected = meaning(body, speech.protocol)
    tally.check(outcome.text == expected.text, "lost text", case, f"{outcome}, not {expected.text!r}")
    tally.check(not _invented(outcome), "invented", case, outcome)
    if outcome.complete or expected.ended:
        kind = "cut marked complete" if outcome.complete else "whole marked cut"
        tally.check(outcome.complete and expected.ended, kind, case, outcome)
    elif expected.heard:
        error = outcome.error
        right = isinstance(error, errors.StreamInterrupted) and error.partial == expected.text
        tally.check(right, "wrong error", case, outcome)
    else:
        tally.check(isinstance(outcome.error, _BEFORE_THE_FIRST), "wrong error", case, outcome)


def _invented(outcome: Outcome) -> bool:
    """Whether a block passes for whole that is not: half a call must not run, half a thought must not go back."""
    for event in outcome.events:
        match event:
            case ThinkingComplete(block) if block.text != THOUGHT:
                return True
            case ToolCallComplete(arguments=dict(arguments)) if arguments != ARGUMENTS:
                return True
    return False
