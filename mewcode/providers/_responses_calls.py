"""Tool calls of a Responses stream, from the item's first event to its last, or to the answer's end without one."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mewcode.llm.events import ToolCallDelta, ToolCallStart
from mewcode.providers._calls import CallIds, complete_call, named, spelled
from mewcode.providers._json import items, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewcode.llm.events import Event, ToolCallComplete
    from mewcode.providers._http import Json

KINDS = ("function_call", "custom_tool_call")
_SAYS_NOTHING = ("", "{}")


@dataclass(slots=True)
class _Call:
    index: int | None
    item_id: str
    wire_id: str
    tool_id: str
    tool_name: str
    takes_text: bool  # a custom tool's input is plain text, here the one argument `input`
    pieces: list[str] = field(default_factory=list)
    whole: str = ""  # the arguments as an event or the item repeats them
    ended: bool = False
    cut: bool = False  # as its own item says

    def note(self, item: Json) -> None:
        """Take what the item says beyond its first event."""
        self.tool_name = self.tool_name or text(item, "name")
        given = _given(item, self)
        if given not in _SAYS_NOTHING or not self.whole:
            self.whole = given

    @property
    def raw(self) -> str:
        """The item's own arguments, unless they are but a placeholder for those that came in pieces."""
        return self.whole if self.whole not in _SAYS_NOTHING else "".join(self.pieces) or self.whole


class ResponsesCalls:
    """An event belongs to the open call with its output index, else with its item id; without both to the last one.

    The index goes first: gateways change the ids of one item between its events (GitHub Copilot).
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._ids = CallIds()

    def __bool__(self) -> bool:
        return bool(self._calls)

    def start(self, event: Json, item: Json) -> Iterator[Event]:
        if not any(_is_same(call, event, item) for call in self._calls):
            yield self._begin(event, item)

    def grow(self, event: Json, piece: str) -> Iterator[Event]:
        call = self._open(event, text(event, "item_id"))
        if call is not None and piece:
            call.pieces.append(piece)
            if not call.takes_text:
                yield ToolCallDelta(call.tool_id, piece)

    def repeat(self, event: Json) -> None:
        """Keep the arguments of the event that closes them."""
        call = self._open(event, text(event, "item_id"))
        if call is not None:
            call.whole = _given(event, call)

    def finish(self, event: Json, item: Json) -> Iterator[Event]:
        """Complete the call of a finished item, once; one of whose end nothing is said waits for the answer's."""
        same = [call for call in self._calls if _is_same(call, event, item)]
        if same and same[-1].ended:
            return
        call = same[-1] if same else self._open(event, text(item, "id"))
        if call is None or (call.index is None and _differ(call.wire_id, text(item, "call_id"))):
            yield self._begin(event, item)
            call = self._calls[-1]
        call.note(item)
        if item.get("status") is not None or call.raw not in _SAYS_NOTHING:
            call.cut = item.get("status") == "incomplete"
            yield _complete(call, cut=call.cut)

    def rest(self, response: Json, *, cut: bool) -> Iterator[Event]:
        """The calls that no event has ended, or has named. `cut`: the answer ended for want of room in the last one."""
        output = [item for item in items(response, "output") if item.get("type") in KINDS]
        if not self._calls:
            for place, item in enumerate(output):
                yield from self.finish({"output_index": place}, item)
        given = {text(item, "call_id"): item for item in output}
        for call in self._calls:
            last = call is self._calls[-1]
            if not call.ended:
                call.note(given.get(call.wire_id, {}))
                yield _complete(call, cut=cut and last)
            elif cut and last and not call.cut and call.raw in _SAYS_NOTHING:
                # vLLM calls an item completed that was cut
                yield _complete(call, cut=True, raw="")

    def _begin(self, event: Json, item: Json) -> ToolCallStart:
        call = _Call(
            index=number(event, "output_index"),
            item_id=text(item, "id"),
            wire_id=text(item, "call_id"),
            tool_id=self._ids.take(text(item, "call_id")),
            tool_name=text(item, "name"),
            takes_text=item.get("type") == "custom_tool_call",
        )
        self._calls.append(call)
        return ToolCallStart(call.tool_id, named(call.tool_name))

    def _open(self, event: Json, item_id: str) -> _Call | None:
        calls = [call for call in self._calls if not call.ended]
        index = number(event, "output_index")
        there = [call for call in calls if index is not None and call.index == index]
        same = [call for call in there or calls if item_id and call.item_id == item_id]
        fitting = same or (there if index is not None else calls)
        return fitting[-1] if fitting else None


def _given(part: Json, call: _Call) -> str:
    return spelled(part.get("input" if call.takes_text else "arguments"))


def _is_same(call: _Call, event: Json, item: Json) -> bool:
    """Whether a second event speaks of the call that is known, and not of another under the same id."""
    index, item_id = number(event, "output_index"), text(item, "id")
    if call.wire_id != text(item, "call_id"):
        return False
    if index is not None and call.index is not None:
        return index == call.index
    return item_id == call.item_id if item_id or call.item_id else bool(call.wire_id)


def _differ(one: str, other: str) -> bool:
    return bool(one and other and one != other)


def _complete(call: _Call, *, cut: bool, raw: str | None = None) -> ToolCallComplete:
    call.ended = True
    raw = call.raw if raw is None else raw
    if call.takes_text:
        raw = json.dumps({"input": raw})
        raw = raw.removesuffix('"}') if cut else raw
    return complete_call(call.tool_id, call.tool_name, raw, cut=cut)
