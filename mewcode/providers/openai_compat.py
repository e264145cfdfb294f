"""Chat completions, as every OpenAI-compatible server speaks them, over the official SDK.

No vendor is named in the code: what servers do differently is handled by rules that hold for all of them.
Source: openai 3.57 and streams recorded from some thirty servers, 2026-11.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mewcode.llm.messages import TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from mewcode.llm.models import always_thinks, is_known, thinking_mode
from mewcode.llm.registry import register
from mewcode.providers._chat_answer import translate
from mewcode.providers._remedies import CHAT
from mewcode.providers._stream import Endpoint
from mewcode.providers.openai import ERRORS, Payloads, make_lines, result_text

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from mewcode.llm.cancel import CancelToken
    from mewcode.llm.client import ProviderConfig, Request
    from mewcode.llm.events import Event
    from mewcode.llm.messages import ApiMessage, Block
    from mewcode.providers._http import Json


class OpenAICompat:
    def __init__(self, config: ProviderConfig) -> None:
        self._lines = make_lines(config)
        self._endpoint = Endpoint(
            config,
            self._lines,
            "/chat/completions",
            stream_cls=Payloads,
            errors=ERRORS,
            remedies=CHAT,
        )

    def open(self, request: Request, cancel: CancelToken) -> Generator[Event, None, None]:
        return self._endpoint.events(request, body(request), translate, cancel)

    def close(self) -> None:
        self._lines.close()


def body(request: Request) -> dict[str, Json]:
    # OpenAI's reasoning models refuse max_tokens; strict servers refuse everything but max_tokens
    limit = "max_tokens" if thinking_mode(request.model) == "none" else "max_completion_tokens"
    whole: dict[str, Json] = {
        "model": request.model,
        "messages": [*_system(request.system), *to_wire(request.messages)],
        limit: request.max_output_tokens,
        "temperature": request.temperature,
        "reasoning_effort": _effort(request),
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                },
            }
            for tool in request.tools
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return {name: value for name, value in whole.items() if value not in (None, [])}


def _effort(request: Request) -> str | None:
    """Thinking has no field of its own that servers agree on: the effort switches it on and off at most of them."""
    if not is_known(request.model):
        return request.effort or {True: "medium", False: "none", None: None}[request.thinking]
    if request.thinking is False and thinking_mode(request.model) != "none" and not always_thinks(request.model):
        return request.effort or "none"
    return request.effort


def _system(prompt: str) -> list[Json]:
    return [{"role": "system", "content": prompt}] if prompt else []


def to_wire(messages: Sequence[ApiMessage]) -> list[Json]:
    """Messages as the protocol spells them; a tool's result is a message of its own. Of thinking only what came inside
    the text goes back, and what the server sealed.
    """
    return [spelled for message in messages for spelled in _spell(message)]


def _spell(message: ApiMessage) -> Iterator[Json]:
    said = "\n\n".join(block.said for block in message.blocks if isinstance(block, TextBlock))
    if message.role == "assistant":
        said = "".join(map(_tagged, message.blocks)) + said
        calls = [_call(block) for block in message.blocks if isinstance(block, ToolUseBlock)]
        if calls:  # beside them null and no text are the same, and of the two more servers take null
            yield {"role": "assistant", "content": said or None, "tool_calls": calls, **_details(message.blocks)}
        else:
            yield {"role": "assistant", "content": said, **_details(message.blocks)}
        return
    for block in message.blocks:
        if isinstance(block, ToolResultBlock):
            yield {"role": "tool", "tool_call_id": block.tool_id, "content": result_text(block)}
    if said:
        yield {"role": "user", "content": said}


def _tagged(block: Block) -> str:
    """Thinking that came inside the text, as it came; other thinking is not sent."""
    return (block.tagged or "") if isinstance(block, ThinkingBlock) else ""


def _details(blocks: Iterable[Block]) -> Json:
    """Thinking as the server sealed it. OpenRouter, and gateways like it."""
    sealed = [block.details for block in blocks if isinstance(block, ThinkingBlock) and block.details]
    return {"reasoning_details": [detail for part in sealed for detail in json.loads(part)]} if sealed else {}


def _call(block: ToolUseBlock) -> Json:
    arguments = json.dumps(block.arguments or {}, ensure_ascii=False)
    call = {"id": block.tool_id, "type": "function", "function": {"name": block.tool_name, "arguments": arguments}}
    return {**call, "extra_content": json.loads(block.extra)} if block.extra else call


register("openai-compat", OpenAICompat)
