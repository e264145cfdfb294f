"""Tool calls as they end: arguments parsed once, and never guessed."""

from __future__ import annotations

import json
import math
import secrets
from typing import TYPE_CHECKING, Any

from mewcode.errors import ToolArgumentsError
from mewcode.llm.events import ToolCallComplete
from mewcode.llm.pairing import UNKNOWN_TOOL
from mewcode.providers._json import well_formed

if TYPE_CHECKING:
    from mewcode.providers._http import Json

_DEPTH = 100  # no tool asks for more, and what is much deeper breaks every walk through it
_DIGITS = 1000  # Python itself refuses a number of more than 4,300


class CallIds:
    """Ids for the calls of one answer: the server's own, and a new one where that is missing or came before."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, given: str) -> str:
        tool_id = given if given.strip() and given not in self._taken else f"call_{secrets.token_hex(8)}"
        self._taken.add(tool_id)
        return tool_id


def named(tool_name: str) -> str:
    """The name under which a call is kept: no service takes one without."""
    return tool_name if tool_name.strip() else UNKNOWN_TOOL


def spelled(arguments: Json) -> str:
    """Arguments as text: some servers send an object instead of its JSON."""
    match arguments:
        case str():
            return arguments
        case None:
            return ""
    return json.dumps(arguments)


def complete_call(
    tool_id: str, tool_name: str, raw: str, *, cut: bool = False, extra: str | None = None
) -> ToolCallComplete:
    """The finished call. No text at all means no arguments, unless the answer was cut there."""
    try:
        if not tool_name.strip():
            raise ValueError("the call names no tool")
        return ToolCallComplete(tool_id, tool_name, _arguments(raw, cut=cut), extra=extra)
    except ValueError as error:
        return ToolCallComplete(tool_id, named(tool_name), None, ToolArgumentsError(raw, str(error)), extra)


def is_nothing(raw: str) -> bool:
    """Whether these are no arguments at all; null says the same as no text."""
    return raw.strip() in ("", "null")


def is_whole(raw: str) -> bool:
    """Whether this is an object's JSON to its end."""
    return complete_call("", "any", raw, cut=True).error is None


def _arguments(raw: str, *, cut: bool) -> dict[str, Any]:
    if is_nothing(raw) and not cut:
        return {}
    try:
        arguments = json.loads(
            raw, object_pairs_hook=_object, parse_int=_whole_number, parse_float=_number, parse_constant=_no_number
        )
    except RecursionError:
        raise ValueError("they are nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError("they were cut off" if cut else str(error)) from None
    if not isinstance(arguments, dict):
        raise ValueError("they are not an object")
    return {well_formed(name): _sound(value, _DEPTH) for name, value in arguments.items()}


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two values under one name nobody can tell which was meant: readers differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name in them comes twice")
    return found


def _whole_number(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError("a number in them is too long")
    return int(digits)


def _number(digits: str) -> float:
    """Python reads 1e999 as infinity, which could not be sent back."""
    number = float(digits)
    if math.isinf(number):
        raise ValueError("a number in them is too large")
    return number


def _no_number(name: str) -> float:
    raise ValueError(f"{name} in them is no JSON")


def _sound(value: Any, depth: int) -> Any:
    """The value with every text well formed. Raises: ValueError when it is deeper than `depth`."""
    if depth == 0:
        raise ValueError("they are nested too deeply")
    match value:
        case dict():
            return {well_formed(name): _sound(held, depth - 1) for name, held in value.items()}
        case list():
            return [_sound(held, depth - 1) for held in value]
        case str():
            return well_formed(value)
    return value
