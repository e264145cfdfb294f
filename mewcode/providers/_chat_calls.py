"""Tool calls of a chat stream, put together from pieces that every server cuts and numbers in its own way."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from mewcode.llm.events import ToolCallDelta, ToolCallStart
from mewcode.providers._calls import CallIds, complete_call, is_nothing, is_whole, named, spelled
from mewcode.providers._json import dig, number, text, well_formed
from mewcode.providers._split_calls import joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewcode.llm.events import Event
    from mewcode.providers._http import Json


_EMPTY = "{}"


@dataclass(slots=True)
class _Call:
    index: int | None
    wire_id: str = ""
    tool_id: str = ""  # the id it goes by, from its start on
    tool_name: str = ""
    pieces: list[str] = field(default_factory=list)
    whole: bool = False  # it was, when the next call began
    extra: str | None = None

    @property
    def came_at_once(self) -> bool:
        """Whether its first piece held everything; what holds nothing may be a placeholder."""
        return len(self.pieces) == 1 and self.pieces[0].strip() != _EMPTY and is_whole(self.pieces[0])

    @property
    def raw(self) -> str:
        """Its arguments, without the placeholder that some gateways send before them (LiteLLM)."""
        first, *rest = self.pieces or [""]
        real = "".join(rest)
        return real if (is_nothing(first) or first.strip() == _EMPTY) and real.strip() else first + real


@dataclass(frozen=True, slots=True)
class _Piece:
    index: int | None
    wire_id: str
    name: str
    fragment: str


class ChatCalls:
    """A piece belongs to the call with its index and id; where they disagree or are missing, see `_known`.

    The first non-empty id and name count and are never joined (Kimi repeats them, LM Studio sends "" later).
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._by_index: dict[int | None, _Call] = {}
        self._ids = CallIds()

    def __bool__(self) -> bool:
        return bool(self._calls)

    def merge(self, entry: Json) -> Iterator[Event]:
        function = dig(entry, "function")
        piece = _Piece(
            number(entry, "index"), text(entry, "id"), text(function, "name"), spelled(dig(function, "arguments"))
        )
        call = self._find(piece)
        if call is None:
            return
        if extra := dig(entry, "extra_content"):
            call.extra = call.extra or json.dumps(well_formed(extra))
        if piece.name and call.pieces == [piece.fragment] and call.came_at_once:
            return  # it says once more what is known
        call.tool_name = call.tool_name or piece.name
        if piece.wire_id and not call.wire_id:
            call.wire_id = piece.wire_id
            self._by_id[piece.wire_id] = call
        if piece.fragment:
            call.pieces.append(piece.fragment)
        if call.tool_id and piece.fragment:
            yield ToolCallDelta(call.tool_id, piece.fragment)
        elif not call.tool_id and call.wire_id and call.tool_name:
            yield from self._start(call)

    def complete(self, *, cut: bool) -> Iterator[Event]:
        """Every call, in the order in which they began. `cut`: the answer ended for want of room in the last one.

        Neighbours with one index and one name may be pieces of one call, see mewcode.providers._split_calls.
        """
        for _, neighbours in groupby(self._calls, key=lambda call: (call.index, call.tool_name)):
            run = list(neighbours)
            cut_here = cut and run[-1] is self._calls[-1]
            for first, raw in joined([call.raw for call in run], cut=cut_here):
                call = run[first]
                if not call.tool_id:
                    yield from self._start(call)
                last = cut_here and first == len(run) - 1
                yield complete_call(call.tool_id, call.tool_name, raw, cut=last, extra=call.extra)

    def _find(self, piece: _Piece) -> _Call | None:
        """The call that the piece belongs to, maybe a new one; None for a piece that says nothing of a call."""
        known = self._known(piece)
        if known is not None and not _begins_another(piece, known):
            return known
        if not (piece.wire_id or piece.name or piece.fragment):
            return None
        if self._calls:
            self._calls[-1].whole = is_whole("".join(self._calls[-1].pieces))
        call = _Call(piece.index)
        self._calls.append(call)
        self._by_index[piece.index] = call
        return call

    def _known(self, piece: _Piece) -> _Call | None:
        """The call that has the piece's index or id, or the last one for a piece that fits nowhere and names nothing.

        An id beside a name decides only where the index agrees: servers that make ids from names repeat them.
        """
        last = self._calls[-1] if self._calls else None
        same, there = self._by_id.get(piece.wire_id), self._by_index.get(piece.index)
        if piece.index is None:
            there = last if last is None or not (piece.wire_id and last.wire_id) else None
        if same is not None and (not piece.name or piece.index in (None, same.index)):
            return same
        nameless = not (piece.wire_id or piece.name)
        if there is not None and not (nameless and there.whole):
            return there
        return last if nameless else None  # gateways count the start of a call and its arguments differently (Bedrock)

    def _start(self, call: _Call) -> Iterator[Event]:
        call.tool_id = self._ids.take(call.wire_id)
        yield ToolCallStart(call.tool_id, named(call.tool_name))
        if call.pieces:
            yield ToolCallDelta(call.tool_id, "".join(call.pieces))


def _begins_another(piece: _Piece, known: _Call) -> bool:
    """Servers that number every parallel call 0 tell them apart by id and name (Ollama), or send each in one piece."""
    if not piece.name:
        return False
    if known.tool_name and piece.name != known.tool_name:
        return True
    if piece.wire_id and known.wire_id and piece.wire_id != known.wire_id:
        return True
    return bool(piece.fragment) and known.came_at_once and known.pieces != [piece.fragment]
