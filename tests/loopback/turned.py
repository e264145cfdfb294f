"""One turn, with all that the user gets to see of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewcode.llm.events import Retrying, StreamEnd, StreamError
from tests.fakes.dialects import connected, conversation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewcode.errors import LLMError
    from mewcode.llm.client import ProviderConfig, ToolSchema
    from mewcode.llm.conversation import Conversation
    from mewcode.llm.events import Event


@dataclass(frozen=True, slots=True)
class Turned:
    events: list[Event]
    remarks: list[str]

    @property
    def ended(self) -> bool:
        return isinstance(self.events[-1], StreamEnd)

    @property
    def error(self) -> LLMError:
        assert isinstance(self.events[-1], StreamError), self.events[-1]
        return self.events[-1].error

    @property
    def retries(self) -> list[Retrying]:
        return [event for event in self.events if isinstance(event, Retrying)]


def turned(config: ProviderConfig, spoken: Conversation | None = None, tools: Sequence[ToolSchema] = ()) -> Turned:
    """One turn of a client of its own."""
    with connected(config) as client:
        turn = client.stream(spoken or conversation(), tools)
        return Turned(list(turn), list(turn.remarks))
