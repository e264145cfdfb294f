"""What a section of the benchmark finds, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Promise:
    """At most so many times the figure of a baseline."""

    ratio: float
    baseline: str

    def __str__(self) -> str:
        return f"≤ {self.ratio:g} × {self.baseline}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A value, and the same baselines' values measured in the same run. Without a promise it is there to compare."""

    section: str
    what: str
    value: float
    unit: str
    baselines: Mapping[str, float]
    promise: Promise | None = None

    def ratio(self, baseline: str) -> float:
        return self.value / self.baselines[baseline]

    @property
    def holds(self) -> bool:
        return self.promise is None or self.ratio(self.promise.baseline) <= self.promise.ratio


def to_json(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    return [
        {
            "section": figure.section,
            "what": figure.what,
            "value": round(figure.value, 3),
            "unit": figure.unit,
            "ratios": {name: round(figure.ratio(name), 3) for name in figure.baselines},
            "promise": figure.promise and str(figure.promise),
            "holds": figure.holds,
        }
        for figure in figures
    ]


def to_table(figures: Sequence[Figure]) -> str:
    """One table a section, in Markdown; the baselines are columns."""
    sections = dict.fromkeys(figure.section for figure in figures)
    return "\n\n".join(_section([figure for figure in figures if figure.section == name]) for name in sections)


def _section(figures: Sequence[Figure]) -> str:
    baselines = list(dict.fromkeys(name for figure in figures for name in figure.baselines))
    head = [figures[0].section, figures[0].unit, *(f"× {name}" for name in baselines), "promise", "holds"]
    rows = [
        [
            figure.what,
            f"{figure.value:.1f}",
            *(f"{figure.ratio(name):.2f}" if name in figure.baselines else "" for name in baselines),
            str(figure.promise or ""),
            "" if figure.promise is None else "yes" if figure.holds else "NO",
        ]
        for figure in figures
    ]
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    return "\n".join(_line(row, widths) for row in [head, ["-" * width for width in widths], *rows])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return f"| {' | '.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))} |"
