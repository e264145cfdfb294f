"""Histories drawn at random, each a script of steps that a seed tells; tests.property.playing plays them.

Not drawn, since the strict server cannot send it: half a character in an answer, and arguments that two readers of
JSON understand in two ways. Those of the user are drawn.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from tests.fakes.strict_plans import Answer, Call, Cut, Fault, Finish, Redacted, Said, Silence, Status, Thought

if TYPE_CHECKING:
    from tests.fakes.strict_plans import Part, Plan

TEXTS = (
    "Hello",
    "What now?",
    "",
    " ",
    "\n",
    " \n\t\u3000",
    "trailing blanks  \n",
    "  leading",
    "nul \x00 inside",
    "\x00",
    "你好，世界",
    "👩‍👩‍👧‍👦 e\u0301",
    "half \ud83d a character",
    "\udc00",
    "line\r\nline\u2028line",
    "very long " * 2_000,
)
SPOKEN = (*(text for text in TEXTS if not any("\ud800" <= char <= "\udfff" for char in text)), "So it is.", "Yes.")
ARGUMENTS = ("{}", '{"a": 1, "b": 2}', '{"path": "你\\n\\u00e9"}', "", '{"a": 1', "[1]", '"x"', "no JSON", " {} ")
CALLED = ("add", "read_file", "nobody_offered_this")
STATUSES = (400, 401, 404, 429, 500, 503, 529)

Results = Literal["all", "missing", "none", "apart", "backwards", "odd", "with text", "late"]


@dataclass(frozen=True, slots=True)
class Ask:
    """A chat's question; `stop` cancels after so many events. The same for the next two."""

    text: str
    plan: Plan
    stop: int | None


@dataclass(frozen=True, slots=True)
class Again:
    plan: Plan
    stop: int | None


@dataclass(frozen=True, slots=True)
class GoOn:
    plan: Plan
    stop: int | None


@dataclass(frozen=True, slots=True)
class Clear:
    pass


@dataclass(frozen=True, slots=True)
class Switch:
    """Another of the clients there are, by its number."""

    client: int


@dataclass(frozen=True, slots=True)
class Say:
    """An agent's user speaks."""

    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """An agent's request with one of the sets of tools, and what it does about the calls that come."""

    plan: Plan
    stop: int | None
    tools: int
    results: Results
    signs: bool  # whether the answer is added with its origin


@dataclass(frozen=True, slots=True)
class Orphan:
    """A result that nobody called for."""

    tool_id: str


@dataclass(frozen=True, slots=True)
class Invent:
    """An answer that no model gave."""

    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Take the message out that stands at this part of the conversation."""

    at: float


Step: TypeAlias = Ask | Again | GoOn | Clear | Switch | Say | Run | Orphan | Invent | Remove


def drawn(seed: int, clients: int) -> list[Step]:
    """Every other history is a chat, the rest are an agent's. The same seed draws the same."""
    rng = random.Random(seed)
    draw = _chat_step if seed % 2 else _agent_step
    return [draw(rng, clients) for _ in range(rng.randint(4, 12))]


def script(steps: list[Step]) -> str:
    """For a report: a step a line."""
    return "\n".join(repr(step)[:400] for step in steps)


def _chat_step(rng: random.Random, clients: int) -> Step:
    match rng.choices(("ask", "again", "go on", "clear", "switch"), (12, 3, 3, 1, 3))[0]:
        case "ask":
            return Ask(rng.choice(TEXTS), plan(rng), _stop(rng))
        case "again":
            return Again(plan(rng), _stop(rng))
        case "go on":
            return GoOn(plan(rng), _stop(rng))
        case "clear":
            return Clear()
    return Switch(rng.randrange(clients))


def _agent_step(rng: random.Random, clients: int) -> Step:
    match rng.choices(("run", "say", "orphan", "invent", "remove", "switch"), (12, 6, 1, 1, 2, 2))[0]:
        case "run":
            results: Results = rng.choice(("all", "all", "all", "missing", "none", "apart", "backwards", "odd", "late"))
            results = "with text" if rng.random() < 0.1 else results
            return Run(plan(rng), _stop(rng), rng.choice((1, 1, 1, 1, 2, 0)), results, rng.random() < 0.7)
        case "say":
            return Say(rng.choice(TEXTS))
        case "orphan":
            return Orphan(rng.choice(("t1", "functions.add:0", "x" * 90, "", "äöü", "call_1")))
        case "invent":
            return Invent(rng.choice(TEXTS))
        case "remove":
            return Remove(rng.random())
    return Switch(rng.randrange(clients))


def _stop(rng: random.Random) -> int | None:
    return rng.randint(0, 12) if rng.random() < 0.25 else None


def plan(rng: random.Random) -> Plan:
    """Whole answers mostly; else one that is cut, that fails, or none at all."""
    match rng.choices(("whole", "full", "broken", "status", "silence", "cut"), (60, 8, 20, 6, 2, 3))[0]:
        case "whole":
            return Answer(_parts(rng))
        case "full":
            return Answer(_parts(rng), Finish("max_tokens"))
        case "broken":
            return _broken(rng)
        case "status":
            return Status(rng.choice(STATUSES), "Nothing to be done")
        case "silence":
            return Silence()
    return Cut()


def _broken(rng: random.Random) -> Plan:
    parts = _parts(rng)
    if parts and rng.random() < 0.5:
        parts = (*parts[:-1], _half(parts[-1]))
    end = rng.choice((Cut(), Cut(), Fault(), Fault(), Silence()))
    return Answer(parts, end, rng.choice((None, rng.randint(0, 14), rng.randint(0, 14))))


def _half(part: Part) -> Part:
    match part:
        case Thought(text):
            return Thought(text, whole=False)
        case Said(text):
            return Said(text, whole=False)
        case Call(name, arguments):
            return Call(name, arguments, whole=False)
    return part


def _parts(rng: random.Random) -> tuple[Part, ...]:
    """Thinking, text, calls: mostly in the usual order, now and then in any, and now and then nothing."""
    if rng.random() < 0.3:
        return tuple(_part(rng, rng.choice(("thought", "redacted", "said", "call"))) for _ in range(rng.randint(0, 5)))
    kinds = ["thought"] * (rng.random() < 0.7) + ["redacted"] * (rng.random() < 0.15)
    kinds += ["said"] * (rng.random() < 0.8) + ["call"] * rng.choice((0, 0, 1, 1, 2, 3))
    return tuple(_part(rng, kind) for kind in kinds)


def _part(rng: random.Random, kind: str) -> Part:
    match kind:
        case "thought":
            return Thought(rng.choice(SPOKEN))
        case "redacted":
            return Redacted()
        case "said":
            return Said(rng.choice(SPOKEN))
    return Call(rng.choice(CALLED), rng.choice(ARGUMENTS))
