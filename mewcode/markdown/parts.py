"""Parts: the structure of a text, as `reader` finds it and `render` draws it. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """`info`: what stands after the ticks. `growing`: its end has not been seen yet. `fenced`, or else indented."""

    lines: tuple[str, ...]
    info: str = ""
    growing: bool = False
    fenced: bool = True


@dataclass(frozen=True, slots=True)
class Literal:
    """HTML and TeX, shown as they are written."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """Lines of source: header, delimiters, rows. `growing`: more rows may follow."""

    lines: tuple[str, ...]
    growing: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    pass


@dataclass(frozen=True, slots=True)
class Quote:
    parts: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list; `mark` is what stands before it, such as `7. `."""

    mark: str
    parts: tuple[Placed, ...]


Leaf: TypeAlias = Paragraph | Heading | Code | Literal | Table | Rule
Part: TypeAlias = Leaf | Quote | Item


@dataclass(frozen=True, slots=True)
class Placed:
    """A part in its place. `gap`: a blank row stands before it."""

    part: Part
    gap: bool
