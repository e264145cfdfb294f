"""Tool calls and their results belong together: no service accepts one without the other."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from mewcode.llm.messages import ApiMessage, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from mewcode.llm.messages import Block, Origin

NOT_RUN = "This call was not run."
BROKEN = "This call was not run: its arguments were no valid JSON."
UNKNOWN_TOOL = "unknown_tool"
OPENING = "(The conversation continues.)"
UNANSWERED = "(No answer was given to this.)"

_TAKEN_BY_ALL = re.compile(r"[a-zA-Z0-9_-]{1,40}")  # ids: Anthropic's letters, OpenAI's length (chat completions)
_NO_LETTER = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64


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


def without_thinking(blocks: Iterable[Block]) -> list[Block]:
    return [block for block in blocks if not isinstance(block, ThinkingBlock)]


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
    # what else this message may have lost in between, nobody knows
    paired[-1] = replace(paired[-1], blocks=(*without_thinking(paired[-1].blocks), *orphans))


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


def respell_calls(messages: Iterable[ApiMessage], origin: Origin, names: Collection[str]) -> list[ApiMessage]:
    """Paired messages, with ids and names of foreign calls as every service takes them, and no foreign id used twice.

    What `origin` itself called stays as it is: some servers keep things in their ids. So do `names`, the tools that
    are offered. The same history is always spelled in the same way, and a longer one begins with it.
    """
    respelled: list[ApiMessage] = []
    taken: set[str] = set()
    ids: dict[str, str] = {}
    for message in messages:
        if message.role == "assistant":
            calls = [block for block in message.blocks if isinstance(block, ToolUseBlock)]
            ids = {call.tool_id: _id_of(call, taken, own=message.origin == origin) for call in calls}
        respelled.append(replace(message, blocks=tuple([_respelled(block, ids, names) for block in message.blocks])))
    return respelled


def _id_of(call: ToolUseBlock, taken: set[str], *, own: bool) -> str:
    placeholder = call.tool_name == UNKNOWN_TOOL  # its id may be that of a call which is gone
    own = own and not placeholder
    fits = own or (not placeholder and _TAKEN_BY_ALL.fullmatch(call.tool_id))
    spelled = call.tool_id if fits else _digest(call.tool_id)
    number = 1
    while spelled in taken and not own:
        number += 1
        spelled = _digest(f"{call.tool_id} {number}")
    taken.add(spelled)
    return spelled


def _digest(tool_id: str) -> str:
    return f"call_{blake2b(tool_id.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"


def _respelled(block: Block, ids: dict[str, str], names: Collection[str]) -> Block:
    match block:
        case ToolUseBlock(tool_id, name):
            spelled = name if name in names else _NO_LETTER.sub("_", name)[:_LONGEST_NAME]
            return replace(block, tool_id=ids[tool_id], tool_name=spelled or UNKNOWN_TOOL)
        case ToolResultBlock(tool_id):
            return replace(block, tool_id=ids.get(tool_id, tool_id))
    return block
