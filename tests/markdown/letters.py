"""Which letters of a text are missing on a screen.

A letter is anything that `str.isalnum` takes for a letter or a digit. None is lost when

1. each piece of text in the HTML that the specification expects stands on the screen, its letters in one run with no
   other letter between them, and the pieces in the order of the HTML;
2. each target, title and image description in that HTML stands on the screen, its letters in their order and, but for
   descriptions, in one run; percent-encoding and entities are undone on both sides. What an autolink adds to its own
   text (`mailto:`, `http://` before `www.`) was never written and is not asked for;
3. all letters of the source stand on the screen in the order of the source: so raw HTML, link definitions and the
   language of code are visible too. An entity counts as what it stands for unless it stands there as it was written.
   Not counted are the numbers of items (a list numbered 1, 1, 1 is counted) and the x of a task, which is a box.

Where cells of a table wrap beside each other no order is left: there each letter has to be on the screen as often as in
the HTML and in the source.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_NUMBER = re.compile(r"^([ \t>*+-]*)\d{1,9}(?=[.)])", re.MULTILINE)
_TASK = re.compile(r"^([ \t>*+-]*)\[[xX]\] ", re.MULTILINE)
_ENTITY = re.compile(r"(&#?\w{1,32};)")
_BAR = "│"


def lost(source: str, expected: str, screen: Sequence[str]) -> list[str]:
    """What is missing on the lines of a screen, a line each."""
    said = "".join(line.rstrip() for line in screen)
    page = _Page(expected)
    written = _TASK.sub(r"\1", _NUMBER.sub(r"\1", source))
    if _BAR in said:
        return [*_lost_counts("".join(page.texts), said), *_lost_counts(unescape(written), said)]
    return [*_lost_texts(page.texts, said), *_lost_targets(page, said), *_lost_letters(written, said)]


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _lost_counts(wanted: str, said: str) -> Iterator[str]:
    missing = Counter(letters(wanted)) - Counter(letters(said))
    if missing:
        yield f"letters {''.join(missing)!r}"


def _lost_texts(texts: Iterable[str], said: str) -> Iterator[str]:
    shown, at = letters(said), 0
    for text in texts:
        found = shown.find(letters(text), at)
        if found < 0:
            yield f"text {text!r}"
        else:
            at = found + len(letters(text))


def _lost_targets(page: _Page, said: str) -> Iterator[str]:
    shown = letters(said), letters(unquote(unescape(said)))
    for target in page.targets:
        if all(letters(unquote(target)) not in each for each in shown):
            yield f"target {target!r}"
    for description in page.descriptions:
        yield from _lost_letters(description, said)


def _lost_letters(wanted: str, said: str) -> Iterator[str]:
    shown, at = letters(said), 0
    for piece in _ENTITY.split(wanted):
        as_written = shown.startswith(letters(piece), at)
        for letter in letters(piece if as_written else unescape(piece)):
            at = shown.find(letter, at) + 1
            if not at:
                yield f"letter {letter!r} of {piece!r}"
                return


class _Page(HTMLParser):
    """The texts of HTML in their order, its targets and titles, and the descriptions of images."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.targets: list[str] = []
        self.descriptions: list[str] = []
        self.feed(source)
        self.close()

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self.targets and self.targets[-1].removeprefix("http://").removeprefix("mailto:") == data:
            self.targets[-1] = data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.targets += filter(None, (given.get(name) for name in ("href", "src", "title")))
        self.descriptions += filter(None, [given.get("alt")])
