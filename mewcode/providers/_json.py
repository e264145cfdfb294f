"""Reading JSON that nobody has checked: a field may be missing, null, or of another type."""

from __future__ import annotations

import math
from typing import Any


def dig(value: Any, *path: str) -> Any:
    """value[path[0]][path[1]]…, or None when a step is missing."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def text(value: Any, *path: str) -> str:
    """The string there, else the empty one."""
    found = dig(value, *path)
    return found if isinstance(found, str) else ""


def number(value: Any, *path: str) -> int | None:
    """The whole number there, else None: no count or place is below 0, a bool is no number, nor is infinity."""
    found = dig(value, *path)
    if type(found) is int:  # nearly always; the questions below take three times as long
        return found if found >= 0 else None
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not math.isfinite(found) or found < 0:
        return None
    return int(found)


def items(value: Any, *path: str) -> list[dict[str, Any]]:
    """The objects of the list there, else none."""
    found = dig(value, *path)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def well_formed(value: Any) -> Any:
    """A text, or every text in lists and dicts, with pairs of surrogates joined and lone ones as U+FFFD.

    A server's JSON may hold half a character, and so may a command line; neither can be encoded.
    """
    match value:
        case str():
            if value.isascii():
                return value
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case dict():
            return {well_formed(key): well_formed(held) for key, held in value.items()}
        case list():
            return [well_formed(held) for held in value]
    return value
