"""Reading JSON that nobody has checked: a field may be missing, null, or of another type."""

from __future__ import annotations

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
    """The whole number there, else None; a bool is no number."""
    found = dig(value, *path)
    return int(found) if isinstance(found, (int, float)) and not isinstance(found, bool) else None


def items(value: Any, *path: str) -> list[dict[str, Any]]:
    """The objects of the list there, else none."""
    found = dig(value, *path)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
