"""From messages with identities and states to a history that every service accepts."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from mewcode.llm.messages import ApiMessage, TextBlock, ThinkingBlock, ToolUseBlock
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
    blocks = [block for block in message.blocks if not (isinstance(block, TextBlock) and not block.text.strip())]
    if message.status != "complete":
        blocks = list(_without_loose_thinking(blocks))
    return ApiMessage("assistant" if message.role == "assistant" else "user", tuple(blocks), message.origin)


def _says_something(message: ApiMessage) -> bool:
    """Thinking alone is no answer: services refuse it."""
    return any(not isinstance(block, ThinkingBlock) for block in message.blocks)


def _without_loose_thinking(blocks: list[Block]) -> Iterator[Block]:
    """An answer that broke off keeps its thinking only where a tool call needs it."""
    keep = any(isinstance(block, ToolUseBlock) for block in blocks)
    return (block for block in blocks if keep or not isinstance(block, ThinkingBlock))


def _merge(group: list[ApiMessage]) -> ApiMessage:
    if len(group) == 1:
        return group[0]
    blocks: list[Block] = []
    for message in group:
        first, *rest = message.blocks
        match blocks[-1:], first:
            case [TextBlock(before)], TextBlock(after):
                blocks[-1] = TextBlock(f"{before}\n\n{after}")
            case _:
                blocks.append(first)
        blocks += rest
    origins = {message.origin for message in group}
    if len(origins) > 1:  # thinking of several models cannot go back to one of them
        blocks = [block for block in blocks if not isinstance(block, ThinkingBlock)]
    return ApiMessage(group[0].role, tuple(blocks), group[0].origin if len(origins) == 1 else None)
