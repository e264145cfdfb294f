"""Tables within a width: columns shared by all rows, cells that wrap, a list where it is too narrow for columns.

Not here: how a table is read (`render`), and what a character measures (the caller knows its terminal).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from mewcode.markdown.blocks import BLANK, Align, Block, Markup, TableBlock, runs, text_of

Measure: TypeAlias = Callable[[str], int]

_BAR = ("md.table", " │ ")  # between columns only: a frame would be copied with the text by a mouse
_NARROWEST = 6
"""Columns of the screen: what a column may be squeezed to; three Chinese characters."""


def layout(table: TableBlock, width: int, measure: Measure) -> list[Block]:
    """One block a line, none wider than width; without the table's leads, beside which it has that width.

    A character wider than the width still gets its line. `measure`: columns of a string.
    """
    natural = [_natural(column, measure) for column in zip(table.header, *table.rows, strict=True)]
    widths = _fitted(natural, width - 3 * (len(natural) - 1))
    if widths is None:
        return list(_listed(table, width, measure))
    header: tuple[Markup, ...] = tuple(("md.strong", cell) for cell in table.header)
    header_lines, *bodies = [list(_lines(row, widths, table.aligns, measure)) for row in (header, *table.rows)]
    rule = Block(("md.table", "─┼─".join("─" * column for column in widths)), wrap="any")
    wrapped = any(len(lines) > 1 for lines in bodies)
    blocks = [*header_lines, rule]
    for position, lines in enumerate(bodies):
        blocks += [rule, *lines] if wrapped and position else lines
    return blocks


def _natural(column: tuple[Markup, ...], measure: Measure) -> int:
    return max(1, *(measure(line) for cell in column for line in text_of(cell).split("\n")))


def _fitted(natural: list[int], room: int) -> list[int] | None:
    """The widths that fit into room: the widest columns give way first, all to the same width."""
    if sum(natural) <= room:
        return natural
    level = room
    open_columns = len(natural)
    for position, column in enumerate(sorted(natural)):
        open_columns = len(natural) - position
        level = room // open_columns
        if column > level:
            break
        room -= column
    if level < _NARROWEST:
        return None
    spare = room - level * open_columns
    widths = []
    for column in natural:
        extra = column > level and spare > 0
        spare -= extra
        widths.append(min(column, level + extra))
    return widths


def _lines(row: tuple[Markup, ...], widths: list[int], aligns: tuple[Align, ...], measure: Measure) -> Iterator[Block]:
    cells = [_wrapped(cell, width, measure) for cell, width in zip(row, widths, strict=True)]
    for line in range(max(map(len, cells))):
        parts: list[Markup] = []
        for cell, width, align in zip(cells, widths, aligns, strict=True):
            text = cell[line] if line < len(cell) else ""
            parts += [_BAR, *_aligned(text, width - measure(text_of(text)), align)]
        if not text_of(parts[-1]).strip():
            parts.pop()  # nothing stands right of the last column
        yield Block(parts[1:] or "", wrap="any")


def _aligned(text: Markup, spare: int, align: Align) -> list[Markup]:
    left = {"left": 0, "center": spare // 2, "right": spare}[align]
    return [part for part in (" " * left, text, " " * (spare - left)) if part]


def _listed(table: TableBlock, width: int, measure: Measure) -> Iterator[Block]:
    for position, row in enumerate(table.rows or (("",) * len(table.header),)):
        if position:
            yield BLANK
        for head, cell in zip(table.header, row, strict=True):
            line: Markup = [("md.strong", head), ": ", cell] if text_of(head) else cell
            for part in _wrapped(line, max(width, 1), measure):
                yield Block(part, wrap="any")


def _wrapped(markup: Markup, width: int, measure: Measure) -> list[Markup]:
    """The markup in lines of at most width columns."""
    pieces = [(styles, text) for styles, text in runs(markup) if text]
    spans = list(_spans("".join(text for _, text in pieces), width, measure))
    lines: list[list[Markup]] = [[] for _ in spans]
    position = index = 0
    for styles, text in pieces:
        stop = position + len(text)
        while index < len(spans) and spans[index][0] < stop:
            start, end = spans[index]
            if part := text[max(start - position, 0) : max(end - position, 0)]:
                lines[index].append(_styled(part, styles))
            if end > stop:
                break
            index += 1
        position = stop
    return [line[0] if len(line) == 1 else line or "" for line in lines]


def _styled(text: str, styles: tuple[str, ...]) -> Markup:
    markup: Markup = text
    for style in reversed(styles):
        markup = (style, markup)
    return markup


def _spans(text: str, width: int, measure: Measure) -> Iterator[tuple[int, int]]:
    """Start and end of each line: broken at newlines, at spaces, and within words that are too long."""
    offset = 0
    for line in text.split("\n"):
        start, end = 0, len(line)
        while end - start > 0 and (cut := _fit(line, start, width, measure)) < end:
            space = line.rfind(" ", start + 1, cut + 1)
            stop = space if space > start else cut
            yield offset + start, offset + stop
            start = stop + (space > start)
        yield offset + start, offset + end
        offset += end + 1


def _fit(line: str, start: int, width: int, measure: Measure) -> int:
    """Where the longest part from start on ends that fits, no character cut in two; one at least."""
    limit = min(len(line), start + 4 * width + 16)
    if (head := line[start : start + width + 1]).isascii():
        return start + min(len(head), width)
    end = start + 1
    while end < limit and measure(line[start : end + 1]) <= width:
        end += 1
    whole = end
    while end > start + 1 and not _separable(line, start, end, measure):
        end -= 1
    return end if _separable(line, start, end, measure) else whole


def _separable(line: str, start: int, end: int, measure: Measure) -> bool:
    """Whether what stands at end begins a new character: both sides measure what they measure together."""
    after = line[end : end + 8]
    return not after or (
        measure(after[0]) > 0 and measure(line[start:end]) + measure(after) == measure(line[start : end + 8])
    )
