"""Scripts of streaming, switching and resizing, drawn at random, in which the line that is read has to stay.

`python -m tests.screens.anchors` plays fifty and prints how many kept it.
"""

from __future__ import annotations

import itertools
import random
import re
import sys
from typing import TYPE_CHECKING

from mewcode.llm.events import StreamEnd, TextDelta, ThinkingDelta
from tests.screens.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COUNT = 50
_SIZES = ((80, 24), (40, 12), (100, 30), (33, 9), (120, 15))
_PIECES = (
    "word{n} ",
    "\n\n",
    "- item{n}\n",
    "\n```\ncode{n}\n```\n",
    "# head{n}\n\n",
    "| a{n} | b |\n|---|---|\n| 1 | 2 |\n\n",
    "*soft{n}* ",
)
_NUMBERED = re.compile(r"[A-Za-z]+[0-9]+")  # each of these words is there only once


def kept(seed: int) -> bool:
    """Play one script; whether the line that is read was there after every step."""
    chance = random.Random(seed)
    stage = Stage(chance.choice(_SIZES))
    try:
        numbers = itertools.count()
        _talk(stage, chance, numbers)
        stage.press("page up", *["shift up"] * chance.randint(0, 20))
        return all(stage.chat.view.transcript.following or _step(stage, chance, numbers) for _ in range(12))
    finally:
        stage.close()


def _talk(stage: Stage, chance: random.Random, numbers: Iterator[int]) -> None:
    for number in range(3):
        stage.ask(f"Question{number}")
        lines = (" ".join(f"said{next(numbers)}" for _ in range(chance.randint(1, 20))) for _ in range(30))
        end = () if number == 2 else (StreamEnd("end"),)
        stage.say(ThinkingDelta("Hm. "), TextDelta("\n\n".join(lines)), *end)


def _step(stage: Stage, chance: random.Random, numbers: Iterator[int]) -> bool:
    size = chance.choice([*[stage.size] * 3 * len(_SIZES), *_SIZES])
    if size != stage.size:
        return _resized(stage, size)
    acts: list[Callable[[], None]] = [
        lambda: stage.say(*(_piece(chance, numbers) for _ in range(chance.randint(1, 9)))),
        lambda: stage.press("meta t", "meta t"),
        lambda: stage.draw(),
    ]
    before = view(stage)
    chance.choice(acts)()
    if stage.chat.view.transcript.following:
        return True
    number = next(number for number, row in enumerate(before) if row)
    return view(stage)[number] == before[number]


def _piece(chance: random.Random, numbers: Iterator[int]) -> TextDelta:
    return TextDelta(chance.choice(_PIECES).format(n=next(numbers)))


def _resized(stage: Stage, size: tuple[int, int]) -> bool:
    """The last line in view stays in view, as far as it can be told from others."""
    words = [word for row in view(stage) for word in _NUMBERED.findall(row)[:1]]
    stage.resize(size)
    return not words or words[-1] in "\n".join(view(stage)).split()


def view(stage: Stage) -> list[str]:
    """The rows of the transcript, without the free one below it."""
    return stage.rows[: -3 if stage.size[1] >= 10 else -2]


def main() -> int:
    good = sum(kept(seed) for seed in range(COUNT))
    sys.stdout.write(f"scroll anchors: the line that is read stays {good}/{COUNT}\n")
    return 0 if good == COUNT else 1


if __name__ == "__main__":
    sys.exit(main())
