"""A turn gathered into one message, for whoever does not want to follow it."""

from __future__ import annotations

import io
import time
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from mewcode.llm.events import (
    Cancelled,
    Retrying,
    StreamEnd,
    StreamError,
    TextDelta,
    ThinkingComplete,
    ThinkingDelta,
    ToolCallComplete,
    ToolCallDelta,
    ToolCallStart,
)
from mewcode.llm.messages import Message, TextBlock, ToolUseBlock, Usage, new_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mewcode.llm.events import Event
    from mewcode.llm.messages import Block, Status


def collect(turn: Iterable[Event], on_text: Callable[[str], None] | None = None) -> tuple[Message, Usage]:
    """Read a turn to its end. `on_text` gets each piece of text as it comes.

    A cancelled turn returns its message, with status `cancelled`. A call whose arguments are broken is in it, with
    None for them: it must not run. Of several calls with one id the last counts. Raises: the LLMError of a failed turn.
    """
    answer, started = _Answer(), time.monotonic()
    for event in turn:
        match event:
            case TextDelta(text):
                answer.say(event)
                if on_text is not None:
                    on_text(text)
            case ThinkingComplete(block):
                answer.put(block)
            case ToolCallComplete(tool_id, tool_name, arguments, extra=extra):
                answer.call(ToolUseBlock(tool_id, tool_name, arguments, extra))
            case StreamEnd():
                return answer.message("complete", event.usage, started), event.usage
            case StreamError(error):
                raise error
            case Cancelled():
                break
            case ThinkingDelta() | ToolCallStart() | ToolCallDelta() | Retrying():
                pass
            case _:
                assert_never(event)
    return answer.message("cancelled", Usage(), started), Usage()


class _Answer:
    """Blocks in the order in which they came."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._text = io.StringIO()  # a million short strings would take ten times the room
        self._begun = TextBlock("")  # what the text is a part of
        self._calls: dict[str, int] = {}  # tool id → its place in _blocks

    def say(self, delta: TextDelta) -> None:
        if delta.block is not None:
            self._close_text()
            self._begun = delta.block
        self._text.write(delta.text)

    def put(self, block: Block) -> None:
        self._close_text()
        self._blocks.append(block)

    def call(self, block: ToolUseBlock) -> None:
        if block.tool_id in self._calls:
            self._blocks[self._calls[block.tool_id]] = block
        else:
            self.put(block)
            self._calls[block.tool_id] = len(self._blocks) - 1

    def message(self, status: Status, usage: Usage, started: float) -> Message:
        self._close_text()
        elapsed = time.monotonic() - started
        return Message(new_id(), "assistant", tuple(self._blocks), status, usage=usage, elapsed=elapsed)

    def _close_text(self) -> None:
        if self._text.tell():
            self._blocks.append(replace(self._begun, text=self._text.getvalue()))
            self._text = io.StringIO()
            self._begun = TextBlock("")
