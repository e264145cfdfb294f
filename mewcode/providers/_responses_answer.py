"""A Responses stream as events. Source: openai 3.57."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewcode.llm.events import (
    StreamEnd,
    TextDelta,
    ThinkingComplete,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallStart,
)
from mewcode.llm.messages import ThinkingBlock, Usage
from mewcode.providers._calls import complete_call
from mewcode.providers._json import dig, number, text
from mewcode.providers._stream import InStreamError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mewcode.llm.events import Event, StopReason
    from mewcode.providers._http import Json
    from mewcode.providers._stream import Heard

_TEXT = ("response.output_text.delta", "response.refusal.delta")
_TEXT_DONE = {"response.output_text.done": "text", "response.refusal.done": "refusal"}
_THOUGHT = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
_THOUGHT_DONE = ("response.reasoning_summary_text.done", "response.reasoning_text.done")
_END = ("response.completed", "response.incomplete", "response.cancelled")
_INCOMPLETE: Mapping[str, StopReason] = {"max_output_tokens": "max_tokens", "content_filter": "content_filter"}


def translate(raw: Iterable[Json], heard: Heard) -> Iterator[Event]:
    """The stream as events; a StreamEnd only at one of the terminal response events."""
    answer = _Answer()
    for event in raw:
        match event:
            case {"type": str(kind), "delta": str(said)} if kind in _TEXT:
                yield from answer.say(event, said)
            case {"type": str(kind), "delta": str(said)} if kind in _THOUGHT:
                yield from answer.think(event, said)
            case {"type": "response.function_call_arguments.delta", "delta": str(piece)}:
                yield from answer.argue(event, piece)
            case {"type": "response.output_item.added", "item": dict(item)}:
                yield from answer.start(event, item)
            case {"type": "response.output_item.done", "item": dict(item)}:
                yield from answer.finish(event, item)
            case {"type": str(kind)} if kind in _TEXT_DONE:
                yield from answer.say_missing(event, text(event, _TEXT_DONE[kind]))
            case {"type": str(kind), "text": str(said)} if kind in _THOUGHT_DONE:
                yield from answer.think_missing(event, said)
            case {"type": str(kind), "response": dict(response)} if kind in _END:
                yield answer.end(kind.removeprefix("response."), response)
                return
            case {"type": "response.failed"}:
                raise InStreamError({"error": dig(event, "response", "error") or {"message": "the response failed"}})
            case {"type": "error"}:
                raise InStreamError({"error": event.get("error") or {**event, "type": ""}})
            case {"error": dict(error)} if "type" not in event:
                raise InStreamError({"error": error})


@dataclass(slots=True)
class _Call:
    tool_id: str
    tool_name: str
    arguments: str = ""


class _Answer:
    """Output items by their index: gateways change the ids of one item between its events (GitHub Copilot)."""

    def __init__(self) -> None:
        self._calls: dict[int, _Call] = {}
        self._said: set[tuple[int, int]] = set()  # parts of which text came
        self._thought: dict[tuple[object, ...], list[str]] = {}  # parts of the reasoning, by item and place
        self._refused = self._answered = self._called = False

    def say(self, event: Json, said: str) -> Iterator[Event]:
        self._said.add(_part(event))
        if "refusal" in event["type"]:
            self._refused = True
        else:
            self._answered = True
        if said:
            yield TextDelta(said)

    def say_missing(self, event: Json, said: str) -> Iterator[Event]:
        """Text of a part that sent no deltas."""
        if _part(event) not in self._said:
            yield from self.say(event, said)

    def think(self, event: Json, said: str) -> Iterator[Event]:
        key = _thought(event)
        if key not in self._thought and any(other[0] == key[0] for other in self._thought):
            said = f"\n\n{said}"  # a new part of the same summary
        self._thought.setdefault(key, []).append(said)
        yield ThinkingDelta(said)

    def think_missing(self, event: Json, said: str) -> Iterator[Event]:
        if _thought(event) not in self._thought and said:
            yield from self.think(event, said)

    def start(self, event: Json, item: Json) -> Iterator[Event]:
        if item.get("type") == "function_call":
            call = _Call(text(item, "call_id"), text(item, "name"))
            self._calls[_index(event)] = call
            yield ToolCallStart(call.tool_id, call.tool_name)

    def argue(self, event: Json, piece: str) -> Iterator[Event]:
        call = self._calls.get(_index(event))
        if call is not None and piece:
            call.arguments += piece
            yield ToolCallDelta(call.tool_id, piece)

    def finish(self, event: Json, item: Json) -> Iterator[Event]:
        """The whole item: it alone counts for what is sent back."""
        index = _index(event)
        match item:
            case {"type": "reasoning"}:
                thought = "".join(said for key, parts in self._thought.items() if key[0] == index for said in parts)
                yield ThinkingComplete(ThinkingBlock(thought, redacted_data=json.dumps(item, ensure_ascii=False)))
            case {"type": "function_call"}:
                if index not in self._calls:
                    yield from self.start(event, item)
                call = self._calls.pop(index)
                self._called = True
                raw = call.arguments or text(item, "arguments")
                yield complete_call(call.tool_id, call.tool_name, raw, cut=item.get("status") == "incomplete")

    def end(self, status: str, response: Json) -> StreamEnd:
        usage = _usage(response.get("usage"))
        if status == "incomplete":
            reason = text(response, "incomplete_details", "reason")
            return StreamEnd(_INCOMPLETE.get(reason, "other"), f"incomplete:{reason}", usage)
        if status == "cancelled":
            return StreamEnd("other", status, usage)
        if self._called:
            return StreamEnd("tool_use", status, usage)
        return StreamEnd("refusal" if self._refused and not self._answered else "end", status, usage)


def _index(event: Json) -> int:
    return number(event, "output_index") or 0


def _part(event: Json) -> tuple[int, int]:
    return _index(event), number(event, "content_index") or 0


def _thought(event: Json) -> tuple[int, bool, int]:
    summary = "summary" in event["type"]
    return _index(event), summary, number(event, "summary_index" if summary else "content_index") or 0


def _usage(usage: Json) -> Usage:
    return Usage(
        input_tokens=number(usage, "input_tokens"),
        output_tokens=number(usage, "output_tokens"),
        cache_read_tokens=number(usage, "input_tokens_details", "cached_tokens"),
        cache_write_tokens=number(usage, "input_tokens_details", "cache_write_tokens"),
        thinking_tokens=number(usage, "output_tokens_details", "reasoning_tokens"),
    )
