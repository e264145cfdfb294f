"""Blocks: what Markdown becomes, one row of the transcript each. Values only; `tui.rows` draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Markup: TypeAlias = "str | tuple[str, Markup] | list[Markup]"
"""Text, (style, markup), or a list of these: urwid's form of markup."""

Align: TypeAlias = Literal["left", "center", "right"]


@dataclass(frozen=True, slots=True)
class Lead:
    """What stands left of a block's first row, or of every row; other rows are indented by its width."""

    text: str
    style: str
    every_row: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    markup: Markup
    leads: tuple[Lead, ...] = ()
    wrap: Literal["space", "any"] = "space"


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table, laid out when its width is known. Header, aligns and every row have the same length."""

    header: tuple[Markup, ...]
    rows: tuple[tuple[Markup, ...], ...]
    aligns: tuple[Align, ...]
    leads: tuple[Lead, ...] = ()


AnyBlock: TypeAlias = Block | TableBlock

BLANK = Block("")


def runs(markup: Markup, styles: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The markup as (styles, text), outermost style first."""
    match markup:
        case str():
            yield styles, markup
        case tuple():
            style, inner = markup
            yield from runs(inner, (*styles, style))
        case _:
            for part in markup:
                yield from runs(part, styles)


def text_of(markup: Markup) -> str:
    return "".join(text for _, text in runs(markup))


def joined(parts: Iterable[Markup]) -> Markup:
    """The parts as one markup in its shortest form: neighbouring texts are one."""
    flat: list[Markup] = []
    for part in parts:
        for piece in part if type(part) is list else [part]:
            if type(piece) is str and flat and type(flat[-1]) is str:
                flat[-1] += piece
            elif piece:
                flat.append(piece)
    return flat[0] if len(flat) == 1 else flat or ""
