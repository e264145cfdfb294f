"""Markdown to blocks: what each part of a text looks like. No widths (`table`, `tui.rows`), no widgets.

Everything is decided where it stands, so that a growing text can be rendered in parts: link definitions and footnotes
stay in the text as they were written, and HTML is text. Line breaks are kept.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from mewcode.markdown.blocks import BLANK, Align, AnyBlock, Block, Lead, Markup, TableBlock, joined
from mewcode.markdown.inline import cell, inline
from mewcode.markdown.lines import lines_of
from mewcode.markdown.parts import Code, Heading, Item, Leaf, Literal, Paragraph, Placed, Quote, Rule, Table
from mewcode.markdown.reader import Reader
from mewcode.markdown.syntax import cells

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_QUOTE = Lead("  ", "md.quote", every_row=True)  # an indent: a bar would be copied with the text by a mouse
_RULE = Block(("md.rule", "─" * 12), wrap="any")
_TASK = re.compile(r"\[([ xX])\][ \t]+(?=\S)")


def render(text: str) -> list[AnyBlock]:
    """A whole text. Foreign text: it is cleaned here."""
    reader = Reader()
    for line, _ in lines_of(text, whole=True):
        reader.feed(line)
    return list(blocks_of(reader.end(), leaf_blocks))


def blocks_of(parts: Iterable[Placed], leaf: Callable[[Leaf], list[AnyBlock]]) -> Iterator[AnyBlock]:
    """The parts with their gaps. `leaf` says what a part looks like that holds no others."""
    for placed in parts:
        blocks = _blocks(placed, leaf)
        if blocks and placed.gap:
            yield BLANK
        yield from blocks


def _blocks(placed: Placed, leaf: Callable[[Leaf], list[AnyBlock]]) -> list[AnyBlock]:
    match placed.part:
        case Quote(parts=parts):
            return [_quoted(block) for block in blocks_of(parts, leaf)]
        case Item(mark=mark, parts=parts):
            mark, parts = _with_task(mark, parts)
            return list(_item(mark, list(blocks_of(parts, leaf))))
        case other:
            return leaf(other)


def leaf_blocks(leaf: Leaf) -> list[AnyBlock]:
    match leaf:
        case Paragraph(text=""):
            return []  # it has only begun
        case Paragraph(text=text):
            return [Block(inline(text))]
        case Heading(level=level, text=text):
            return [Block(("md.heading", joined(["#" * level + " ", inline(text)])))]
        case Code():
            return [*_code(leaf)]
        case Literal(text=text):
            return [Block(text)]
        case Table(growing=True, lines=lines):
            return [_waiting(len(lines) - 2)]
        case Table(lines=lines):
            return [_table(lines)]
        case Rule():
            return [_RULE]


def _code(code: Code) -> Iterator[Block]:
    """A block a line, so that a growing listing changes only at its end."""
    yield from code_label(code.info)
    lines: Iterable[Markup] = code.lines
    if not code.growing and code.info:
        from mewcode.markdown.highlight import highlighted  # Pygments: only when there is code to colour

        lines = highlighted(code.lines, code.info)
    yield from map(code_line, lines)


def code_label(info: str) -> list[Block]:
    """The line above code: its language, or whatever else was written there, such as a file name."""
    return [Block(("md.rule", f"{info}:"))] if info else []


def code_line(line: Markup) -> Block:
    return Block(("md.code", line), wrap="any")


def _quoted(block: AnyBlock) -> AnyBlock:
    if block == BLANK:
        return block
    block = replace(block, leads=(_QUOTE, *block.leads))
    match block:
        case Block(markup=markup):
            return replace(block, markup=("md.quote", markup))
        case TableBlock():
            return block


def _with_task(mark: str, parts: tuple[Placed, ...]) -> tuple[str, tuple[Placed, ...]]:
    """An item's mark and parts, the box of a task moved from the text into the mark."""
    match parts:
        case (Placed(part=Paragraph(text=text)), *rest) if box := _TASK.match(text):
            bullet = "" if mark == "• " else mark
            task = Placed(Paragraph(text[box.end() :]), gap=False)
            return bullet + ("☐ " if box[1] == " " else "☑ "), (task, *rest)
    return mark, parts


def _item(mark: str, blocks: list[AnyBlock]) -> Iterator[AnyBlock]:
    first, rest = Lead(mark, "md.bullet"), Lead(" " * len(mark), "md.bullet")
    for position, block in enumerate(blocks or [BLANK]):
        if position and block == BLANK:
            yield block
        else:
            yield replace(block, leads=(rest if position else first, *block.leads))


def _waiting(rows: int) -> Block:
    """What stands for a table until its last row is known: each row may change how wide all columns are.

    Its lines as they are written would be set a second time, with their bars in other places.
    """
    count = {0: "", 1: ": 1 row so far"}.get(rows, f": {rows} rows so far")
    return Block(("md.table", f"table{count}"))


def _table(lines: Iterable[str]) -> TableBlock:
    header, delimiters, *body = map(cells, lines)
    columns = max(map(len, (header, delimiters, *body)))
    first, *rows = (tuple(map(cell, _filled(row, columns))) for row in (header, *body))
    return TableBlock(first, tuple(rows), tuple(map(_align, _filled(delimiters, columns))))


def _filled(row: list[str], columns: int) -> list[str]:
    return row + [""] * (columns - len(row))


def _align(delimiter: str) -> Align:
    if delimiter.endswith(":"):
        return "center" if delimiter.startswith(":") else "right"
    return "left"
