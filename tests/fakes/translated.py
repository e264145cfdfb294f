"""What an adapter makes of events, fed to it without a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewcode.llm.events import StreamEnd, TextDelta, ThinkingDelta, ToolCallComplete
from mewcode.providers import _anthropic_answer, _chat_answer, _responses_answer
from mewcode.providers._stream import Heard, InStreamError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mewcode.llm.events import Event

TRANSLATE: Mapping[str, Any] = {
    "anthropic": _anthropic_answer.translate,
    "openai": _responses_answer.translate,
    "openai-compat": _chat_answer.translate,
}


def translated(protocol: str, *events: Any, done: bool = True) -> list[Event]:
    """The whole answer; `done`: a chat stream's `[DONE]` followed."""
    heard = Heard(done=done)
    return [heard.note(event) for event in TRANSLATE[protocol](heard.listen(events), heard)]


def chat(*chunks: Any, done: bool = True) -> list[Event]:
    return translated("openai-compat", *chunks, done=done)


def refused(protocol: str, *events: Any) -> tuple[list[Event], Any]:
    """What came before the stream's error object, and that object."""
    heard, before = Heard(done=True), []
    try:
        for event in TRANSLATE[protocol](heard.listen(events), heard):
            before.append(event)
    except InStreamError as failed:
        return before, failed.body
    raise AssertionError(f"no error came, but {before}")


def said(events: Iterable[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def thought(events: Iterable[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, ThinkingDelta))


def calls(events: Iterable[Event]) -> list[ToolCallComplete]:
    return [event for event in events if isinstance(event, ToolCallComplete)]


def end(events: list[Event]) -> StreamEnd:
    last = events[-1]
    assert isinstance(last, StreamEnd), last
    return last
