"""Tool calls as they end: arguments parsed once, and never guessed."""

from __future__ import annotations

import json
from typing import Any

from mewcode.errors import ToolArgumentsError
from mewcode.llm.events import ToolCallComplete


def complete_call(tool_id: str, tool_name: str, raw: str, *, cut: bool = False) -> ToolCallComplete:
    """The finished call. No text at all means no arguments, unless the answer was cut there."""
    try:
        return ToolCallComplete(tool_id, tool_name, _arguments(raw, cut=cut))
    except ValueError as error:
        return ToolCallComplete(tool_id, tool_name, None, ToolArgumentsError(raw, str(error)))


def _arguments(raw: str, *, cut: bool) -> dict[str, Any]:
    if not raw.strip():
        if cut:
            raise ValueError("they were cut off")
        return {}
    try:
        arguments = json.loads(raw)
    except RecursionError:
        raise ValueError("they are nested too deeply") from None
    if not isinstance(arguments, dict):
        raise ValueError("they are not an object")
    return arguments
