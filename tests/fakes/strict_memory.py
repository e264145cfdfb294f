"""What a strict server knows when it judges a request: its options, and what it has said before."""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Options:
    """What vendors and models differ in. `refuses` names top-level fields that are otherwise known."""

    refuses: frozenset[str] = frozenset()
    efforts: tuple[str, ...] | None = None  # None takes any
    foreign_calls: bool = False  # whether tool calls that this server never made may stand in the history
    same_system: bool = True  # Messages: the system prompt may not change within a conversation
    thinking_types: tuple[str, ...] = ("adaptive", "enabled", "disabled", "between_tools")  # Messages
    empty_content: Literal["null", "empty"] = "null"  # chat: how an answer of calls alone spells its content
    system_role: bool = True  # chat; o1-mini has none
    user_after_tool: bool = True  # chat; Mistral wants the assistant there
    short_call_ids: bool = False  # chat; Mistral's have nine letters
    wants_reasoning_content: bool = False  # chat; DeepSeek and Kimi, in a history with tool calls
    signs_calls: bool = False  # chat; Gemini, and wants the signatures back as long as the user has not spoken again
    seals_reasoning: bool = False  # chat; OpenRouter, which takes it back as it was or not at all


class Refusal(NamedTuple):
    """A vendor's sentence with what stands beside it; `flat` is the form of vLLM and Mistral."""

    message: str
    param: str | None = None
    code: str | None = None
    flat: bool = False


@dataclass(slots=True)
class Given:
    """One answer, as far as it went out: its finished blocks or items, and the body of the request that it answers."""

    body: Json
    options: Options = Options()
    blocks: list[Json] = field(default_factory=list)

    @property
    def model(self) -> Any:
        return self.body["model"]


class Memory:
    """All that one server has said; ids and seals are drawn at random, so that no other server's fit."""

    def __init__(self) -> None:
        self.answers: list[Given] = []
        self.calls: set[str] = set()  # ids of tool calls, also of those that were cut
        self.systems: dict[str, str] = {}  # first user message → system prompt, both as JSON

    def answering(self, body: Json, options: Options) -> Given:
        self.answers.append(Given(body, options))
        return self.answers[-1]

    def new_call(self, prefix: str, *, short: bool = False) -> str:
        call_id = secrets.token_hex(5)[:9] if short else new_id(prefix)
        self.calls.add(call_id)
        return call_id

    def find(self, name: str, value: object) -> tuple[Given, int] | None:
        """The answer, and the place in it, whose block has this value under that name."""
        for given in self.answers:
            for place, block in enumerate(given.blocks):
                if value and block.get(name) == value:
                    return given, place
        return None


@dataclass(frozen=True, slots=True)
class Question:
    """A request to be judged."""

    body: Json
    memory: Memory
    options: Options

    def refuses_calls(self, ids: set[str]) -> Iterator[str]:
        """The ids of calls that this server never gave, where that matters."""
        if not self.options.foreign_calls:
            yield from sorted(ids - self.memory.calls)


def new_id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(8)}"


def new_seal() -> str:
    """A signature, or encrypted content."""
    return base64.b64encode(secrets.token_bytes(25)).decode()


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def parsed(arguments: str) -> Json:
    """A call's arguments; {} where they are no object."""
    try:
        found = json.loads(arguments)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
