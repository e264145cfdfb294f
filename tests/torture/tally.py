"""What a row found: runs, faults of each kind, and whether the promise holds."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from tests.torture.outcome import flaws

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.torture.outcome import Outcome

T = TypeVar("T")

_EXAMPLES = 3  # of each kind
_LONGEST = 300  # characters of an example
_ALWAYS = ("crashes", "hangs", "no sentence")


@dataclass(frozen=True, slots=True)
class Share:
    """How much of each row is tried: all of it, or a part that the seed picks."""

    part: float = 1.0
    seed: int = 1

    def of(self, cases: Sequence[T], least: int = 1) -> list[T]:
        """In their order; never fewer than `least`, if there are as many."""
        number = min(len(cases), max(least, round(self.part * len(cases))))
        picked = random.Random(self.seed).sample(range(len(cases)), number)
        return [cases[place] for place in sorted(picked)]


FULL = Share()


@dataclass(slots=True)
class Tally:
    """`kinds` are the faults that are counted beside those of any turn; the promise is that there are none."""

    row: str
    title: str
    kinds: tuple[str, ...]
    runs: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    figures: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.faults = dict.fromkeys((*_ALWAYS, *self.kinds), 0)

    def run(self, case: str, outcome: Outcome) -> None:
        """Count a turn, and whatever is wrong with any."""
        self.runs += 1
        for kind, what in flaws(outcome):
            self.fault(kind, case, what)

    def fault(self, kind: str, case: str, what: object) -> None:
        self.faults[kind] += 1
        if self.faults[kind] <= _EXAMPLES:
            said = f"{self.row} {kind}: {case}: {str(what)[:_LONGEST]}"
            self.examples.append(said.encode("utf-8", "backslashreplace").decode())

    def check(self, holds: bool, kind: str, case: str, what: object) -> None:
        if not holds:
            self.fault(kind, case, what)

    @property
    def holds(self) -> bool:
        return self.runs > 0 and not any(self.faults.values())

    def line(self) -> str:
        counts = ", ".join(f"{count} {kind}" for kind, count in self.faults.items())
        figures = "".join(f"; {figure}" for figure in self.figures)
        verdict = "holds" if self.holds else "DOES NOT HOLD"
        return f"{self.row:<4}{self.title}: {self.runs:,} runs, {counts}{figures} (promised: 0 of each): {verdict}"
