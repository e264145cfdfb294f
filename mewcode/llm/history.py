"""From messages with identities and states to a history that every service accepts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from mewcode.llm.messages import ApiMessage, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, unsealed
from mewcode.llm.pairing import OPENING, pair_tools, without_thinking

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mewcode.llm.messages import Block, Message

_OPENING = ApiMessage("user", (TextBlock(OPENING),))


def to_api(messages: Iterable[Message]) -> list[ApiMessage]:
    """Notes, failed, running and empty messages are left out; neighbours of one role become one message.

    The history starts with the user, alternates, and its tool calls and results are paired. Answers to two requests
    are no neighbours: what the second one was made from has to stay as it was.
    """
    spoken = [_spoken(message) for message in messages if _belongs(message)]
    merged = [_merge(group) for group in _groups(filter(_says_something, spoken))]
    return list(_alternating(pair_tools(merged)))


def asking(history: Iterable[ApiMessage]) -> list[ApiMessage]:
    """The history with the user speaking last, since services answer nobody else; also where nothing was said."""
    asked = list(history)
    return asked if asked and asked[-1].role == "user" else [*asked, _OPENING]


def _groups(messages: Iterable[ApiMessage]) -> list[list[ApiMessage]]:
    groups: list[list[ApiMessage]] = []
    for message in messages:
        if groups and groups[-1][0].role == message.role and message.prefix is None:
            groups[-1].append(message)
        else:
            groups.append([message])
    return groups


def _alternating(messages: Iterable[ApiMessage]) -> Iterator[ApiMessage]:
    before = "assistant"
    for message in messages:
        if message.role == before == "assistant":
            yield _OPENING
        yield message
        before = message.role


def _belongs(message: Message) -> bool:
    return message.role != "system" and message.status not in ("error", "streaming")


def _spoken(message: Message) -> ApiMessage:
    blocks = _without_loose_thinking(
        [block for block in message.blocks if _may_say(message, block)], whole=message.status == "complete"
    )
    role: Literal["user", "assistant"] = "assistant" if message.role == "assistant" else "user"
    thought = role == "assistant" and isinstance(next(iter(message.blocks), None), ThinkingBlock)
    return ApiMessage(role, tuple(blocks), message.origin, message.prefix, thought)


def _may_say(message: Message, block: Block) -> bool:
    """Only an answer thinks and calls tools, only the user brings their results, and nobody says nothing."""
    match block:
        case TextBlock():
            return bool(block.said.strip())
        case ToolResultBlock():
            return message.role != "assistant"
        case ThinkingBlock() | ToolUseBlock():
            return message.role == "assistant"


def _says_something(message: ApiMessage) -> bool:
    """Thinking alone is no answer: services refuse it."""
    return any(not isinstance(block, ThinkingBlock) for block in message.blocks)


def _without_loose_thinking(blocks: list[Block], *, whole: bool) -> list[Block]:
    """Thinking goes back only with what it led to: a text or a call. A text of an answer that broke off may be cut,
    and counts for none; where it stays, while the thinking before it cannot, none of the answer's thinking is right.
    """
    led_to = (TextBlock, ToolUseBlock) if whole else ToolUseBlock
    end = max((place for place, block in enumerate(blocks, start=1) if isinstance(block, led_to)), default=0)
    rest = without_thinking(blocks[end:])
    if rest and len(rest) < len(blocks) - end:
        return without_thinking(blocks)
    return [*blocks[:end], *rest]


def _merge(group: list[ApiMessage]) -> ApiMessage:
    """What was added without a request of its own belongs to the answer before it."""
    if len(group) == 1:
        return group[0]
    first = group[0]
    origins = {message.origin for message in group}
    blocks: list[Block] = []
    for message in group:
        # thinking of several models, or among foreign words, cannot go back to one of them
        begin, *rest = message.blocks if len(origins) == 1 else _foreign(message, first)
        match blocks[-1:], begin:
            case [TextBlock(phase=None) as last], TextBlock(phase=None):
                blocks[-1] = replace(last, text=f"{last.text}\n\n{begin.said}")
            case _:
                blocks.append(begin)
        blocks += rest
    return replace(first, blocks=tuple(blocks), origin=first.origin if origins <= {first.origin, None} else None)


def _foreign(message: ApiMessage, first: ApiMessage) -> list[Block]:
    """Its blocks beside words of others: seals at calls stay those of the answer that they are added to."""
    blocks = without_thinking(message.blocks)
    return blocks if message.origin == first.origin else [unsealed(block) for block in blocks]


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
