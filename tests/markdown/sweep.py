"""Every example of the specifications through the rows of the chat, at four widths."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mewcode.markdown.render import render
from mewcode.tui.rows import columns, rows_of
from tests.markdown.letters import lost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.markdown.spec import Example

WIDTHS = (20, 40, 80, 200)


@dataclass(slots=True)
class Sweep:
    """What came of it; each list says which example at which width."""

    rendered: int = 0
    exceptions: list[str] = field(default_factory=list)
    wide_rows: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        return [*self.exceptions, *self.wide_rows, *self.lost]


def drawn(source: str, width: int) -> list[str]:
    """The lines of the rows' canvases."""
    return [line.decode() for row in rows_of(render(source)) for line in row.render((width,)).text]


def sweep(examples: Iterable[Example], draw: Callable[[str, int], list[str]] = drawn) -> Sweep:
    result = Sweep()
    for example in examples:
        for width in WIDTHS:
            _try(example, width, draw, result)
    return result


def _try(example: Example, width: int, draw: Callable[[str, int], list[str]], result: Sweep) -> None:
    place = f"{example.name}, {width} columns"
    result.rendered += 1
    try:
        screen = draw(example.markdown, width)
    except Exception as error:
        result.exceptions.append(f"{place}: {type(error).__name__}: {error}")
        return
    result.wide_rows += [f"{place}: {line!r}" for line in screen if columns(line) > width]
    result.lost += [f"{place}: {what}" for what in lost(example.markdown, example.html, screen)]
