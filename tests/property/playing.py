"""Plays drawn histories with the real clients against a strict server: as a chat's session, or as an agent."""

from __future__ import annotations

import contextlib
import queue
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from mewcode.errors import LLMError
from mewcode.llm.client import ProviderConfig, ToolSchema
from mewcode.llm.collect import collect
from mewcode.llm.conversation import Conversation
from mewcode.llm.events import Terminal
from mewcode.llm.messages import ToolResultBlock, ToolUseBlock
from mewcode.llm.registry import create_client
from mewcode.secret import Secret
from mewcode.session import Session
from tests.fakes.agent import TOOLS
from tests.fakes.dialects import SYSTEM
from tests.fakes.strict_memory import Options
from tests.fakes.strict_plans import Answer, Redacted, Silence, Thought
from tests.fakes.strict_server import strict
from tests.property.histories import Again, Ask, Clear, GoOn, Invent, Orphan, Remove, Run, Say, Switch

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from mewcode.llm.client import LLMClient
    from mewcode.llm.events import Event
    from mewcode.llm.messages import Block
    from mewcode.llm.turn import Turn
    from tests.fakes.strict_plans import Plan
    from tests.fakes.strict_server import Asked, StrictServer
    from tests.property.histories import Results, Step

TOOL_SETS = ((), TOOLS, (ToolSchema("now", "The time.", {"type": "object", "properties": {}}), *TOOLS))
_SILENT = 0.03  # seconds, after which a server that was told to fall silent is taken to be
_HANGS = 20.0  # seconds

Entry: TypeAlias = tuple[str, str, bool | None]  # protocol, model, thinking

_ADAPTIVE, _BUDGETED = "claude-sonnet-4-6", "claude-opus-4-5"
_REASONING, _PLAIN = "gpt-5.2", "gpt-4.1"
_FOREIGN = Options(foreign_calls=True)
VENDORS = {
    "mistral": replace(_FOREIGN, user_after_tool=False, short_call_ids=True),
    "deepseek": replace(_FOREIGN, wants_reasoning_content=True),
    "gemini": replace(_FOREIGN, signs_calls=True),
    "openrouter": replace(_FOREIGN, seals_reasoning=True),
}
_OWN: dict[str, tuple[Entry, ...]] = {
    "anthropic": tuple(("anthropic", model, it) for model in (_ADAPTIVE, _BUDGETED) for it in (True, None, False)),
    "openai": tuple(("openai", model, it) for model in (_REASONING, _PLAIN) for it in (True, None, False)),
    "openai-compat": tuple(("openai-compat", model, None) for model in (_REASONING, _PLAIN, *VENDORS)),
}
PROTOCOLS = tuple(_OWN)


def entries(protocol: str) -> tuple[Entry, ...]:
    """All of that protocol, vendors of it with rules of their own among them, and one of each of the others."""
    return (*_OWN[protocol], *(own[0] for other, own in _OWN.items() if other != protocol))


@dataclass(slots=True)
class Cast:
    """A strict server and a client for each entry. `plan` is what it answers to the next request."""

    server: StrictServer
    clients: list[LLMClient] = field(default_factory=list)
    plan: Plan = field(default_factory=lambda: Answer(()))
    taught: list[str] = field(default_factory=list)  # what was refused while the clients learned of it
    _begun: int = 0

    def answer(self, asked: Asked) -> Plan:
        """A model that is told not to think does not."""
        match asked.body.get("thinking"), self.plan:
            case {"type": "disabled"}, Answer(parts) as said:
                return replace(said, parts=tuple(part for part in parts if not isinstance(part, Thought | Redacted)))
        return self.plan

    @property
    def refused(self) -> list[str]:
        """Since the lessons, without the requests that were cancelled while they were being sent."""
        whole = [asked for asked in self.server.asked[self._begun :] if not _is_cut(asked.body)]
        return [asked.refusal for asked in whole if asked.refusal is not None]

    def teach(self) -> None:
        """Each client learns what its vendor refuses of a history, and nothing of it may be refused again."""
        for client in self.clients:
            spoken = Conversation()
            spoken.add("user", "Hello")
            spoken.add("assistant", [ToolUseBlock("call_by_another", "add", {})])
            spoken.add("tool", [ToolResultBlock("call_by_another", "done")])
            collect(client.stream(spoken, TOOLS))
            spoken.add("user", "And now?")
            collect(client.stream(spoken, TOOLS))
        self.taught, self._begun = self.server.refused, len(self.server.asked)

    @property
    def falls_silent(self) -> bool:
        return isinstance(self.plan, Silence) or (isinstance(self.plan, Answer) and isinstance(self.plan.end, Silence))


def _is_cut(body: object) -> bool:
    return isinstance(body, bytes) and not body.endswith(b"}")


@contextlib.contextmanager
def cast(protocol: str) -> Generator[Cast, None, None]:
    casts: list[Cast] = []
    with strict(lambda asked: casts[0].answer(asked), options=_FOREIGN, models=VENDORS) as server:
        casts.append(Cast(server))
        for number, (spoken, model, thinking) in enumerate(entries(protocol)):
            config = ProviderConfig(
                f"entry {number}",
                spoken,
                model,
                Secret("kk-strict-0123456789"),
                base_url=server.url + ("" if spoken == "anthropic" else "/v1"),
                thinking=thinking,
                max_retries=0,
            )
            casts[0].clients.append(create_client(config, SYSTEM))
        try:
            casts[0].teach()
            yield casts[0]
        finally:
            for client in casts[0].clients:
                client.close()


def play(players: Cast, steps: list[Step], first: int) -> None:
    """The whole script; `first` is the number of the client that begins."""
    if any(isinstance(step, Ask | Again | GoOn | Clear) for step in steps):
        chat = Chat(players, first)
        for step in steps:
            chat.take(step)
        chat.end()
    else:
        agent = Agent(players, first)
        for step in steps:
            agent.take(step)
        agent.end()


class Chat:
    def __init__(self, players: Cast, first: int) -> None:
        self._players = players
        self._came = threading.Semaphore(0)
        self.session = Session(players.clients[first], on_ready=self._came.release)

    def take(self, step: Step) -> None:
        match step:
            case Switch(number):
                self.session.client = self._players.clients[number]
            case Clear():
                self.session.clear()
            case Ask(text, plan, stop):
                self._players.plan = plan
                self.session.ask(text)
                self._follow(stop)
            case Again(plan, stop) | GoOn(plan, stop):
                self._players.plan = plan
                with contextlib.suppress(LookupError):
                    self.session.retry() if isinstance(step, Again) else self.session.continue_answer()
                    self._follow(stop)

    def end(self) -> None:
        self.take(Ask("And at last?", Answer(()), None))

    def _follow(self, stop: int | None) -> None:
        """To the turn's end, or until so many events have come."""
        while self.session.running and stop != 0:
            patience = _SILENT if self._players.falls_silent else _HANGS
            if not self._came.acquire(timeout=patience):
                break
            self.session.pump()
            stop = None if stop is None else stop - 1
        self.session.cancel()


class Agent:
    def __init__(self, players: Cast, first: int) -> None:
        self._players = players
        self._client = players.clients[first]
        self._late: list[Block] = []
        self.conversation = Conversation()

    def take(self, step: Step) -> None:
        spoken = self.conversation
        match step:
            case Switch(number):
                self._client = self._players.clients[number]
            case Say(text):
                spoken.add("user", text)
            case Orphan(tool_id):
                spoken.add("tool", [ToolResultBlock(tool_id, "late")])
            case Invent(text):
                spoken.add("assistant", text)
            case Remove(at) if messages := spoken.snapshot():
                spoken.remove(messages[int(at * len(messages))].id)
            case Run():
                self._run(step)

    def end(self) -> None:
        self.take(Say("And at last?"))
        self.take(Run(Answer(()), None, 1, "all", signs=True))

    def _run(self, step: Run) -> None:
        self._players.plan = step.plan
        turn = self._client.stream(self.conversation, TOOL_SETS[step.tools])
        try:
            message, _ = collect(_stopped(turn, step.stop, _SILENT if self._players.falls_silent else _HANGS))
        except LLMError:
            return
        finally:
            turn.join(_HANGS)
        origin = self._client.origin if step.signs else None
        self.conversation.add("assistant", message.blocks, status=message.status, origin=origin)
        self._answer([block for block in message.blocks if isinstance(block, ToolUseBlock)], step.results)

    def _answer(self, calls: list[ToolUseBlock], how: Results) -> None:
        results: list[Block] = [ToolResultBlock(call.tool_id, f"done {n}") for n, call in enumerate(calls)]
        late, self._late = self._late, []
        match how:
            case "none":
                results = []
            case "missing":
                results = results[1:]
            case "backwards":
                results.reverse()
            case "odd":
                results = [ToolResultBlock(it.tool_id, " \n", n % 2 == 0) for n, it in enumerate(calls)]
            case "late":
                self._late, results = results, []
            case "with text":
                self.conversation.add("user", "Wait")
        for part in [[it] for it in results] if how == "apart" else [results]:
            if part or late:
                self.conversation.add("tool", [*late, *part])
                late = []


def _stopped(turn: Turn, stop: int | None, patience: float) -> Iterator[Event]:
    """The events of a turn that is cancelled after so many, or when nothing more comes."""
    event: Event | None = None
    if stop == 0:
        turn.cancel()
    while not isinstance(event, Terminal):
        try:
            event = turn.queue.get(timeout=patience)
        except queue.Empty:
            turn.cancel()
            continue
        yield event
        stop = None if stop is None else stop - 1
        if stop == 0:
            turn.cancel()
