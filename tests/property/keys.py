"""Random keys and random bytes against the chat and against the reader of bytes: counts, and what went wrong.

`python -m tests.property.keys --full` is 100,000 bytes and 20,000 keys; without it, the sample that the tests run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
import tempfile
from collections import Counter
from typing import TYPE_CHECKING

from urwid.display.escape import input_sequences

from mewcode.llm.events import StreamEnd, TextDelta
from mewcode.tui.paste import Pasted
from mewcode.tui.reader import Reader
from tests.screens.stage import Left, Stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewcode.tui.paste import Key

_KEYS = [
    *sorted({name for _, name in input_sequences if "mouse" not in name and "paste" not in name}),
    *(f"{modifier} {letter}" for modifier in ("ctrl", "meta") for letter in "abcdefghijklmnopqrstuvwxyz_"),
    *("enter", "meta enter", "shift enter", "backspace", "meta backspace", "tab", "esc", "ctrl l", "window resize"),
    *"abc /\\xyz.?猫é🐱\u200d\u0301",
]
_TEXTS = ("pasted", "a\nb\tc", "x" * 1500, "line\n" * 40, "\x1b[31m\u202e", "")
# what sends a reader astray: introducers, ends, marks of a paste, halves of characters
_PIECES = (
    *(b"\x1b", b"\x1b[", b"\x1b]", b"\x1bP", b"\x1b_", b"\x1bO", b"\x07", b"\x1b\\", b"\r", b"\n", b"\x1b[200~"),
    *(b"\x1b[201~", b"\x1b[M", b"\x1b[<0;1;1", b"\xe7\x8c", b"\xf0\x9f", b"\x1b[?62;4c", b"11;rgb:0/0/0", b"\x03"),
)
_TYPED = "abc"
EDITOR = "true"  # what $VISUAL is to be: Ctrl+G is a key as any other
_SIZES = ((80, 24), (40, 12), (20, 5))


def keys_of_a_hand(rng: random.Random, count: int) -> Iterator[str]:
    for _ in range(count):
        yield Pasted(rng.choice(_TEXTS)) if rng.random() < 0.05 else rng.choice(_KEYS)


def random_bytes(rng: random.Random, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        data += rng.choice(_PIECES) if rng.random() < 0.3 else rng.randbytes(rng.randrange(1, 6))
    return bytes(data[:count])


def read(reader: Reader, data: bytes, rng: random.Random) -> Iterator[Key]:
    """The keys of these bytes, in reads of any length, with pauses between some."""
    at = 0
    while at < len(data):
        end = at + rng.choice((1, 2, 5, 40, 400))
        yield from reader.feed(data[at:end])
        if rng.random() < 0.2 and reader.wait is not None:
            yield from reader.expire()
        at = end


def settle(reader: Reader) -> Iterator[Key]:
    """A pause, with the Ctrl+C that ends a paste whose end has been lost."""
    for data in (b"", b"\x03", b"\x1b"):
        yield from reader.feed(data) if data else ()
        while reader.wait is not None:
            yield from reader.expire()


def press(stage: Stage, key: Key, rng: random.Random, tally: Counter[str]) -> None:
    """One key, as a person would go on: who has left comes back, and who has asked is answered at times."""
    try:
        if isinstance(key, str):
            stage.press(key)
    except Left:
        tally["left"] += 1
    if rng.random() < 0.05 and stage._session.running:
        stage.say(TextDelta("An answer."), StreamEnd("end"))
        tally["answers"] += 1
    if rng.random() < 0.01:
        stage.resize(rng.choice(_SIZES))


def typed_after(stage: Stage) -> str:
    """What stands in the prompt when a person has settled, emptied it and typed."""
    composer = stage.chat.view.composer
    if composer.searching:
        stage.press("esc")
    composer.clear()
    stage.type(_TYPED)
    return composer.text


def keys_against_the_chat(seed: int, count: int) -> Counter[str]:
    rng, tally, stage = random.Random(seed), Counter[str](), Stage()
    try:
        for number, key in enumerate(keys_of_a_hand(rng, count), 1):
            press(stage, key, rng, tally)
            tally["keys"] += 1
            if number % 200 == 0 or number == count:
                tally["typed"] += 1
                tally["wrong"] += typed_after(stage) != _TYPED
    finally:
        stage.close()
    return tally


def bytes_against_the_chat(seed: int, count: int) -> Counter[str]:
    rng, tally, stage, reader = random.Random(seed), Counter[str](), Stage(), Reader()
    try:
        for _ in range(max(1, count // 500)):
            for key in (*read(reader, random_bytes(rng, min(count, 500)), rng), *settle(reader)):
                press(stage, key, rng, tally)
                tally["keys"] += 1
            tally["bytes"] += min(count, 500)
            tally["typed"] += 1
            stage.chat.view.composer.clear()
            for key in reader.feed(_TYPED.encode()):
                press(stage, key, random.Random(0), tally)
            tally["wrong"] += stage.chat.view.composer.text != _TYPED
    finally:
        stage.close()
    return tally


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.property.keys")
    parser.add_argument("--full", action="store_true", help="100,000 bytes and 20,000 keys")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    os.environ["VISUAL"] = EDITOR
    wrong = 0
    for name, run, count in (
        ("keys", keys_against_the_chat, 20_000 if chosen.full else 1_000),
        ("bytes", bytes_against_the_chat, 100_000 if chosen.full else 5_000),
    ):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            tally = run(chosen.seed, count)
        wrong += tally["wrong"]
        told = ", ".join(f"{number:,} {what}" for what, number in sorted(tally.items()))
        sys.stdout.write(f"{count:,} random {name}: 0 crashes; {told}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
