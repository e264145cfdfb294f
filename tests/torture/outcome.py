"""What came of one turn, and what is wrong with it whatever was asked."""

from __future__ import annotations

import queue
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewcode import errors
from mewcode.llm.conversation import Conversation
from mewcode.llm.events import (
    Retrying,
    StreamEnd,
    StreamError,
    Terminal,
    TextDelta,
    ThinkingComplete,
    ThinkingDelta,
    ToolCallComplete,
    ToolCallDelta,
    ToolCallStart,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewcode.errors import LLMError
    from mewcode.llm.client import LLMClient
    from mewcode.llm.events import Event
    from mewcode.llm.turn import Turn
    from tests.torture.stage import Play

HANGS = 5.0  # seconds
_LINES = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """`seconds` from the start of the turn to its end. A turn that hung has no terminal event."""

    events: tuple[Event, ...]
    seconds: float

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def complete(self) -> bool:
        return any(isinstance(event, StreamEnd) for event in self.events)

    @property
    def error(self) -> LLMError | None:
        return next((event.error for event in self.events if isinstance(event, StreamError)), None)

    @property
    def retries(self) -> list[Retrying]:
        return [event for event in self.events if isinstance(event, Retrying)]

    def __str__(self) -> str:
        """For a report: the text, and how it ended."""
        end = self.events[-1] if self.events else None
        match end:
            case StreamError(error):
                return f"{self.text!r} then {type(error).__name__}: {str(error)[:300]!r}"
            case StreamEnd():
                return f"{self.text!r} then {end.stop_reason} ({end.raw_stop_reason})"
        return f"{self.text!r} then {end}"


def ask(client: LLMClient, play: Play, limit: float = HANGS) -> Outcome:
    """One turn, to its end; what has not ended within the limit is cancelled."""
    return hear(start(client, play), limit)


def start(client: LLMClient, play: Play) -> Turn:
    spoken = Conversation()
    spoken.add("user", play.message)
    return client.stream(spoken)


def hear(turn: Turn, limit: float = HANGS) -> Outcome:
    began = time.monotonic()
    events: list[Event] = []
    while not (events and isinstance(events[-1], Terminal)):
        try:
            events.append(turn.queue.get(timeout=max(0.01, began + limit - time.monotonic())))
        except queue.Empty:
            turn.cancel()
            return Outcome(tuple(events), time.monotonic() - began)
    took = time.monotonic() - began
    turn.join(1.0)
    return Outcome((*events, *turn.take()), took)  # nothing may come after the end


def flaws(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """(kind, what): whatever is wrong in any turn."""
    ends = [event for event in outcome.events if isinstance(event, Terminal)]
    if not ends:
        yield "hangs", f"no end after {outcome.seconds:.1f} s: {outcome}"
    elif len(ends) > 1 or ends[0] is not outcome.events[-1]:
        yield "crashes", f"{len(ends)} ends: {outcome}"
    error = outcome.error
    if error is not None and type(error) is errors.LLMError and error.__cause__ is None:
        yield "crashes", f"no error of ours: {outcome}"
    if error is not None and not _is_sentence(str(error)):
        yield "no sentence", str(outcome)
    if not all(_storable(said) for said in sayings(outcome)):
        yield "crashes", f"not to be stored as UTF-8: {outcome}"


def sayings(outcome: Outcome) -> Iterator[str]:
    """All that a server's words have become."""
    for event in outcome.events:
        match event:
            case TextDelta(said) | ThinkingDelta(said) | ToolCallDelta(_, said):
                yield said
            case ThinkingComplete(block):
                yield from (block.text, block.signature or "", block.redacted_data or "")
            case ToolCallStart(tool_id, tool_name):
                yield from (tool_id, tool_name)
            case ToolCallComplete(tool_id, tool_name, arguments):
                yield from (tool_id, tool_name, str(arguments))
            case StreamEnd(raw_stop_reason=reason):
                yield reason or ""
            case StreamError(error):
                yield from (str(error), error.request_id or "")


def _is_sentence(said: str) -> bool:
    return 0 < len(said.splitlines()) <= _LINES and "Traceback" not in said and not said.endswith("..")


def _storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
