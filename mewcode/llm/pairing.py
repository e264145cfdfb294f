"""Tool calls and their results belong together: no service accepts one without the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mewcode.llm.messages import ApiMessage, TextBlock, ToolResultBlock, ToolUseBlock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mewcode.llm.messages import Block

NOT_RUN = "This call was not run."
BROKEN = "This call was not run: its arguments were no valid JSON."
UNKNOWN_TOOL = "unknown_tool"
OPENING = "(The conversation continues.)"


def pair_tools(messages: Sequence[ApiMessage]) -> list[ApiMessage]:
    """Messages in which each call is answered by the message after it, and each result has its call before it.

    An orphan result gets a placeholder call, a call without result gets a result that says so. Results stand first in
    their message, in the order of the calls; of several for one call the first counts. Idempotent.
    """
    paired: list[ApiMessage] = []
    for message in messages:
        if message.role == "assistant":
            _answer_last(paired)
            paired.append(replace(message, blocks=tuple(_without_repeated_calls(message))))
        else:
            results = _results(message)
            _call_orphans(paired, results)
            rest = [block for block in message.blocks if not isinstance(block, ToolResultBlock)]
            paired.append(replace(message, blocks=(*_answers(paired, results), *rest)))
    _answer_last(paired)
    return paired


def _answer_last(paired: list[ApiMessage]) -> None:
    """Answer the calls that the last message leaves open."""
    if answers := _answers(paired, {}):
        paired.append(ApiMessage("user", tuple(answers)))


def _call_orphans(paired: list[ApiMessage], results: dict[str, ToolResultBlock]) -> None:
    """Make the last message call whatever is answered next."""
    known = {call.tool_id for call in _open_calls(paired)}
    orphans = [ToolUseBlock(tool_id, UNKNOWN_TOOL, {}) for tool_id in results if tool_id not in known]
    if not orphans:
        return
    if not paired:
        paired.append(ApiMessage("user", (TextBlock(OPENING),)))
    if paired[-1].role == "user":
        paired.append(ApiMessage("assistant", ()))
    paired[-1] = replace(paired[-1], blocks=(*paired[-1].blocks, *orphans))


def _answers(paired: list[ApiMessage], results: dict[str, ToolResultBlock]) -> list[ToolResultBlock]:
    """A result for each call of the last message."""
    return [
        results.get(call.tool_id)
        or ToolResultBlock(call.tool_id, BROKEN if call.arguments is None else NOT_RUN, is_error=True)
        for call in _open_calls(paired)
    ]


def _open_calls(paired: list[ApiMessage]) -> list[ToolUseBlock]:
    if not paired or paired[-1].role == "user":
        return []
    return [block for block in paired[-1].blocks if isinstance(block, ToolUseBlock)]


def _results(message: ApiMessage) -> dict[str, ToolResultBlock]:
    results: dict[str, ToolResultBlock] = {}
    for block in message.blocks:
        if isinstance(block, ToolResultBlock):
            results.setdefault(block.tool_id, block)
    return results


def _without_repeated_calls(message: ApiMessage) -> Iterator[Block]:
    seen: set[str] = set()
    for block in message.blocks:
        if isinstance(block, ToolUseBlock):
            if block.tool_id in seen:
                continue
            seen.add(block.tool_id)
        yield block
