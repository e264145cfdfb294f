"""A YAML document as a tree of located values: the subset of YAML 1.2 that a config needs.

No tags, anchors, aliases, merge keys or directives: what they could do to a reader is not needed here. This does not
know which keys there are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ruamel.yaml.events import (
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from mewcode.config.place import Place
from mewcode.config.syntax import parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ruamel.yaml.events import Event

    from mewcode.config.source import Source

_DEEPEST = 10


@dataclass(frozen=True, slots=True)
class Scalar:
    value: str | bool | int | float | None
    place: Place


@dataclass(frozen=True, slots=True)
class Items:
    nodes: tuple[Node, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Entry:
    """One `key: value`; `place` is the key's."""

    value: Node
    place: Place


@dataclass(frozen=True, slots=True)
class Table:
    entries: dict[str, Entry]
    place: Place


Node: TypeAlias = Scalar | Items | Table


def read_document(source: Source) -> Node:
    """The one document of the source; an empty one is a Scalar of None. Raises: ConfigError."""
    events = parse(source)
    root: Node = Scalar(None, Place(source.path))
    seen = False
    for event in events:
        match event:
            case DocumentStartEvent():
                place = _place(event, source.path)
                if seen:
                    raise place.error("a second document begins here: keep one, and remove the line `---` or `...`")
                if event.version or event.tags:
                    raise place.error("lines that begin with `%` are not supported: remove them")
                seen = True
                root = _node(next(events), events, source.path, 1)
            case _:
                pass  # begin and end of the stream and of the document
    return root


def nameable(key: str) -> bool:
    """Whether a key of the file may be shown: a word like those of the schema, not a pasted secret."""
    return re.fullmatch(r"[A-Za-z_-]{1,30}", key) is not None


def _node(event: Event, events: Iterator[Event], path: Path, depth: int) -> Node:
    place = _place(event, path)
    if depth > _DEEPEST:
        raise place.error("the brackets or lists are nested too deeply: a config needs no more than four levels")
    match event:
        case ScalarEvent() | SequenceStartEvent() | MappingStartEvent() if event.anchor is not None:
            raise place.error("anchors (`&name`) are not supported: remove it, or put the value in quotes")
        case ScalarEvent() | SequenceStartEvent() | MappingStartEvent() if event.ctag is not None:
            raise place.error("tags (`!name`) are not supported: remove it, or put the value in quotes")
        case SequenceStartEvent():
            return Items(tuple(_items(events, path, depth)), place)
        case MappingStartEvent():
            return Table(_entries(events, path, depth), place)
        case ScalarEvent():
            return Scalar(_checked(event.value, event.style is None, place), place)
        case _:
            raise place.error("aliases (`*name`) are not supported: write the value out, or put it in quotes")


def _items(events: Iterator[Event], path: Path, depth: int) -> Iterator[Node]:
    for event in events:
        match event:
            case SequenceEndEvent():
                return
            case _:
                yield _node(event, events, path, depth + 1)


def _entries(events: Iterator[Event], path: Path, depth: int) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for event in events:
        match event:
            case MappingEndEvent():
                break
            case ScalarEvent():
                place = _place(event, path)
                key = event.value
                if key in entries:
                    name = f"`{key}`" if nameable(key) else "this key"
                    raise place.error(f"{name} is here twice, first in line {entries[key].place.line}: remove one")
                _node(event, events, path, depth + 1)  # a key may have no tag or anchor either
                entries[key] = Entry(_node(next(events), events, path, depth + 1), place)
            case _:
                raise _place(event, path).error("a key must be a plain word: put the text before `:` in quotes")
    return entries


def _checked(text: str, plain: bool, place: Place) -> str | bool | int | float | None:
    if re.search("[\ud800-\udfff]", text):
        raise place.error("a `\\u` escape here is half of a character: write the character itself")
    return _resolved(text) if plain else text


def _resolved(text: str) -> str | bool | int | float | None:
    """A plain scalar's value. Source: YAML 1.2.2, 10.3.2 core schema, so `yes` and dates are text and `010` is ten."""
    if re.fullmatch(r"null|Null|NULL|~|", text):
        return None
    if re.fullmatch(r"true|True|TRUE|false|False|FALSE", text):
        return text.lower() == "true"
    if re.fullmatch(r"[-+]?[0-9]{1,18}", text):
        return int(text)
    if re.fullmatch(r"0o[0-7]{1,18}|0x[0-9a-fA-F]{1,18}", text):
        return int(text, 0)
    if re.fullmatch(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", text):
        return float(re.sub(r"\.(?=[inIN])", "", text))
    return text


def _place(event: Event, path: Path) -> Place:
    return Place(path, event.start_mark.line + 1, event.start_mark.column + 1)
