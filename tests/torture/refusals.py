"""R9: the server refuses: what is final is asked once, what is temporary once more for each retry, and all is said."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from mewcode.llm.events import Retrying, StreamError
from mewcode.secret import Secret
from tests.fakes.dialects import connected
from tests.torture.outcome import ask
from tests.torture.stage import Wire, staged
from tests.torture.streams import SPEECHES
from tests.torture.tally import Tally

if TYPE_CHECKING:
    from mewcode.llm.client import LLMClient
    from tests.torture.outcome import Outcome
    from tests.torture.stage import Play
    from tests.torture.streams import Speech
    from tests.torture.tally import Share

FINAL = (400, 401, 402, 403, 404, 413, 422)
TEMPORARY = (408, 409, 429, 500, 502, 503, 504, 520, 529)
RETRIES = 2
_BODIES = ("JSON", "HTML", "empty", "1 MB")
_WORDS = "Zwölf pears were rotten"
_LONGEST = 500  # characters
_PATIENCE = 15.0  # seconds
_AT_ONCE = 24
_KEY = Secret("kk-refused-0123456789")  # one that was never good: a good one may be tried again


@dataclass(frozen=True, slots=True)
class _Refusal:
    speech: Speech
    client: LLMClient
    status: int
    body: str

    def __str__(self) -> str:
        return f"{self.speech.name}, {self.status} with {self.body}"


def refused(share: Share) -> Tally:
    tally = Tally("R9", "refusals", ("wrong requests", "status missing", "words missing", "too long", "wrong end"))
    with ExitStack() as stack:
        stage = stack.enter_context(staged(_AT_ONCE + 8))
        cases = []
        for speech in SPEECHES:
            config = replace(speech.config(stage.url, retries=RETRIES), api_key=_KEY)
            client = stack.enter_context(connected(config))
            client.warm()
            cases += [_Refusal(speech, client, *case) for case in product((*FINAL, *TEMPORARY), _BODIES)]
        chosen = share.of(cases)
        plays = [stage.book(Wire((_answer(case),))) for case in chosen]
        pool = stack.enter_context(ThreadPoolExecutor(_AT_ONCE))
        outcomes = pool.map(lambda case, play: ask(case.client, play, _PATIENCE), chosen, plays)
        for case, play, outcome in zip(chosen, plays, outcomes, strict=True):
            _judge(tally, case, play, outcome)
    return tally


def _answer(case: _Refusal) -> bytes:
    kind, body = _page(case)
    head = (
        f"HTTP/1.1 {case.status} No\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def _page(case: _Refusal) -> tuple[str, bytes]:
    match case.body:
        case "HTML":
            page = f"<html><head><title>{_WORDS}</title><style>p {{}}</style></head><body><p>Sorry</p></body></html>"
            return "text/html", page.encode()
        case "empty":
            return "text/plain", b""
    words = _WORDS + (" and so on" * 100_000 if case.body == "1 MB" else "")
    inner = {"type": "odd_error", "message": words}
    whole = {"type": "error", "error": inner} if case.speech.protocol == "anthropic" else {"error": inner}
    return "application/json", json.dumps(whole).encode()


def _judge(tally: Tally, case: _Refusal, play: Play, outcome: Outcome) -> None:
    tally.run(str(case), outcome)
    expected = 1 if case.status in FINAL else 1 + RETRIES
    tally.check(
        len(play.asked) == expected, "wrong requests", str(case), f"{len(play.asked)}, not {expected}: {outcome}"
    )
    only = all(isinstance(event, Retrying) for event in outcome.events[:-1])
    tally.check(only and isinstance(outcome.events[-1], StreamError), "wrong end", str(case), outcome)
    said = str(outcome.error)
    tally.check(str(case.status) in said, "status missing", str(case), said)
    tally.check(case.body == "empty" or _WORDS in said, "words missing", str(case), said)
    tally.check(len(said) <= _LONGEST, "too long", str(case), f"{len(said)} characters: {said[:80]}…")
