"""Scripts of streaming, switching and resizing, drawn at random, in which the line that is read has to stay.

`python -m tests.screens.anchors` plays fifty and prints how many kept it.
"""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING

from mewcode.llm.events import StreamEnd, TextDelta, ThinkingDelta
from tests.screens.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = 50
_SIZES = ((80, 24), (40, 12), (100, 30), (33, 9), (120, 15))
_PIECES = (
    "word ",
    "\n\n",
    "- item\n",
    "\n```\ncode\n```\n",
    "# head\n\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    "*soft* ",
)
_MARK = "the-line-that-is-read"


def kept(seed: int) -> bool:
    """Play one script; whether the line at the head of the view was there after every step."""
    chance = random.Random(seed)
    stage = Stage(chance.choice(_SIZES))
    try:
        _talk(stage, chance)
        stage.press("page up", *["shift up"] * chance.randint(0, 20))
        if not _read_a_mark(stage):
            return False
        return all(stage.chat.view.transcript.following or _step(stage, chance) for _ in range(12))
    finally:
        stage.close()


def _talk(stage: Stage, chance: random.Random) -> None:
    for number in range(3):
        stage.ask(f"Question {number}")
        filler = "\n\n".join(f"{_MARK} {number} {line} " + "and more " * chance.randint(0, 9) for line in range(30))
        end = () if number == 2 else (StreamEnd("end"),)
        stage.say(ThinkingDelta("Hm. "), TextDelta(filler), *end)


def _read_a_mark(stage: Stage) -> bool:
    """Scroll until a marked line is at the head of the view."""
    for _ in range(60):
        if stage.rows[0].startswith(_MARK):
            return True
        stage.press("shift up")
    return False


def _step(stage: Stage, chance: random.Random) -> bool:
    before = stage.rows[0].split()[:3]
    acts: list[Callable[[], None]] = [
        lambda: stage.say(*(TextDelta(chance.choice(_PIECES)) for _ in range(chance.randint(1, 9)))),
        lambda: stage.resize(chance.choice(_SIZES)),
        lambda: stage.press("meta t", "meta t"),
        lambda: stage.draw(),
    ]
    chance.choice(acts)()
    rows = [row.split()[:3] for row in stage.rows]
    if stage.chat.view.transcript.following:  # the window has grown to the end: there the view follows
        return before in rows
    return rows[0] == before


def main() -> int:
    good = sum(kept(seed) for seed in range(COUNT))
    sys.stdout.write(f"scroll anchors: the line that is read stays {good}/{COUNT}\n")
    return 0 if good == COUNT else 1


if __name__ == "__main__":
    sys.exit(main())
