"""The session: owns the conversation and the running turn, and applies events to them. It knows no terminal.

Thread: one, the consumer's; only `Conversation` inside may be read from others.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal, TypeAlias, assert_never

from mewcode.errors import ContextTooLong
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
from mewcode.llm.messages import ThinkingBlock
from mewcode.stops import WHOLE, go_on, stop_note

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mewcode.errors import LLMError
    from mewcode.llm.client import LLMClient
    from mewcode.llm.events import Event
    from mewcode.llm.messages import Message, Origin, Status, Usage
    from mewcode.llm.turn import Turn

Phase: TypeAlias = Literal["idle", "waiting", "retrying", "thinking", "writing"]


class Session:
    """The truth the screen reads. `on_ready` is called, in a worker, whenever `pump()` would find something."""

    def __init__(self, client: LLMClient, on_ready: Callable[[], None] | None = None) -> None:
        self.client = client
        self.conversation = Conversation()
        self.phase: Phase = "idle"
        self.answer_id: str | None = None  # the running answer, else the last one
        self.retry_note: Retrying | None = None  # what the running turn waits for, or waited for last
        self._failures: dict[str, LLMError] = {}
        self._notes: dict[str, str] = {}
        self._on_ready = on_ready
        self._turn: Turn | None = None
        self._started = self._again_at = self._heard_at = 0.0
        self._thoughts: dict[str, list[str]] = {}  # of an answer: thinking that has not come to its end
        self._whole: str | None = None  # the last answer that came to a regular end
        self._tools: list[str] = []  # that the running answer asked for
        self._windows: dict[Origin, int] = {}  # that servers told when they refused
        self._asked_by_us = set[str]()  # messages
        self._unanswered = ""  # the question that a cleared conversation ended with

    @property
    def running(self) -> bool:
        return self._turn is not None

    @property
    def elapsed(self) -> float:
        """Seconds since the running turn was asked for."""
        return time.monotonic() - self._started

    @property
    def connecting(self) -> bool:
        """Whether the running turn's request has yet to go out."""
        return self._turn is not None and self.phase == "waiting" and not self._turn.sent

    @property
    def silence(self) -> float:
        """Seconds since the running turn last brought something, or was asked for."""
        return time.monotonic() - self._heard_at

    @property
    def retry_in(self) -> float:
        """Seconds until the next attempt, 0 when none is waited for."""
        return max(0.0, self._again_at - time.monotonic()) if self.phase == "retrying" else 0.0

    @property
    def fullness(self) -> float | None:
        """How much of the model's context the conversation takes, 1 for all; None where nobody has said."""
        window = self._windows.get(self.client.origin) or self.client.context_window
        usage = self.answer().usage if self.answer_id else None
        if not window or usage is None or usage.input_tokens is None:
            return None
        return (usage.input_tokens + (usage.output_tokens or 0)) / window

    def ask(self, text: str) -> str:
        """Add the user's message and start the answer, whose id is returned. Raises: RuntimeError while one runs."""
        self._require_rest()
        self.conversation.add("user", text)
        return self._start()

    def ask_instead(self, text: str) -> str:
        """Ask this in the place of the last question, which goes with its answer; the new answer's id.

        Raises: LookupError when nothing was asked yet; RuntimeError while an answer runs.
        """
        self._require_rest()
        history, question = self.conversation.snapshot(), self.question()
        for message in history[history.index(question) :]:
            self.conversation.remove(message.id)
        return self.ask(text)

    def question(self) -> Message:
        """The last one that the user has asked, and not `continue_answer`. Raises: LookupError before the first."""
        asked = (message for message in reversed(self.conversation.snapshot()) if message.role == "user")
        found = next((message for message in asked if message.id not in self._asked_by_us), None)
        if found is None:
            raise LookupError("nothing was asked yet")
        return found

    def withdraw(self) -> str | None:
        """Take a cancelled question back, if nothing came for it: its text; None where there is something to keep."""
        self._require_rest()
        match self.conversation.snapshot():
            case [*_, question, answer] if answer.status == "cancelled" and not answer.text:
                if self.thinking(answer):
                    return None
                self.conversation.remove(answer.id)
                self.answer_id = None
                return self.conversation.remove(question.id).text
        return None

    def use(self, client: LLMClient) -> None:
        """Let another client answer from now on. Raises: RuntimeError while an answer runs."""
        self._require_rest()
        self.client, before = client, self.client
        before.close()

    def retry(self) -> str:
        """Ask the last question again, and take its answer out of the history; the new answer's id.

        After `clear()` that is the question which the old conversation left without an answer.
        Raises: LookupError when there is none; RuntimeError while an answer runs.
        """
        self._require_rest()
        history = self.conversation.snapshot()
        if not history and self._unanswered:
            return self.ask(self._unanswered)
        if not any(message.role == "user" for message in history):
            raise LookupError("nothing was asked yet")
        if history[-1].role == "assistant":
            self.conversation.remove(history[-1].id)
        return self._start()

    def continue_answer(self) -> str:
        """Ask the model to go on where its last answer broke off; without any text of it, ask again.

        Raises: LookupError when there is no answer, or it came to its end; RuntimeError while one runs.
        """
        self._require_rest()
        if self._whole is not None and self._whole == self.answer_id:
            raise LookupError("the last answer came to its end")
        text = self.answer().text.rstrip()
        if not text:
            return self.retry()
        self._asked_by_us.add(self.conversation.add("user", go_on(text)))
        return self._start()

    def _require_rest(self) -> None:
        if self._turn is not None:
            raise RuntimeError("an answer is still running")

    def _start(self) -> str:
        self.answer_id = self.conversation.add("assistant", status="streaming", origin=self.client.origin)
        self.phase, self.retry_note = "waiting", None
        self._started = self._heard_at = time.monotonic()
        self._tools.clear()
        self._turn = self.client.stream(self.conversation, on_ready=self._on_ready)
        return self.answer_id

    def pump(self) -> bool:
        """Apply what has come, without waiting; False when there was nothing."""
        if self._turn is None:
            return False
        events = self._turn.take()
        if events:
            self._heard_at = time.monotonic()
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
        """Start a new conversation. A question that failed can be asked in it again, by `retry()`."""
        self.cancel()
        self._unanswered = _unanswered(self.conversation.snapshot())
        self.conversation = Conversation()
        self.answer_id = None
        self._failures.clear()
        self._notes.clear()
        self._thoughts.clear()

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

    def thinking(self, message: Message) -> str:
        """What the model thought before an answer, as far as it came and may be read."""
        whole = [block.text for block in message.blocks if isinstance(block, ThinkingBlock) and block.text]
        return "\n\n".join([*whole, *filter(None, ["".join(self._thoughts.get(message.id, ()))])])

    def apply(self, event: Event) -> None:
        """Let the running answer grow by one event."""
        if self.answer_id is None:
            return
        match event:
            case TextDelta(text):
                self.phase = "writing"
                self.conversation.append(self.answer_id, event.block or text)
            case ThinkingDelta(text):
                self.phase = "thinking"
                self._thoughts.setdefault(self.answer_id, []).append(text)
            case ThinkingComplete(block):
                self._thoughts.pop(self.answer_id, None)
                self.conversation.append(self.answer_id, block)
            case Retrying(delay=delay):
                self.phase, self.retry_note, self._again_at = "retrying", event, time.monotonic() + delay
            case ToolCallStart(tool_name=name):
                self._tools.append(name)  # a chat offers none
            case ToolCallDelta() | ToolCallComplete():
                pass
            case StreamEnd() | StreamError() | Cancelled():
                self._finish(event)
            case _:
                assert_never(event)

    def _finish(self, end: StreamEnd | StreamError | Cancelled) -> None:
        assert self.answer_id is not None
        usage: Usage | None = None
        stopped: str | None = None
        status: Status
        match end:
            case StreamEnd():
                status, usage, stopped = "complete", end.usage, self._stop_note(end)
                if end.stop_reason in WHOLE:
                    self._whole = self.answer_id
            case StreamError(error):
                status = "interrupted" if self.answer().text else "error"
                self._failures[self.answer_id] = error
                if isinstance(error, ContextTooLong) and error.limit:
                    self._windows[self.client.origin] = error.limit
            case Cancelled():
                status = "cancelled"
        remarks = self._turn.remarks if self._turn else ()
        if note := " ".join(filter(None, (stopped, *remarks))):
            self._notes[self.answer_id] = note
        if self._tools:
            self.conversation.unseal(self.answer_id)  # its calls are not kept
        self.conversation.finish(self.answer_id, status, usage, self.elapsed)
        self._turn, self.phase = None, "idle"

    def _stop_note(self, end: StreamEnd) -> str | None:
        answer = self.answer()
        return stop_note(end, self._tools, said=bool(answer.text), thought=bool(self.thinking(answer)))


def _unanswered(history: Sequence[Message]) -> str:
    """The question that the history ends with, if its answer failed before any text came."""
    match history:
        case [*_, question, answer] if question.role == "user" and answer.status == "error":
            return question.text
    return ""
