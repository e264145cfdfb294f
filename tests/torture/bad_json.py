"""R7: JSON that is not what the protocol says: data cut, doubled, in another order, each field of another type."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from mewcode import errors
from mewcode.llm.events import StreamError, TextDelta, ThinkingComplete, ThinkingDelta, ToolCallComplete, ToolCallStart
from tests.fakes.dialects import connected
from tests.torture.fields import fields, removed, replaced
from tests.torture.framing import chunked
from tests.torture.outcome import ask
from tests.torture.reference import meaning
from tests.torture.stage import Wire, staged
from tests.torture.streams import SPEECHES
from tests.torture.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.torture.outcome import Outcome
    from tests.torture.streams import Json, Speech
    from tests.torture.tally import Share

_WRONG: tuple[Any, ...] = (None, 7, -1, [], [None], {}, True, "")
_NOTHING = re.compile(r"\b(None|null|undefined|NaN)\b")


@dataclass(frozen=True, slots=True)
class _Fault:
    """`bent`: a field has a wrong type, so that what the event then means is anybody's guess."""

    case: str
    pieces: tuple[bytes, ...]
    bent: bool = False


def json_bent(share: Share) -> Tally:
    kinds = ('"None" shown', "lost text", "cut marked complete", "whole marked cut", "wrong error")
    tally = Tally("R7", "JSON faults", kinds)
    with ExitStack() as stack:
        stage = stack.enter_context(staged())
        for speech in SPEECHES:
            client = stack.enter_context(connected(speech.config(stage.url)))
            for fault in share.of([*_cut(speech), *_moved(speech), *_mistyped(speech)]):
                outcome = ask(client, stage.book(Wire((chunked(fault.pieces),))))
                _judge(tally, speech, fault, outcome)
    return tally


def _cut(speech: Speech) -> Iterator[_Fault]:
    """The event is whole, what it carries is not."""
    for number, piece in enumerate(speech.pieces):
        head, data = piece.split(b"data: ")
        data = data.rstrip(b"\n")
        for place in sorted({1, len(data) // 4, len(data) // 2, len(data) - 1}):
            pieces = _with(speech, number, head + b"data: " + data[:place] + b"\n\n")
            yield _Fault(f"data of event {number} cut at {place} of {len(data)}", pieces)


def _moved(speech: Speech) -> Iterator[_Fault]:
    pieces = speech.pieces
    for number, piece in enumerate(pieces):
        line = piece.rstrip(b"\n").rpartition(b"\n")[2]
        yield _Fault(f"event {number} twice", _with(speech, number, piece + piece))
        yield _Fault(f"data of event {number} twice", _with(speech, number, piece[:-1] + line + b"\n\n"))
        yield _Fault(f"event {number} missing", _with(speech, number, b": nothing\n\n"))
    for first, second in pairwise(range(len(pieces))):
        swapped = (*pieces[:first], pieces[second], pieces[first], *pieces[second + 1 :])
        yield _Fault(f"events {first} and {second} swapped", swapped)


def _mistyped(speech: Speech) -> Iterator[_Fault]:
    for number, event in enumerate(speech.events):
        match event:
            case dict():
                for case, bent in _bent(event):
                    yield _Fault(
                        f"event {number} {case}", _with(speech, number, _spelled(speech, event, bent)), bent=True
                    )


def _bent(event: Json) -> Iterator[tuple[str, Any]]:
    for value in _WRONG:
        yield f"is {value!r}", value
        yield from ((f"{path} is {value!r}", replaced(event, path, value)) for path in fields(event))
    yield from ((f"without {path}", removed(event, path)) for path in fields(event))


def _spelled(speech: Speech, event: Json, bent: Any) -> bytes:
    """Under the name that the event had."""
    name = f"event: {event['type']}\n" if speech.protocol != "openai-compat" else ""
    return f"{name}data: {json.dumps(bent, ensure_ascii=False)}\n\n".encode()


def _with(speech: Speech, number: int, piece: bytes) -> tuple[bytes, ...]:
    return (*speech.pieces[:number], piece, *speech.pieces[number + 1 :])


def _judge(tally: Tally, speech: Speech, fault: _Fault, outcome: Outcome) -> None:
    case = f"{speech.name}, {fault.case}"
    tally.run(case, outcome)
    for said in _shown(outcome):
        tally.check(not _NOTHING.search(said), '"None" shown', case, outcome)
    expected = meaning(b"".join(fault.pieces), speech.protocol)
    if outcome.complete:
        tally.check(expected.ended, "cut marked complete", case, outcome)
    if fault.bent:
        return
    tally.check(outcome.text == expected.text, "lost text", case, f"{outcome}, not {expected.text!r}")
    if expected.ended:
        tally.check(outcome.complete, "whole marked cut", case, outcome)
    elif not outcome.complete:
        kind = errors.ProtocolError if expected.broken == 1 else errors.StreamInterrupted
        tally.check(isinstance(outcome.error, kind), "wrong error", case, outcome)


def _shown(outcome: Outcome) -> Iterator[str]:
    for event in outcome.events:
        match event:
            case TextDelta(said) | ThinkingDelta(said) | ToolCallStart(_, said) | ToolCallComplete(_, said):
                yield said
            case ThinkingComplete(block):
                yield block.text
            case StreamError(error):
                yield str(error)
