"""The session: owns the conversation and the running turn, and applies events to them. It knows no terminal.

Thread: one, the consumer's; only `Conversation` inside may be read from others.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal, TypeAlias, assert_never

from mewcode.llm.conversation import Conversation
from mewcode.llm.events import (
    Cancelled,
    Retrying,
    StreamEnd,
    StreamError,
    TextDelta,
    ThinkingComplete,
    ThinkingDelta,
    ToolCallComplete,
    ToolCallDelta,
    ToolCallStart,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mewcode.errors import LLMError
    from mewcode.llm.client import LLMClient
    from mewcode.llm.events import Event
    from mewcode.llm.messages import Message, Status, Usage
    from mewcode.llm.turn import Turn

Phase: TypeAlias = Literal["idle", "waiting", "thinking", "writing"]

_STOPS = {
    "end": None,
    "stop_sequence": None,
    "max_tokens": "Cut off at the token limit.",
    "tool_use": "The model asked for a tool; there are none in a chat.",
    "refusal": "The model declined.",
    "content_filter": "Stopped by the provider's content filter.",
    "pause": "The server paused a long turn.",
    "context_full": "The conversation filled the context window; the answer is cut off.",
}


def stop_note(end: StreamEnd) -> str | None:
    """Why an answer ended, in words; None for a regular end."""
    if end.stop_reason == "other":
        return f"Stopped: {end.raw_stop_reason}." if end.raw_stop_reason else "The server gave no reason for the end."
    return _STOPS[end.stop_reason]


class Session:
    """The truth the screen reads. `on_ready` is called, in a worker, whenever `pump()` would find something."""

    def __init__(self, client: LLMClient, on_ready: Callable[[], None] | None = None) -> None:
        self.client = client
        self.conversation = Conversation()
        self.phase: Phase = "idle"
        self.answer_id: str | None = None  # the running answer, else the last one
        self._failures: dict[str, LLMError] = {}
        self._notes: dict[str, str] = {}
        self._on_ready = on_ready
        self._turn: Turn | None = None
        self._started = 0.0

    @property
    def running(self) -> bool:
        return self._turn is not None

    @property
    def elapsed(self) -> float:
        """Seconds since the running turn was asked for."""
        return time.monotonic() - self._started

    def ask(self, text: str) -> str:
        """Add the user's message and start the answer, whose id is returned. Raises: RuntimeError while one runs."""
        if self._turn is not None:
            raise RuntimeError("an answer is still running")
        self.conversation.add("user", text)
        self.answer_id = self.conversation.add("assistant", status="streaming", origin=self.client.origin)
        self.phase, self._started = "waiting", time.monotonic()
        self._turn = self.client.stream(self.conversation, on_ready=self._on_ready)
        return self.answer_id

    def pump(self) -> bool:
        """Apply what has come, without waiting; False when there was nothing."""
        if self._turn is None:
            return False
        events = self._turn.take()
        for event in events:
            self.apply(event)
        return bool(events)

    def cancel(self) -> bool:
        """End the running turn now and keep what came; the worker winds down alone. False when none was running."""
        self.pump()
        turn = self._turn
        if turn is None:
            return False
        turn.cancel()
        self._finish(Cancelled())
        return True

    def close(self, timeout: float) -> None:
        """Cancel, and give the worker up to `timeout` seconds to close its connection."""
        turn = self._turn
        self.cancel()
        if turn is not None:
            turn.join(timeout)
        self.client.close()

    def clear(self) -> None:
        """Start a new conversation."""
        self.cancel()
        self.conversation = Conversation()
        self.answer_id = None
        self._failures.clear()
        self._notes.clear()

    def failure(self, message_id: str) -> LLMError | None:
        """What an answer with status `error` or `interrupted` failed with."""
        return self._failures.get(message_id)

    def note(self, message_id: str) -> str | None:
        """Why an answer ended, when that is worth a word."""
        return self._notes.get(message_id)

    def answer(self) -> Message:
        """The running answer, else the last one. Raises: LookupError before the first."""
        if self.answer_id is None:
            raise LookupError("no answer yet")
        return self.conversation.get(self.answer_id)

    def apply(self, event: Event) -> None:
        """Let the running answer grow by one event."""
        if self.answer_id is None:
            return
        match event:
            case TextDelta(text):
                self.phase = "writing"
                self.conversation.append(self.answer_id, text)
            case ThinkingDelta():
                self.phase = "thinking"
            case ThinkingComplete(block):
                self.conversation.append(self.answer_id, block)
            case ToolCallStart() | ToolCallDelta() | ToolCallComplete() | Retrying():
                pass  # a chat offers no tools
            case StreamEnd() | StreamError() | Cancelled():
                self._finish(event)
            case _:
                assert_never(event)

    def _finish(self, end: StreamEnd | StreamError | Cancelled) -> None:
        assert self.answer_id is not None
        usage: Usage | None = None
        status: Status
        match end:
            case StreamEnd():
                status, usage = "complete", end.usage
                if note := stop_note(end):
                    self._notes[self.answer_id] = note
            case StreamError(error):
                status = "interrupted" if self.answer().text else "error"
                self._failures[self.answer_id] = error
            case Cancelled():
                status = "cancelled"
        self.conversation.finish(self.answer_id, status, usage, self.elapsed)
        self._turn, self.phase = None, "idle"
