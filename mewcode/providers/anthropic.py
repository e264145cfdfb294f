"""Anthropic Messages, over the official SDK. Source: anthropic 2.14, API version 2026-10-21."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

import anthropic
from anthropic import Anthropic, Stream

from mewcode.llm.events import (
    StreamEnd,
    TextDelta,
    ThinkingComplete,
    ThinkingDelta,
    ToolCallComplete,
    ToolCallDelta,
    ToolCallStart,
)
from mewcode.llm.messages import TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, Usage
from mewcode.llm.models import always_thinks, max_output_tokens, thinking_mode
from mewcode.llm.registry import register
from mewcode.providers._calls import complete_call
from mewcode.providers._http import Lines, split_base_url
from mewcode.providers._json import dig, number, text
from mewcode.providers._stream import Endpoint, SdkErrors

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    import httpx2

    from mewcode.llm.cancel import CancelToken
    from mewcode.llm.client import ProviderConfig, Request
    from mewcode.llm.events import Event, StopReason
    from mewcode.llm.messages import ApiMessage, Block, Origin
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
_CUT = ("max_tokens", "refusal", "model_context_window_exceeded")
_LEAST_BUDGET = 1024  # tokens; what the API asks for


class AnthropicProvider:
    def __init__(self, config: ProviderConfig) -> None:
        base_url, query = split_base_url(config.base_url or "https://api.anthropic.com", "/v1/messages", "/v1")

        def make_sdk(http: httpx2.Client) -> Anthropic:
            return Anthropic(
                api_key=config.api_key.reveal() if config.api_key else "none",
                base_url=base_url,
                default_query=query,
                default_headers={name: value.reveal() for name, value in config.headers.items()},
                http_client=http,
                max_retries=0,
            )

        self._lines = Lines(config, make_sdk)
        errors = SdkErrors(anthropic.APIStatusError, anthropic.APITimeoutError, anthropic.APIConnectionError)
        self._endpoint = Endpoint(config, self._lines, "/v1/messages", stream_cls=Stream[object], errors=errors)

    def open(self, request: Request, cancel: CancelToken) -> Generator[Event, None, None]:
        return self._endpoint.events(body(request), len(request.messages), translate, cancel)

    def close(self) -> None:
        self._lines.close()


def body(request: Request) -> dict[str, Json]:
    limit = request.max_output_tokens or max_output_tokens(request.model)
    whole: dict[str, Json] = {
        "model": request.model,
        "max_tokens": limit,
        "system": request.system,
        "messages": to_wire(request.messages, request.origin),
        "thinking": _thinking(request, limit),
        "output_config": {"effort": request.effort} if request.effort else None,
        "tools": [
            {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
            for tool in request.tools
        ],
        "stream": True,
    }
    return {name: value for name, value in whole.items() if value}


def _thinking(request: Request, limit: int) -> Json:
    mode = thinking_mode(request.model)
    if request.thinking is None or mode == "none":
        return None
    if not request.thinking:
        return None if always_thinks(request.model) else {"type": "disabled"}
    if mode == "adaptive":
        return {"type": "adaptive", "display": "summarized"}  # the default of newer models shows nothing
    if limit <= _LEAST_BUDGET:
        return None
    return {"type": "enabled", "budget_tokens": max(_LEAST_BUDGET, limit // 2)}


def to_wire(messages: Sequence[ApiMessage], origin: Origin) -> list[Json]:
    """Messages as the API spells them; thinking goes back only to the model and server that wrote it."""
    return [
        {
            "role": message.role,
            "content": [_wire_block(block) for block in message.blocks if _may_go(block, message.origin == origin)],
        }
        for message in messages
    ]


def _may_go(block: Block, own: bool) -> bool:
    """A thinking block is refused without its signature, as when the stream broke before it came."""
    return not isinstance(block, ThinkingBlock) or (own and bool(block.signature or block.redacted_data))


def _wire_block(block: Block) -> Json:
    match block:
        case TextBlock(said):
            return {"type": "text", "text": said}
        case ThinkingBlock(redacted_data=str(data)):
            return {"type": "redacted_thinking", "data": data}
        case ThinkingBlock(thought, signature):
            return {"type": "thinking", "thinking": thought, "signature": signature}
        case ToolUseBlock(tool_id, tool_name, arguments):
            return {"type": "tool_use", "id": tool_id, "name": tool_name, "input": arguments}
        case ToolResultBlock(tool_id, content, is_error):
            return {"type": "tool_result", "tool_use_id": tool_id, "content": content, "is_error": is_error}
        case _:
            assert_never(block)


def translate(raw: Iterable[Json], heard: Heard) -> Iterator[Event]:
    """The stream as events; a StreamEnd only at message_stop."""
    answer = _Answer()
    for event in raw:
        match event:
            case {"type": "content_block_delta", "index": int(index), "delta": dict(delta)}:
                yield from answer.grow(index, delta)
            case {"type": "content_block_start", "index": int(index), "content_block": dict(block)}:
                yield from answer.start(index, block)
            case {"type": "content_block_stop", "index": int(index)}:
                yield from answer.stop(index)
            case {"type": "message_start", "message": {"usage": dict(usage)}}:
                # its output_tokens are a placeholder: unknown until a delta says
                answer.count({**usage, "output_tokens": None})
            case {"type": "message_delta"}:
                answer.count(event.get("usage"))
                answer.stop_reason = text(event, "delta", "stop_reason") or answer.stop_reason
            case {"type": "message_stop"}:
                yield from answer.end()
                stop = _STOP.get(answer.stop_reason or "", "other")
                yield StreamEnd(stop, answer.stop_reason, answer.usage())
                return


@dataclass(slots=True)
class _Open:
    """A block that is still growing."""

    kind: str
    text: str = ""
    signature: str | None = None
    tool_id: str = ""
    tool_name: str = ""
    given: Json = None  # a tool's input, where it came whole with the start


class _Answer:
    def __init__(self) -> None:
        self._open: dict[int, _Open] = {}
        self._held: _Open | None = None  # a finished call: only what comes next tells whether it was cut
        self._usage: dict[str, int] = {}
        self.stop_reason: str | None = None

    def start(self, index: int, block: Json) -> Iterator[Event]:
        yield from self.release(cut=False)
        match block:
            case {"type": "text"}:
                self._open[index] = _Open("text")
                if text(block, "text"):
                    yield TextDelta(block["text"])
            case {"type": "thinking"}:
                self._open[index] = _Open("thinking", text(block, "thinking"), text(block, "signature") or None)
                if text(block, "thinking"):
                    yield ThinkingDelta(block["thinking"])
            case {"type": "redacted_thinking", "data": str(data)}:
                yield ThinkingComplete(ThinkingBlock("", redacted_data=data))
            case {"type": "tool_use", "id": str(tool_id), "name": str(tool_name)}:
                call = _Open("tool_use", tool_id=tool_id, tool_name=tool_name, given=block.get("input"))
                self._open[index] = call
                yield ToolCallStart(tool_id, tool_name)

    def grow(self, index: int, delta: Json) -> Iterator[Event]:
        block = self._open.get(index)
        match delta:
            case {"type": "text_delta", "text": str(said)}:
                if said:
                    yield TextDelta(said)
            case {"type": "thinking_delta", "thinking": str(thought)} if block is not None:
                block.text += thought
                yield ThinkingDelta(thought)
            case {"type": "signature_delta", "signature": str(signature)} if block is not None:
                block.signature = (block.signature or "") + signature
            case {"type": "input_json_delta", "partial_json": str(piece)} if block is not None and block.tool_id:
                block.text += piece
                if piece:
                    yield ToolCallDelta(block.tool_id, piece)

    def stop(self, index: int) -> Iterator[Event]:
        block = self._open.pop(index, None)
        if block is None:
            return
        if block.kind == "thinking":
            yield ThinkingComplete(ThinkingBlock(block.text, block.signature))
        elif block.kind == "tool_use":
            yield from self.release(cut=False)
            self._held = block

    def release(self, *, cut: bool) -> Iterator[Event]:
        """Pass on the call that is held. `cut`: the answer ended for want of room, so it may not be whole."""
        call, self._held = self._held, None
        if call is None:
            return
        if not call.text and isinstance(call.given, dict) and call.given:
            yield ToolCallComplete(call.tool_id, call.tool_name, call.given)
        else:
            yield complete_call(call.tool_id, call.tool_name, call.text, cut=cut)

    def end(self) -> Iterator[Event]:
        """Pass on what is left: a call that was held, or one that was cut before its block's end."""
        yield from self.release(cut=self.stop_reason in _CUT)
        for call in self._open.values():
            if call.kind == "tool_use":
                yield complete_call(call.tool_id, call.tool_name, call.text, cut=True)

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


register("anthropic", AnthropicProvider)
