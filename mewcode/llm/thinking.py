"""Which thinking may go back: what this model at this server thought, while everything before it is as it was.

Services sign thinking together with what it followed, so a changed prefix makes it worthless, or the request invalid.
Each answer therefore keeps a fingerprint of the request it was made from; an edit, a model or a tool more, a thought
left out before it, all show as another fingerprint. Source: Anthropic's and OpenAI's pages on reasoning, 2026-11.
"""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from mewcode.llm.messages import TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, unsealed
from mewcode.llm.pairing import without_thinking

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewcode.llm.messages import ApiMessage, Block, Origin


def own_thinking(history: Iterable[ApiMessage], origin: Origin, opening: str) -> tuple[list[ApiMessage], str]:
    """The history with only the thinking that may go back to `origin`, and the fingerprint of all that it then says.

    `opening` is what stands before the history: the system prompt and the tools. An answer without fingerprint is
    trusted; one that never was `origin`'s keeps no thinking.
    """
    prefix = _Prefix(opening)
    fitting = []
    for message in history:
        own = message.origin == origin
        sealed = own and message.prefix in (None, prefix.fingerprint)
        kept = message if sealed else _without_thinking(message if own else _without_phases(message))
        prefix.add(kept)
        fitting.append(kept)
    return fitting, prefix.fingerprint


def _without_thinking(message: ApiMessage) -> ApiMessage:
    """Without the seals at its calls, too."""
    return replace(message, blocks=tuple(map(unsealed, without_thinking(message.blocks))))


def _without_phases(message: ApiMessage) -> ApiMessage:
    """The words of one server, which another may refuse."""
    if any(isinstance(block, TextBlock) and block.phase for block in message.blocks):
        plain = (replace(block, phase=None) if isinstance(block, TextBlock) else block for block in message.blocks)
        return replace(message, blocks=tuple(plain))
    return message


class _Prefix:
    """What was said so far, as one number that grows with each message."""

    def __init__(self, opening: str) -> None:
        self._digest = blake2b(_bytes(opening), digest_size=16)

    @property
    def fingerprint(self) -> str:
        return self._digest.hexdigest()

    def add(self, message: ApiMessage) -> None:
        self._digest.update(message.role.encode())
        for block in message.blocks:
            for part in _parts(block):
                said = _bytes(part)
                self._digest.update(b"%d:" % len(said))
                self._digest.update(said)


def _parts(block: Block) -> tuple[str, ...]:
    match block:
        case TextBlock():
            return "text", block.said
        case ThinkingBlock(text, signature, redacted_data):
            return "thinking", text, signature or "", redacted_data or "", *_if_any(block.details)
        case ToolUseBlock(tool_id, name, arguments, extra):
            return "call", tool_id, name, json.dumps(arguments), *_if_any(extra)
        case ToolResultBlock(tool_id, content, is_error):
            return "result", tool_id, content, str(is_error)


def _if_any(part: str | None) -> tuple[str, ...]:
    return (part,) if part else ()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
