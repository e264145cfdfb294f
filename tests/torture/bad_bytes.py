"""R6: bytes that are no text: each byte of an answer replaced in turn, and half characters in each of its strings."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING

from mewcode import errors
from tests.fakes.dialects import connected
from tests.torture.fields import replaced, strings
from tests.torture.framing import chunked
from tests.torture.outcome import ask
from tests.torture.reference import meaning
from tests.torture.stage import Wire, staged
from tests.torture.streams import SPEECHES
from tests.torture.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.torture.outcome import Outcome
    from tests.torture.streams import Speech
    from tests.torture.tally import Share

_BYTES = (b"\xff", b"\x00")
_TEXTS = ("\ud83d", "a\udc00b", "\udc00\ud800", "\x00", "\x1b[2J", "\u2028", "\ufeff")


def bytes_replaced(share: Share) -> Tally:
    kinds = ("lost text", "cut marked complete", "whole marked cut", "wrong error")
    tally = Tally("R6", "each byte replaced, half characters in each string", kinds)
    with ExitStack() as stack:
        stage = stack.enter_context(staged())
        for speech in SPEECHES:
            client = stack.enter_context(connected(speech.config(stage.url)))
            for case, pieces in share.of([*_with_bad_bytes(speech), *_with_bad_texts(speech)]):
                outcome = ask(client, stage.book(Wire((chunked(pieces),))))
                _judge(tally, f"{speech.name}, {case}", outcome, b"".join(pieces), speech.protocol)
    return tally


def _with_bad_bytes(speech: Speech) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    """The piece that is cut off after the bad byte shows whoever decodes by the chunk."""
    body = speech.body
    for place in range(len(body)):
        for byte in _BYTES:
            yield f"byte {place} is {byte.hex()}", (body[:place] + byte, body[place + 1 :])


def _with_bad_texts(speech: Speech) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    for number, event in enumerate(speech.events):
        for path in strings(event):
            for text in _TEXTS:
                changed = replaced(event, path, text)
                events = (*speech.events[:number], changed, *speech.events[number + 1 :])
                yield f"event {number} {path} is {text!a}", tuple(_spelled(speech, *events))


def _spelled(speech: Speech, *events: object) -> Iterator[bytes]:
    """As ASCII: no encoding of half a character exists, but JSON has a spelling for it."""
    for event in events:
        match event:
            case {"type": str(kind)}:
                name = f"event: {json.dumps(kind)[1:-1]}\n" if speech.protocol != "openai-compat" else ""
                yield f"{name}data: {json.dumps(event)}\n\n".encode()
            case str(said):
                yield f"data: {said}\n\n".encode("utf-8", "replace")
            case _:
                yield f"data: {json.dumps(event)}\n\n".encode()


def _judge(tally: Tally, case: str, outcome: Outcome, body: bytes, protocol: str) -> None:
    tally.run(case, outcome)
    expected = meaning(body, protocol, framed=True)
    # half a character of the text is one U+FFFD, or with its other half in the next piece still one each
    text = expected.text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    tally.check(outcome.text == text, "lost text", case, f"{outcome}, not {text!r}")
    if outcome.complete or expected.ended:
        kind = "cut marked complete" if outcome.complete else "whole marked cut"
        tally.check(outcome.complete and expected.ended, kind, case, outcome)
        return
    begun = expected.heard > 1 or (expected.heard == 1 and expected.broken is None)
    kinds = (errors.StreamInterrupted,) if begun else (errors.ProtocolError,)
    tally.check(isinstance(outcome.error, kinds), "wrong error", case, outcome)
