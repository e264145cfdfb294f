"""From messages with identities and states to a history that every service accepts."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from mewcode.llm.messages import ApiMessage, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from mewcode.llm.pairing import OPENING, pair_tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mewcode.llm.messages import Block, Message


def to_api(messages: Iterable[Message]) -> list[ApiMessage]:
    """Notes, failed, running and empty messages are left out; neighbours of one role become one message.

    The history starts with the user, alternates, and its tool calls and results are paired.
    """
    spoken = [_spoken(message) for message in messages if _belongs(message)]
    merged = [_merge(list(group)) for _, group in groupby(filter(_says_something, spoken), key=_role)]
    if merged and merged[0].role == "assistant":
        merged.insert(0, ApiMessage("user", (TextBlock(OPENING),)))
    return pair_tools(merged)


def _belongs(message: Message) -> bool:
    return message.role != "system" and message.status not in ("error", "streaming")


def _role(message: ApiMessage) -> str:
    return message.role


def _spoken(message: Message) -> ApiMessage:
    blocks = [block for block in message.blocks if _may_say(message, block)]
    if message.status != "complete":
        blocks = _without_loose_thinking(blocks)
    role: Literal["user", "assistant"] = "assistant" if message.role == "assistant" else "user"
    return ApiMessage(role, tuple(blocks), message.origin, message.prefix)


def _may_say(message: Message, block: Block) -> bool:
    """Only an answer thinks and calls tools, only the user brings their results, and nobody says nothing."""
    match block:
        case TextBlock(text):
            return bool(text.strip())
        case ToolResultBlock():
            return message.role != "assistant"
        case ThinkingBlock() | ToolUseBlock():
            return message.role == "assistant"


def _says_something(message: ApiMessage) -> bool:
    """Thinking alone is no answer: services refuse it."""
    return any(not isinstance(block, ThinkingBlock) for block in message.blocks)


def _without_loose_thinking(blocks: list[Block]) -> list[Block]:
    """An answer that broke off keeps its thinking only where a tool call needs it."""
    calls = any(isinstance(block, ToolUseBlock) for block in blocks)
    return blocks if calls else _without_thinking(blocks)


def _merge(group: list[ApiMessage]) -> ApiMessage:
    if len(group) == 1:
        return group[0]
    origins = {message.origin for message in group}
    blocks: list[Block] = []
    for message in group:
        # thinking of several models cannot go back to one of them
        first, *rest = message.blocks if len(origins) == 1 else _without_thinking(message.blocks)
        match blocks[-1:], first:
            case [TextBlock(before)], TextBlock(after):
                blocks[-1] = TextBlock(f"{before}\n\n{after}")
            case _:
                blocks.append(first)
        blocks += rest
    one = len(origins) == 1
    return ApiMessage(group[0].role, tuple(blocks), group[0].origin if one else None, group[0].prefix if one else None)


def _without_thinking(blocks: Iterable[Block]) -> list[Block]:
    return [block for block in blocks if not isinstance(block, ThinkingBlock)]


def tools_as_text(messages: Iterable[ApiMessage]) -> list[ApiMessage]:
    """The history for a request that offers no tools: its calls and results as words, since servers refuse the blocks.

    Thinking goes with them: it was thought before another history.
    """
    history = list(messages)
    if not any(isinstance(block, ToolUseBlock) for message in history for block in message.blocks):
        return history
    return [replace(message, blocks=tuple(_in_words(message))) for message in history]


def _in_words(message: ApiMessage) -> Iterator[Block]:
    for block in message.blocks:
        match block:
            case ToolUseBlock(_, name, arguments):
                given = "broken arguments" if arguments is None else json.dumps(arguments, ensure_ascii=False)
                yield TextBlock(f"[called {name} with {given}]")
            case ToolResultBlock(_, content, is_error):
                yield TextBlock(f"[{'error' if is_error else 'result'}: {content}]")
            case TextBlock():
                yield block
