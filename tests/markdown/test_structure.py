"""The blocks that the reader finds are those of the specifications' HTML.

But for what is text here: HTML, and what defines a link. Examples with these are left out, and three where we differ.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TypeAlias

import pytest

from mewcode.markdown.lines import lines_of
from mewcode.markdown.parts import Code, Heading, Item, Literal, Paragraph, Placed, Quote, Rule, Table
from mewcode.markdown.reader import Reader
from tests.markdown.spec import NAMES, Example, examples

Tree: TypeAlias = "list[str | tuple[str, Tree]]"

_AS_TEXT = re.compile(r"<[a-zA-Z/!?]|\]:")
_CONTAINERS = {"blockquote": "quote", "li": "item"}
_LEAVES = {"p", "pre", "hr", "table", *(f"h{level}" for level in range(1, 7))}
DIFFERENT = {
    "10) foo\n   - bar\n": "below a number of two digits a list may be indented by three",
    "| abc | def |\n| --- |\n| bar |\n": "a table whose delimiters are too few is one",
    "| abc | def |\n| --- | --- |\n| bar | baz |\nbar\n\nbar\n": "a line without a bar is no row",
}


def tree(parts: list[Placed] | tuple[Placed, ...]) -> Tree:
    return [_named(placed) for placed in parts]


def _named(placed: Placed) -> str | tuple[str, Tree]:
    match placed.part:
        case Quote(parts=parts):
            return "quote", tree(parts)
        case Item(parts=parts):
            return "item", tree(parts)
        case Heading(level=level):
            return f"h{level}"
        case Paragraph():
            return "p"
        case Code():
            return "pre"
        case Rule():
            return "hr"
        case Table():
            return "table"
        case Literal(text=text):
            return text


class _Expected(HTMLParser):
    """The tree of HTML; text that stands in an item without a paragraph of its own is one."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self._open: list[Tree] = [[]]
        self._in_leaf = False
        self.feed(source)
        self.close()

    @property
    def tree(self) -> Tree:
        return self._open[0]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if name := _CONTAINERS.get(tag):
            self._open.append([])
            self._open[-2].append((name, self._open[-1]))
            self._in_leaf = False
        elif tag in _LEAVES:
            self._open[-1].append(tag)
            self._in_leaf = tag != "hr"
        elif tag in ("ul", "ol"):
            self._in_leaf = False

    def handle_endtag(self, tag: str) -> None:
        if tag in _CONTAINERS:
            self._open.pop()
        if tag in _LEAVES or tag in _CONTAINERS:
            self._in_leaf = False

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._in_leaf:
            self._open[-1].append("p")
            self._in_leaf = True


def read(source: str) -> Tree:
    reader = Reader()
    for line, _ in lines_of(source, whole=True):
        reader.feed(line)
    return tree(reader.end())


@pytest.mark.parametrize(("name", "at_least"), [("commonmark", 450), ("gfm", 465)])
def test_blocks_are_those_of_the_specification(name: str, at_least: int):
    compared = [
        each for each in examples(name) if not _AS_TEXT.search(each.markdown) and each.markdown not in DIFFERENT
    ]
    assert [each for each in compared if read(each.markdown) != _Expected(each.html).tree] == []
    assert len(compared) >= at_least


@pytest.mark.parametrize("source", DIFFERENT)
def test_where_blocks_differ_it_is_on_purpose(source: str):
    (example,) = {each.markdown: each for name in NAMES for each in examples(name) if each.markdown == source}.values()
    assert isinstance(example, Example)
    assert read(source) != _Expected(example.html).tree
