"""OpenAI Responses, over the official SDK: stateless, so that nothing is kept at the server. Source: openai 3.57."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, assert_never

import openai
from openai import OpenAI, Stream

from mewcode.llm.messages import TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from mewcode.llm.models import always_thinks, is_known, thinking_mode
from mewcode.llm.registry import register
from mewcode.providers._http import Lines, split_base_url
from mewcode.providers._payload import payloads
from mewcode.providers._remedies import RESPONSES
from mewcode.providers._responses_answer import translate
from mewcode.providers._stream import Endpoint, SdkErrors

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    import httpx2

    from mewcode.llm.cancel import CancelToken
    from mewcode.llm.client import ProviderConfig, Request
    from mewcode.llm.events import Event
    from mewcode.llm.messages import ApiMessage, Block
    from mewcode.providers._http import Json

BASE_URL = "https://api.openai.com/v1"
ERRORS = SdkErrors(openai.APIStatusError, openai.APITimeoutError, openai.APIConnectionError)


def make_lines(config: ProviderConfig) -> Lines:
    """The lines of any server that speaks one of OpenAI's protocols."""
    base_url, query = split_base_url(config.base_url or BASE_URL, "/responses", "/chat/completions")

    def make_sdk(http: httpx2.Client) -> OpenAI:
        return OpenAI(
            api_key=config.api_key.reveal() if config.api_key else "none",  # the SDK refuses an empty one
            base_url=base_url,
            default_query=query,
            default_headers={name: value.reveal() for name, value in config.headers.items()},
            http_client=http,
            max_retries=0,
        )

    return Lines(config, make_sdk)


class Payloads(Stream[object]):
    """The SDK's stream, over bodies that are in order already."""

    def __iter__(self) -> Iterator[object]:
        return payloads(self.response)


class OpenAIProvider:
    def __init__(self, config: ProviderConfig) -> None:
        self._lines = make_lines(config)
        self._endpoint = Endpoint(
            config,
            self._lines,
            "/responses",
            stream_cls=Payloads,
            errors=ERRORS,
            remedies=RESPONSES,
        )

    def open(self, request: Request, cancel: CancelToken) -> Generator[Event, None, None]:
        return self._endpoint.events(request, body(request), translate, cancel)

    def close(self) -> None:
        self._lines.close()


def body(request: Request) -> dict[str, Json]:
    reasons = thinking_mode(request.model) != "none" or (request.thinking and not is_known(request.model))
    whole: dict[str, Json] = {
        "model": request.model,
        "instructions": request.system,
        "input": to_wire(request.messages),
        "max_output_tokens": request.max_output_tokens,
        "temperature": request.temperature,
        "reasoning": _reasoning(request),
        "include": ["reasoning.encrypted_content"] if reasons else None,
        "prompt_cache_key": request.conversation,
        "tools": [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
                "strict": False,
            }
            for tool in request.tools
        ],
    }
    return {name: value for name, value in whole.items() if value not in (None, [], {}, "")} | {
        "store": False,
        "stream": True,
    }


def _reasoning(request: Request) -> dict[str, str]:
    reasoning = {"effort": request.effort} if request.effort else {}
    if thinking_mode(request.model) == "none" and is_known(request.model):
        return reasoning
    if request.thinking:
        reasoning["summary"] = "auto"  # without it no thinking text comes at all
    elif request.thinking is False and not always_thinks(request.model):
        reasoning.setdefault("effort", "none")
    return reasoning


def to_wire(messages: Sequence[ApiMessage]) -> list[Json]:
    """Messages as input items. Each has its `type`, which llama.cpp asks for."""
    return [
        item for message in messages for block in message.blocks if (item := _item(block, message.role)) is not None
    ]


def _item(block: Block, role: str) -> Json:
    match block:
        case TextBlock(phase=phase):
            kind = "output_text" if role == "assistant" else "input_text"
            item = {"type": "message", "role": role, "content": [{"type": kind, "text": block.said}]}
            return {**item, "phase": phase} if phase else item
        case ThinkingBlock(redacted_data=data):
            return _reasoning_item(data) if data else None
        case ToolUseBlock(tool_id, tool_name, arguments):
            spelled = json.dumps(arguments or {}, ensure_ascii=False)
            return {"type": "function_call", "call_id": tool_id, "name": tool_name, "arguments": spelled}
        case ToolResultBlock(tool_id):
            return {"type": "function_call_output", "call_id": tool_id, "output": result_text(block)}
        case _:
            assert_never(block)


def result_text(result: ToolResultBlock) -> str:
    """What a tool said. OpenAI's protocols have no field for its failure, so it is said in words."""
    told = result.content.lstrip().lower().startswith("error")
    return f"Error: {result.content}" if result.is_error and not told else result.content


def _reasoning_item(data: str) -> Json:
    """The finished item; None without its sealed content, for the server kept nothing that an id alone could name."""
    item = json.loads(data)
    return item if item.get("encrypted_content") else None


register("openai", OpenAIProvider)
