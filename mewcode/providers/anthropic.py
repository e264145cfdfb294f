"""Anthropic Messages, over the official SDK. Source: anthropic 2.14, API version 2026-10-21."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import anthropic
from anthropic import Anthropic, Stream

from mewcode.llm.messages import TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from mewcode.llm.models import LEAST_BUDGET, always_thinks, is_known, max_output_tokens, thinking_mode
from mewcode.llm.pairing import UNKNOWN_TOOL
from mewcode.llm.registry import register
from mewcode.providers._anthropic_answer import translate
from mewcode.providers._http import Lines, split_base_url
from mewcode.providers._payload import payloads
from mewcode.providers._remedies import MESSAGES
from mewcode.providers._stream import Endpoint, SdkErrors

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    import httpx2

    from mewcode.llm.cancel import CancelToken
    from mewcode.llm.client import ProviderConfig, Request
    from mewcode.llm.events import Event
    from mewcode.llm.messages import ApiMessage, Block
    from mewcode.providers._http import Json

_NO_THINKING = {"type": "disabled"}


class Payloads(Stream[object]):
    """The SDK's stream, over bodies that are in order already."""

    def __iter__(self) -> Iterator[object]:
        return payloads(self.response)


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
        self._endpoint = Endpoint(
            config, self._lines, "/v1/messages", stream_cls=Payloads, errors=errors, remedies=MESSAGES
        )

    def open(self, request: Request, cancel: CancelToken) -> Generator[Event, None, None]:
        return self._endpoint.events(request, body(request), translate, cancel)

    def close(self) -> None:
        self._lines.close()


def body(request: Request) -> dict[str, Json]:
    limit = request.max_output_tokens or max_output_tokens(request.model)
    thinking = _thinking(request, limit)
    if _lacks_thinking(request, thinking) and not always_thinks(request.model):
        thinking = _NO_THINKING
    whole: dict[str, Json] = {
        "model": request.model,
        "max_tokens": limit,
        "system": request.system,
        "messages": to_wire(request.messages, thinks=thinking != _NO_THINKING),
        "thinking": thinking,
        "cache_control": {"type": "ephemeral"} if request.conversation else None,
        "output_config": {"effort": request.effort} if request.effort else None,
        "tools": [
            {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
            for tool in request.tools
        ],
        "stream": True,
    }
    return {name: value for name, value in whole.items() if value}


def _thinking(request: Request, limit: int) -> Json:
    # a server that takes no thinking refuses it, which heals itself; those that do know the older form
    mode = thinking_mode(request.model) if is_known(request.model) else "budgeted"
    if request.thinking is None or mode == "none":
        return None
    if not request.thinking:
        return None if always_thinks(request.model) else _NO_THINKING
    if mode == "adaptive":
        return {"type": "adaptive", "display": "summarized"}  # the default of newer models shows nothing
    if limit <= LEAST_BUDGET:
        return None
    return {"type": "enabled", "budget_tokens": max(LEAST_BUDGET, limit // 2)}


def _lacks_thinking(request: Request, thinking: Json) -> bool:
    """Whether the tools' results at the end answer a call whose thinking is gone, or, with a budget, never was.

    The API wants it there as long as the model thinks; with a budget, whoever called. Of the model's own answers only
    the first has to begin with thinking.
    """
    if thinking_mode(request.model) == "none":
        return False
    turn = _open_turn(request.messages)
    by_hand = bool(thinking) and thinking["type"] == "enabled"
    for place, message in enumerate(turn):
        first = message.blocks[0]
        if isinstance(first, ThinkingBlock) and _may_go(first, thinks=True):
            continue
        own = _made_by(request.model, message)
        if (message.thought and own) or (by_hand and (place == 0 or not own)):
            return True
    return False


def _open_turn(messages: Sequence[ApiMessage]) -> list[ApiMessage]:
    """The assistant's messages since the user last spoke without a result; none when the last message has none."""
    turn: list[ApiMessage] = []
    for call, answer in zip(messages[-2::-2], messages[::-2], strict=False):
        if not any(isinstance(block, ToolResultBlock) for block in answer.blocks):
            break
        turn.insert(0, call)
    return turn


def _made_by(model: str, message: ApiMessage) -> bool:
    """Whether the message holds a call of this model; a placeholder is none."""
    calls = (block.tool_name for block in message.blocks if isinstance(block, ToolUseBlock))
    return message.origin is not None and message.origin.model == model and any(it != UNKNOWN_TOOL for it in calls)


def to_wire(messages: Sequence[ApiMessage], *, thinks: bool = True) -> list[Json]:
    """Messages as the API spells them; without thinking where the model is told not to think."""
    return [
        {
            "role": message.role,
            "content": [_wire_block(block) for block in message.blocks if _may_go(block, thinks)],
        }
        for message in messages
    ]


def _may_go(block: Block, thinks: bool) -> bool:
    """A thinking block is refused without its signature, as when the stream broke before it came."""
    return not isinstance(block, ThinkingBlock) or (thinks and bool(block.signature or block.redacted_data))


def _wire_block(block: Block) -> Json:
    match block:
        case TextBlock():
            return {"type": "text", "text": block.said}
        case ThinkingBlock(redacted_data=str(data)):
            return {"type": "redacted_thinking", "data": data}
        case ThinkingBlock(thought, signature):
            return {"type": "thinking", "thinking": thought, "signature": signature}
        case ToolUseBlock(tool_id, tool_name, arguments):
            return {"type": "tool_use", "id": tool_id, "name": tool_name, "input": arguments or {}}
        case ToolResultBlock(tool_id, content, is_error):
            return {"type": "tool_result", "tool_use_id": tool_id, "content": content, "is_error": is_error}
        case _:
            assert_never(block)


register("anthropic", AnthropicProvider)
