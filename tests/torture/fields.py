"""The fields of a JSON value: where each of them is, and the value again with one of them changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Path: TypeAlias = tuple[str | int, ...]


def fields(value: Any) -> Iterator[Path]:
    """Each place in an object or list, at any depth; not the whole itself."""
    children: list[tuple[str | int, Any]] = []
    match value:
        case dict():
            children = list(value.items())
        case list():
            children = list(enumerate(value))
    for key, child in children:
        yield (key,)
        for path in fields(child):
            yield (key, *path)


def strings(value: Any) -> Iterator[Path]:
    """The places that hold a string."""
    return (path for path in fields(value) if isinstance(at(value, path), str))


def at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def replaced(value: Any, path: Path, new: Any) -> Any:
    """Another value, the same but for one field."""
    key, *rest = path
    changed = value.copy()
    changed[key] = replaced(value[key], tuple(rest), new) if rest else new
    return changed


def removed(value: Any, path: Path) -> Any:
    """Another value without one field, or without one item of a list."""
    *parents, key = path
    if parents:
        return replaced(value, tuple(parents), removed(at(value, tuple(parents)), (key,)))
    changed = value.copy()
    del changed[key]
    return changed
