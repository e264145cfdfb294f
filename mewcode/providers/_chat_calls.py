"""Tool calls of a chat stream, put together from pieces that every server cuts and numbers in its own way."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mewcode.llm.events import ToolCallDelta, ToolCallStart
from mewcode.providers._calls import complete_call
from mewcode.providers._json import number, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewcode.llm.events import Event
    from mewcode.providers._http import Json


@dataclass(slots=True)
class _Call:
    index: int | None
    tool_id: str = ""
    tool_name: str = ""
    pieces: list[str] = field(default_factory=list)
    started: bool = False


class ChatCalls:
    """A piece belongs to the call with its index; without index to the one with its id, else to the last.

    The same index with another id and a name is a new call (Ollama numbers every parallel call 0). The first
    non-empty id and name count and are never joined (Kimi repeats them, LM Studio sends "" later).
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []

    def __bool__(self) -> bool:
        return bool(self._calls)

    def merge(self, piece: Json) -> Iterator[Event]:
        call = self._find(piece)
        call.tool_id = call.tool_id or text(piece, "id")
        call.tool_name = call.tool_name or text(piece, "function", "name")
        arguments = piece.get("function", {}).get("arguments") if isinstance(piece.get("function"), dict) else None
        fragment = arguments if isinstance(arguments, str) else "" if arguments is None else json.dumps(arguments)
        if fragment:
            call.pieces.append(fragment)
        if call.started and fragment:
            yield ToolCallDelta(call.tool_id, fragment)
        elif not call.started and call.tool_id and call.tool_name:
            yield from _start(call)

    def complete(self, *, cut: bool) -> Iterator[Event]:
        """Every call, in the order in which they began. `cut`: the answer ended for want of room in the last one."""
        for call in self._calls:
            if not call.started:
                call.tool_id = call.tool_id or f"call_{secrets.token_hex(8)}"
                yield from _start(call)
            raw = "".join(call.pieces)
            yield complete_call(call.tool_id, call.tool_name, raw, cut=cut and call is self._calls[-1])

    def _find(self, piece: Json) -> _Call:
        index, tool_id, name = number(piece, "index"), text(piece, "id"), text(piece, "function", "name")
        if index is not None:
            fitting = [call for call in self._calls if call.index == index]
        elif tool_id:
            fitting = [call for call in self._calls if call.tool_id == tool_id]
        else:
            fitting = self._calls
        known = fitting[-1] if fitting else None
        if known is None or (tool_id and known.tool_id and tool_id != known.tool_id and name):
            known = _Call(index)
            self._calls.append(known)
        return known


def _start(call: _Call) -> Iterator[Event]:
    call.started = True
    yield ToolCallStart(call.tool_id, call.tool_name)
    if call.pieces:
        yield ToolCallDelta(call.tool_id, "".join(call.pieces))
