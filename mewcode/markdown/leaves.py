"""Blocks that hold no others, while they are open: each takes the lines that belong to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

from mewcode.markdown.parts import Code, Heading, Literal, Paragraph, Table
from mewcode.markdown.syntax import BLANKS, FENCE, HEADING, HTML, begins, dedent, formula, indent, is_blank
from mewcode.markdown.tail import so_far

if TYPE_CHECKING:
    from mewcode.markdown.parts import Part

_TICKS = re.compile(r"[`~ \t]*")


class Open(Protocol):
    """A block that lines are still added to. `ended`: it has seen its end."""

    ended: bool

    def take(self, line: str) -> bool:
        """Add the line, or refuse it: then the block has ended before it."""

    def part(self, *, growing: bool) -> Part:
        """The block as it is. `growing`: more may come, so show only what that cannot change."""

    def copy(self) -> Open: ...


@dataclass(slots=True)
class OpenParagraph:
    """Takes any line: its reader decides what may follow it."""

    lines: list[str]
    ended: bool = False

    def take(self, line: str) -> bool:
        self.lines.append(line.strip(BLANKS))
        return True

    def part(self, *, growing: bool) -> Paragraph:
        lines = self.lines
        if growing and lines[-1].startswith("|"):
            lines = lines[:-1]  # may be the header of a table: the next line tells
        text = "\n".join(lines)
        return Paragraph(so_far(text) if growing else text)

    def copy(self) -> OpenParagraph:
        return replace(self, lines=[*self.lines])


@dataclass(slots=True)
class OpenHeading:
    """One line; open until the next, as that line may have only begun."""

    level: int
    text: str
    ended: bool = False

    def take(self, line: str) -> bool:
        return False

    def part(self, *, growing: bool) -> Heading:
        return Heading(self.level, so_far(self.text) if growing else self.text)

    def copy(self) -> OpenHeading:
        return self


@dataclass(slots=True)
class OpenFence:
    marks: str
    indent: int
    info: str
    lines: list[str]
    ended: bool = False

    def take(self, line: str) -> bool:
        mark, size = self.marks[0], len(self.marks)
        run = line.strip(BLANKS)
        self.ended = len(run) >= size and set(run) == {mark} and indent(line) < 4
        if not self.ended:
            self.lines.append(dedent(line, self.indent))
        return True

    def part(self, *, growing: bool) -> Code:
        return Code(tuple(self.lines), self.info, growing)

    def copy(self) -> OpenFence:
        return replace(self, lines=[*self.lines])

    @staticmethod
    def endless() -> OpenFence:
        """Code that no line can end."""
        return OpenFence("\n", 0, "", [])

    def begun(self, line: str) -> str | None:
        """What to show of a line without its end; None if it may yet end the block."""
        return None if _TICKS.fullmatch(line) else dedent(line, self.indent)


@dataclass(slots=True)
class OpenIndented:
    """Code by indentation; `column` is where its lines begin on the screen of the writer, for tabs."""

    lines: list[str]
    column: int
    ended: bool = False

    def take(self, line: str) -> bool:
        if not is_blank(line) and indent(line, self.column) < 4:
            return False
        self.lines.append(dedent(line, 4, self.column))
        return True

    def part(self, *, growing: bool) -> Code:
        lines = self.lines
        while lines and is_blank(lines[-1]):
            lines = lines[:-1]
        return Code(tuple(lines), growing=growing, fenced=False)

    def copy(self) -> OpenIndented:
        return replace(self, lines=[*self.lines])


@dataclass(slots=True)
class OpenLiteral:
    """HTML, or a formula until the line that holds `close`. A blank line ends both: nothing open takes all the rest."""

    lines: list[str]
    close: str | None = None
    ended: bool = False

    def take(self, line: str) -> bool:
        if is_blank(line):
            return False
        self.lines.append(line)
        self.ended = self.close is not None and self.close in line
        return True

    def part(self, *, growing: bool) -> Literal:
        return Literal("\n".join(self.lines))

    def copy(self) -> OpenLiteral:
        return replace(self, lines=[*self.lines])


@dataclass(slots=True)
class OpenTable:
    """Ends where its bars end: a line without one is no row, unlike in GFM, where a model means new text."""

    lines: list[str]
    ended: bool = False

    def take(self, line: str) -> bool:
        if "|" not in line or begins(line):
            return False
        self.lines.append(line)
        return True

    def part(self, *, growing: bool) -> Table:
        return Table(tuple(self.lines), growing)

    def copy(self) -> OpenTable:
        return replace(self, lines=[*self.lines])


OpenLeaf: TypeAlias = OpenParagraph | OpenHeading | OpenFence | OpenIndented | OpenLiteral | OpenTable


def leaf_of(line: str, column: int) -> OpenLeaf:
    """What a line begins that is neither blank nor a quote, an item or a rule."""
    if indent(line, column) >= 4:
        return OpenIndented([dedent(line, 4, column)], column)
    if found := FENCE.match(line):
        return OpenFence(found[2], len(found[1]), found[3].strip(), [])
    if found := HEADING.match(line):
        return OpenHeading(len(found[1]), found[2] or "")
    if HTML.match(line):
        return OpenLiteral([line])
    if close := formula(line):
        return OpenLiteral([line], close)
    return OpenParagraph([line.strip(BLANKS)])
