"""A Responses stream as events. Source: openai 3.57."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mewcode.llm.events import (
    StreamEnd,
    TextDelta,
    TextStart,
    ThinkingComplete,
    ThinkingDelta,
)
from mewcode.llm.messages import ThinkingBlock, Usage
from mewcode.providers._json import dig, items, number, text
from mewcode.providers._responses_calls import KINDS, ResponsesCalls
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
_ARGUMENTS = ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta")
_ARGUMENTS_DONE = ("response.function_call_arguments.done", "response.custom_tool_call_input.done")
APART = "\n\n"  # what a reader sees between two messages of one answer
_END = ("response.completed", "response.incomplete", "response.cancelled")
_INCOMPLETE: Mapping[str, StopReason] = {"max_output_tokens": "max_tokens", "content_filter": "content_filter"}


def translate(raw: Iterable[Json], heard: Heard) -> Iterator[Event]:
    """The stream as events; a StreamEnd only at one of the terminal response events."""
    answer = _Answer()
    for event in raw:
        match event:  # nearly all are deltas; `str() as` is three times as fast as `str(…)` in CPython 3.11
            case {"type": "response.output_text.delta", "delta": str() as said} if said and answer.flows(event):
                yield TextDelta(said)
            case {"type": str() as kind, "delta": str() as said} if kind in _TEXT:
                yield from answer.say(event, said)
            case {"type": str() as kind, "delta": str() as said} if kind in _THOUGHT:
                yield from answer.think(event, said)
            case {"type": str() as kind, "delta": str() as piece} if kind in _ARGUMENTS:
                yield from answer.calls.grow(event, piece)
            case {"type": str(kind)} if kind in _ARGUMENTS_DONE:
                answer.calls.repeat(event)
            case {"type": "response.output_item.added", "item": dict(item)}:
                yield from answer.start(event, item)
            case {"type": "response.output_item.done", "item": dict(item)}:
                yield from answer.finish(event, item)
            case {"type": str(kind)} if kind in _TEXT_DONE:
                yield from answer.say_missing(event, text(event, _TEXT_DONE[kind]))
            case {"type": str(kind), "text": str(said)} if kind in _THOUGHT_DONE:
                yield from answer.think_missing(event, said)
            case {"type": str(kind)} if kind in _END:
                response = event.get("response")
                if dig(response, "status") == "failed":
                    raise _failed(event)
                yield from answer.end(kind.removeprefix("response."), response if isinstance(response, dict) else {})
                return
            case {"type": "response.failed"}:
                raise _failed(event)
            case {"type": "error"}:
                raise InStreamError({"error": event.get("error") or {**event, "type": ""}})
            case {"error": dict(error)} if "type" not in event:
                raise InStreamError({"error": error})


def _failed(event: Json) -> InStreamError:
    return InStreamError({"error": dig(event, "response", "error") or {"message": "the response failed"}})


class _Answer:
    """Output items by their index: gateways change the ids of one item between its events (GitHub Copilot)."""

    def __init__(self) -> None:
        self.calls = ResponsesCalls()
        self._said: set[tuple[int, int]] = set()  # parts of which text came
        self._thought: dict[tuple[object, ...], list[str]] = {}  # parts of the reasoning, by item and place
        self._concluded: set[int] = set()  # reasoning items that were whole
        self._refused = self._answered = self._spoken = False
        self._flowing: object = None  # output and content index of the text that came last
        self._silent = True  # no text since the last message's end
        self._phase: str | None = None  # of the running message: commentary or final_answer

    def start(self, event: Json, item: Json) -> Iterator[Event]:
        match item:
            case {"type": "message"}:
                self._phase = text(item, "phase") or None
            case {"type": str(kind)} if kind in KINDS:
                yield from self.calls.start(event, item)

    def say(self, event: Json, said: str) -> Iterator[Event]:
        self._said.add(_part(event))
        if "refusal" in event["type"]:
            self._refused = True
        elif said:
            self._answered = True
        if said:
            yield self._begin(said) if self._silent else TextDelta(said)
            self._silent = False
            self._flowing = (event.get("output_index"), event.get("content_index"))

    def flows(self, event: Json) -> bool:
        """Whether the event goes on with the text that came last: nothing is to be noted of it then."""
        place = (event.get("output_index"), event.get("content_index"))
        return self._answered and not self._silent and place == self._flowing

    def _begin(self, said: str) -> TextDelta:
        """An answer may be several messages: a remark, then a call, then more."""
        apart, self._spoken = APART if self._spoken else "", True
        return TextStart(apart + said, self._phase, len(apart)) if apart or self._phase else TextDelta(said)

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

    def finish(self, event: Json, item: Json) -> Iterator[Event]:
        """The whole item: it alone counts for what is sent back, and holds what no event before it said."""
        match item:
            case {"type": "reasoning"}:
                yield from self._conclude(event, item)
            case {"type": "message"}:
                if self._silent:
                    self._phase = text(item, "phase") or None
                for part in items(item, "content") if self._silent else []:
                    said = text(part, "text") or text(part, "refusal")
                    yield from self.say({**event, "type": text(part, "type")}, said)
                self._silent = True
            case {"type": str(kind)} if kind in KINDS:
                yield from self.calls.finish(event, item)

    def _conclude(self, event: Json, item: Json) -> Iterator[Event]:
        index = _index(event)
        self._concluded.add(index)
        thought = "".join(said for key in list(self._thought) if key[0] == index for said in self._thought.pop(key))
        if not thought:
            thought = "\n\n".join(text(part, "text") for part in items(item, "summary") or items(item, "content"))
            if thought:
                yield ThinkingDelta(thought)
        yield ThinkingComplete(ThinkingBlock(thought, redacted_data=json.dumps(item, ensure_ascii=False)))

    def end(self, status: str, response: Json) -> Iterator[Event]:
        if status == "completed" and text(response, "status") in ("incomplete", "cancelled"):
            status = response["status"]  # vLLM's one terminal event is called completed, however it ended
        if not self._spoken and not self.calls:  # gateways that do not stream send everything at the end
            for place, item in enumerate(items(response, "output")):
                if item.get("type") != "reasoning" or place not in self._concluded:
                    yield from self.finish({"output_index": place}, item)
        yield from self.calls.rest(response, cut=status != "completed")
        reason = text(response, "incomplete_details", "reason")
        raw = f"{status}:{reason}" if status == "incomplete" else status
        yield StreamEnd(self._stop(status, reason), raw, _usage(response.get("usage")))

    def _stop(self, status: str, reason: str) -> StopReason:
        if status != "completed":
            return _INCOMPLETE.get(reason, "other")
        if self.calls:
            return "tool_use"
        return "refusal" if self._refused and not self._answered else "end"


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
