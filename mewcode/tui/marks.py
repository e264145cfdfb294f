"""What stands in the composer for text that a terminal may not get as it is, or that is too long to be shown."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import urwid
from urwid.str_util import calc_width
from urwid.util import get_encoding

from mewcode.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from urwid.widget.constants import Align, WrapMode

Segment: TypeAlias = "tuple[int, int, int | bytes] | tuple[int, int | None]"
Mark: TypeAlias = tuple[int, str]  # where a character stands, and what is shown in its place

_NO_BREAK = "\xa0"


def unsafe(text: str) -> list[Mark]:
    """The characters of foreign text that `clean` would replace, with their marks."""
    shown = clean(text)
    if shown == text:
        return []
    marks, there = [], 0
    for place, character in enumerate(text):
        if shown.startswith(character, there):  # no mark begins with what it replaces
            there += len(character)
        else:
            mark = clean(character)
            marks.append((place, mark))
            there += len(mark)
    return marks


class _Piece(NamedTuple):
    drawn: int  # where it begins in what is drawn
    place: int  # and in the text
    marked: bool


class MarkedLayout(urwid.StandardTextLayout):
    """Draws marks; every place is still one of the text, so that the cursor goes over a mark in one step.

    The last column is left to the cursor, which would stand on the last character of a full row otherwise (urwid 5.1).
    """

    def __init__(self, marks: Callable[[str], Sequence[Mark]]) -> None:
        super().__init__()
        self._marks = marks

    def layout(
        self,
        text: str | bytes,
        width: int,
        align: Literal["left", "center", "right"] | Align,
        wrap: Literal["any", "space", "clip", "ellipsis"] | WrapMode,
    ) -> list[list[Segment]]:
        width = max(1, width - 1)
        marks = self._marks(str(text))
        if not marks:
            return super().layout(text, width, align, wrap)
        drawn, pieces = _drawn(str(text), marks, width)
        lines = super().layout(drawn, width, align, wrap)
        return [[part for segment in line for part in _placed(segment, drawn, pieces)] for line in lines]


def _drawn(text: str, marks: Sequence[Mark], width: int) -> tuple[str, list[_Piece]]:
    drawn, pieces, end = "", [], 0
    for place, mark in marks:
        pieces += [_Piece(len(drawn), end, False), _Piece(len(drawn) + place - end, place, True)]
        drawn += text[end:place] + mark[:width].replace(" ", _NO_BREAK)
        end = place + 1
    pieces.append(_Piece(len(drawn), end, False))
    return drawn + text[end:], pieces


def _placed(segment: Segment, drawn: str, pieces: Sequence[_Piece]) -> Iterator[Segment]:
    """A segment of what is drawn, as segments of the text. Source: urwid 5.1, text_layout.LayoutSegment."""
    match segment:
        case (columns, None):
            yield (columns, None)
        case (columns, int(start)):
            yield (columns, _place(start, pieces))
        case (columns, int(start), bytes(words)):
            yield (columns, _place(start, pieces), words)
        case (_, int(start), int(end)):
            yield from _parts(start, end, drawn, pieces)


def _parts(start: int, end: int, drawn: str, pieces: Sequence[_Piece]) -> Iterator[Segment]:
    number = bisect_right(pieces, start, key=lambda piece: piece.drawn) - 1
    while start < end:
        piece = pieces[number]
        stop = min(end, pieces[number + 1].drawn) if number + 1 < len(pieces) else end
        if columns := calc_width(drawn, start, stop):
            if piece.marked:
                words = drawn[start:stop].replace(_NO_BREAK, " ")
                yield (columns, piece.place, words.encode(get_encoding(), "replace"))
            else:
                yield (columns, piece.place + start - piece.drawn, piece.place + stop - piece.drawn)
        start, number = stop, number + 1


def _place(drawn: int, pieces: Sequence[_Piece]) -> int:
    piece = pieces[bisect_right(pieces, drawn, key=lambda piece: piece.drawn) - 1]
    return piece.place if piece.marked else piece.place + drawn - piece.drawn
