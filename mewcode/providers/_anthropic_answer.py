"""A Messages stream as events. Source: anthropic 2.14, API version 2026-10-21."""

from __future__ import annotations

from dataclasses import dataclass, field
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
from mewcode.providers._calls import CallIds, complete_call, named, spelled
from mewcode.providers._json import dig, number, text
from mewcode.providers._stream import InStreamError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mewcode.llm.events import Event, StopReason
    from mewcode.providers._http import Json
    from mewcode.providers._stream import Heard

_STOP: Mapping[str, StopReason] = {
    "end_turn": "end",
    "max_tokens": "max_tokens",
    "stop_sequence": "stop_sequence",
    "tool_use": "tool_use",
    "refusal": "refusal",
    "pause_turn": "pause",
    "model_context_window_exceeded": "context_full",
}
_WHOLE = ("end_turn", "tool_use", "stop_sequence", "pause_turn")  # reasons after which nothing can be missing


def translate(raw: Iterable[Json], heard: Heard) -> Iterator[Event]:
    """The stream as events; a StreamEnd only at message_stop."""
    answer = _Answer()
    for event in raw:
        match event:  # nearly all are text; `str() as` is three times as fast as `str(…)` in CPython 3.11
            case {"type": "content_block_delta", "delta": {"type": "text_delta", "text": str() as said}}:
                if said:
                    yield TextDelta(said)
            case {"type": "content_block_delta", "index": int() as index, "delta": dict() as delta}:
                yield from answer.grow(index, delta)
            case {"type": "content_block_start", "content_block": dict(block)}:
                yield from answer.start(number(event, "index"), block)
            case {"type": "content_block_stop"}:
                yield from answer.stop(number(event, "index"))
            case {"type": "content_block_delta", "delta": dict(delta)}:
                yield from answer.grow(None, delta)
            case {"type": "message_start", "message": {"usage": dict(usage)}}:
                # its output_tokens are a placeholder: unknown until a delta says
                answer.count({**usage, "output_tokens": None})
            case {"type": "message_delta"}:
                answer.count(event.get("usage"))
                answer.stop_reason = text(event, "delta", "stop_reason") or answer.stop_reason
                answer.explanation = text(event, "delta", "stop_details", "explanation") or answer.explanation
            case {"type": "message_stop"}:
                yield from answer.end()
                if answer.stop_reason == "refusal" and answer.explanation:
                    yield TextDelta(f"\n\n{answer.explanation}" if heard.text.tell() else answer.explanation)
                stop = _STOP.get(answer.stop_reason or "", "other")
                yield StreamEnd(stop, answer.stop_reason, answer.usage())
                return
            case {"type": "error"} | {"error": dict() | str()}:
                raise InStreamError(event)


@dataclass(slots=True)
class _Open:
    """A block that is still growing."""

    kind: str
    pieces: list[str] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)
    tool_id: str = ""
    tool_name: str = ""
    given: Json = None  # a tool's input, where it came whole with the start

    @property
    def thinking(self) -> ThinkingBlock:
        return ThinkingBlock(self.text, "".join(self.signatures) or None)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class _Answer:
    def __init__(self) -> None:
        self._open: dict[int | None, _Open] = {}
        self._held: _Open | None = None  # a finished call: only what comes next tells whether it was cut
        self._usage: dict[str, int] = {}
        self._ids = CallIds()
        self.stop_reason: str | None = None
        self.explanation = ""  # of a refusal

    def start(self, index: int | None, block: Json) -> Iterator[Event]:
        if index in self._open:
            yield from self.stop(index)  # gateways leave the event out that ends a block
        for other in [place for place, open_ in self._open.items() if open_.kind == "thinking"]:
            yield from self.stop(other)  # before what it led to
        yield from self.release(cut=False)
        match block:
            case {"type": "text"}:
                self._open[index] = _Open("text")
                if text(block, "text"):
                    yield TextDelta(block["text"])
            case {"type": "thinking"}:
                self._open[index] = _Open("thinking", [text(block, "thinking")], [text(block, "signature")])
                if text(block, "thinking"):
                    yield ThinkingDelta(block["thinking"])
            case {"type": "redacted_thinking", "data": str(data)}:
                yield ThinkingComplete(ThinkingBlock("", redacted_data=data))
            case {"type": "tool_use"}:
                tool_id, tool_name = self._ids.take(text(block, "id")), text(block, "name")
                call = _Open("tool_use", tool_id=tool_id, tool_name=tool_name, given=block.get("input"))
                self._open[index] = call
                yield ToolCallStart(tool_id, named(tool_name))

    def grow(self, index: int | None, delta: Json) -> Iterator[Event]:
        block = self._open.get(index) or next(reversed(self._open.values()), None)
        match delta:
            case {"type": "thinking_delta", "thinking": str() as thought}:
                if block is None:
                    block = self._open[index] = _Open("thinking")
                if block.kind == "thinking":
                    block.pieces.append(thought)
                yield ThinkingDelta(thought)
            case {"type": "signature_delta", "signature": str(signature)} if block is not None:
                block.signatures.append(signature)
            case {"type": "input_json_delta", "partial_json": str() as piece} if block is not None and block.tool_id:
                block.pieces.append(piece)
                if piece:
                    yield ToolCallDelta(block.tool_id, piece)

    def stop(self, index: int | None) -> Iterator[Event]:
        if index is None and self._open:
            index = next(reversed(self._open))
        block = self._open.pop(index, None)
        if block is None:
            return
        if block.kind == "thinking":
            yield ThinkingComplete(block.thinking)
        elif block.kind == "tool_use":
            yield from self.release(cut=False)
            self._held = block

    def release(self, *, cut: bool) -> Iterator[Event]:
        """Pass on the call that is held. `cut`: the answer ended for want of room, so it may not be whole."""
        call, self._held = self._held, None
        if call is not None:
            yield complete_call(call.tool_id, call.tool_name, call.text or spelled(call.given or None), cut=cut)

    def end(self) -> Iterator[Event]:
        """Pass on what is left: a call that was held, or one that was cut before its block's end."""
        yield from self.release(cut=self.stop_reason not in _WHOLE)
        for block in self._open.values():
            if block.kind == "tool_use":
                raw = block.text or spelled(block.given or None)
                yield complete_call(block.tool_id, block.tool_name, raw, cut=self.stop_reason not in _WHOLE or not raw)
            elif block.kind == "thinking":
                yield ThinkingComplete(block.thinking)

    def count(self, usage: Json) -> None:
        for name in ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"):
            if (tokens := number(usage, name)) is not None:
                self._usage[name] = tokens
        if (tokens := number(usage, "output_tokens_details", "thinking_tokens")) is not None:
            self._usage["thinking_tokens"] = tokens

    def usage(self) -> Usage:
        """Anthropic counts cached input apart; our input_tokens count it in."""
        read = self._usage.get("cache_read_input_tokens")
        written = self._usage.get("cache_creation_input_tokens")
        fresh = dig(self._usage, "input_tokens")
        return Usage(
            input_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
            output_tokens=self._usage.get("output_tokens"),
            cache_read_tokens=read,
            cache_write_tokens=written,
            thinking_tokens=self._usage.get("thinking_tokens"),
        )
