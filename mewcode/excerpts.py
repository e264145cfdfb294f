"""Parts of a conversation to take away: an answer, or a block of code out of one, exactly as the model wrote it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewcode.llm.messages import Message

# Source: CommonMark 0.31: 4.1 rules, 4.2 headings, 4.5 fenced code, 5.1 quotes, 5.2 items
_FENCE = re.compile(r"(?P<indent> {0,3})(?P<mark>`{3,}(?=[^`]*\Z)|~{3,})")
_CLOSING = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})[ \t]*\Z")
_QUOTE = re.compile(r" {0,3}>")
_ITEM = re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?= |\Z)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|\Z)")
_TAB = 4


def nth_answer(messages: Sequence[Message], n: int = 1) -> str:
    """The text of the n-th answer from the end; those without text do not count. Raises: LookupError, a sentence."""
    answers = [message.text for message in messages if message.role == "assistant" and message.text.strip()]
    if not answers:
        raise LookupError("There is no answer yet.")
    if not 1 <= n <= len(answers):
        raise LookupError(f"There is no answer {n}: count from the last one, which is 1, to {len(answers)}.")
    return answers[-n]


def nth_code_block(text: str, n: int = 1) -> str:
    """The inside of the n-th fenced block of a Markdown source, without its last line end.

    Raises: LookupError, a sentence.
    """
    blocks = code_blocks(text)
    if not blocks:
        raise LookupError("There is no block of code in the answer.")
    if not 1 <= n <= len(blocks):
        raise LookupError(f"There is no block {n}: count from the first one, which is 1, to {len(blocks)}.")
    return blocks[n - 1]


def code_blocks(text: str) -> list[str]:
    """The insides of all fenced blocks; one that is never closed ends with its list item, its quote or the text."""
    reader = _read(text)
    reader.end()
    return reader.blocks


def closing_fence(text: str) -> str:
    """The line that would close the block of code in which a text ends; empty if it ends in none.

    A fence inside a list item or a quote needs none: it ends with those.
    """
    reader = _read(text)
    return reader.fence.mark if reader.fence and not reader.containers else ""


def _read(text: str) -> _Reader:
    reader = _Reader()
    for line in text.removesuffix("\n").split("\n"):
        reader.read(line)
    return reader


class _Fence(NamedTuple):
    mark: str
    indent: int


class _Reader:
    """Reads a source line by line, and knows of Markdown what decides where fenced code is.

    `containers` are the quotes (0) and list items (the columns before their content) that are open. Not known: HTML
    blocks, link definitions, and that a list which interrupts a paragraph has to begin with 1.
    """

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.containers: list[int] = []
        self.fence: _Fence | None = None
        self._lines: list[str] = []
        self._in_paragraph = False
        self._hollow = False  # the innermost container is an item that has nothing behind its mark

    def read(self, line: str) -> None:
        depth, rest, column = self._inside(line)
        if self.fence is not None:
            if depth == len(self.containers):
                self._read_code(self.fence, rest, column)
                return
            self.end()
        rest = _expanded(rest, column).removesuffix("\r")
        if self._hollow and not rest.strip():
            depth = min(depth, len(self.containers) - 1)
        if depth < len(self.containers):
            if self._in_paragraph and rest.strip() and not _begins_block(rest):
                return  # the paragraph goes on, lazily
            del self.containers[depth:]
            self._in_paragraph = False
        self._begin(self._entered(rest))

    def end(self) -> None:
        """Finish the block that is open."""
        if self.fence is not None:
            self.blocks.append("\n".join(self._lines))
            self._lines.clear()
            self.fence = None

    def _inside(self, line: str) -> tuple[int, str, int]:
        """How many of the open containers the line goes on, the rest of it, and the rest's column."""
        column = 0
        for depth, width in enumerate(self.containers):
            if width:
                blank = not line.strip()
                left, at = _without(line, column, width)
                if at - column < width and not blank:
                    return depth, line, column
                line, column = left, at
            else:
                found = _QUOTE.match(line)
                if found is None:
                    return depth, line, column
                line, column = _without(line[found.end() :], column + found.end(), 1)
        return len(self.containers), line, column

    def _read_code(self, fence: _Fence, rest: str, column: int) -> None:
        found = _CLOSING.match(rest.removesuffix("\r"))
        if found and found["mark"].startswith(fence.mark):
            self.end()
        else:
            self._lines.append(_without(rest, column, fence.indent)[0])

    def _entered(self, rest: str) -> str:
        """Open the quotes and list items that the rest of a line begins; what is in the innermost one."""
        self._hollow = False
        while not _RULE.match(rest):
            if found := _QUOTE.match(rest):
                self.containers.append(0)
                rest = rest[found.end() :].removeprefix(" ")
            elif found := _ITEM.match(rest):
                after = rest[found.end() :]
                blanks = len(after) - len(after.lstrip(" "))
                blanks = blanks if 1 <= blanks <= 4 and after.strip() else 1
                self.containers.append(found.end() + blanks)
                rest = after[blanks:]
                self._hollow = not rest.strip()
            else:
                break
            self._in_paragraph = False
        return rest

    def _begin(self, rest: str) -> None:
        if found := _FENCE.match(rest):
            self.fence = _Fence(found["mark"], len(found["indent"]))
            self._in_paragraph = False
        else:
            indented = rest.startswith(" " * 4) and not self._in_paragraph
            self._in_paragraph = not (indented or not rest.strip() or _HEADING.match(rest) or _RULE.match(rest))


def _begins_block(rest: str) -> bool:
    return any(form.match(rest) for form in (_FENCE, _QUOTE, _ITEM, _RULE, _HEADING))


def _without(line: str, column: int, width: int) -> tuple[str, int]:
    """The line without its first blanks, up to `width` columns of them, and the column where it then begins."""
    end = column + width
    while column < end and line[:1] in (" ", "\t") and line:
        step = 1 if line[0] == " " else _TAB - column % _TAB
        line = " " * max(0, column + step - end) + line[1:]
        column = min(end, column + step)
    return line, column


def _expanded(line: str, column: int) -> str:
    """The line with the tabs in front of it as blanks, and those behind a mark of a list or a quote."""
    head = re.match(r"[ \t>+*\-0-9.)]*", line)
    length = head.end() if head else 0
    return (" " * column + line[:length]).expandtabs(_TAB)[column:] + line[length:]
