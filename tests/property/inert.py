"""Strings made to act on a terminal, cut at random, through everything that writes them: what arrives is inert.

`python -m tests.property.inert --full` tries 100,000 strings and prints a line for each way out. Another way out is
another entry of `ways_out`: a function that takes the pieces of one answer, and gives the text that arrived.
"""

from __future__ import annotations

import contextlib
import io
import random
import re
import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from urwid.testing import render_text

from mewcode.export import export
from mewcode.farewell import transcript
from mewcode.llm.events import StreamEnd, TextDelta
from mewcode.llm.messages import Message, TextBlock, Usage
from mewcode.once import Text
from mewcode.tui.entries import Question, Reply
from mewcode.tui.running import Running
from mewcode.tui.transcript import Transcript
from tests.fakes.teletype import teletype

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from mewcode.export import Format

FULL, SAMPLE = 100_000, 400
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# and what reorders or hides: bidi, zero-width characters outside a shape, tags outside a flag
UNSEEN = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0001-\U000e001f]")
_BEGUN = tuple(f"\x1b{letter}" for letter in ("", *"[]P_^X\\c"))
_GONE_ON = ("[2J", "[?1049h", "[6n", "]52;c;", "]0;", "$q", ";", "?", "m", "H", "0", "31")
_CONTROL = tuple("\x00\x05\x07\x08\x0e\x7f\x85\x90\x9b\x9c\x9d\r\n\t")
_HIDING = tuple("\u202e\u2066\u2069\u200b\u200d\u200e\ufeff\u2028\ud83d")
_ORDINARY = (*"ab é日😀", "\r\n", "\u2764\ufe0f", "👨\u200d👩", "می\u200cخ", "\U0001f3f4", "\U000e0067")
_MARKDOWN = ("```\n", "`", "|", "](", "# ", "> ", "<", "&#27;", "\\")
_PIECES: tuple[str, ...] = (*_BEGUN, *_GONE_ON, *_CONTROL, *_HIDING, *_ORDINARY, *_MARKDOWN)
_NOW = datetime(2026, 12, 1, tzinfo=UTC)
_END = StreamEnd("end", "stop", Usage())


class WayOut(NamedTuple):
    """`write` takes the pieces of one answer, and gives what arrived; `forbidden` is what may not."""

    write: Callable[[Sequence[str]], str]
    forbidden: tuple[re.Pattern[str], ...] = (CONTROLS, UNSEEN)


@contextlib.contextmanager
def ways_out() -> Generator[Mapping[str, WayOut], None, None]:
    """All there are, by name; what one of them needs for longer than an answer is open as long as the block runs."""
    yield {
        "once, terminal": WayOut(lambda pieces: _terminal(pieces, "utf-8")),
        "once, terminal of GBK": WayOut(lambda pieces: _terminal(pieces, "gbk")),
        "once, terminal of ASCII": WayOut(lambda pieces: _terminal(pieces, "ascii")),
        "once, pipe": WayOut(_pipe, (CONTROLS,)),
        "export, Markdown": WayOut(lambda pieces: _export(pieces, "md")),
        "export, text": WayOut(lambda pieces: _export(pieces, "txt")),
        "export, JSON": WayOut(lambda pieces: _export(pieces, "json")),
        "the screen": WayOut(_screen),
        "farewell": WayOut(lambda pieces: transcript(_talk(pieces)).decode()),
        "farewell, GBK": WayOut(lambda pieces: transcript(_talk(pieces), encoding="gbk").decode("gbk")),
    }


def _screen(pieces: Sequence[str]) -> str:
    """Every row that is drawn while such an answer and such thinking come, and once they have come, in both looks."""
    view, running, shown = Transcript(), Running(), ""
    view.look = replace(view.look, thinking=True)
    view.add(Question("".join(pieces), _NOW))
    view.add(running)
    drawn: list[str] = []
    for piece in pieces:
        shown += piece
        running.grow(shown, shown)
        view.last_changed()
        drawn += render_text(view, (40, 12))
    [_, answer] = _talk(pieces)
    reply = Reply(answer, shown, None, shown)
    view.replace_last(reply, running.finished(reply, view.look))
    for raw in (False, True):
        view.look = replace(view.look, raw=raw)
        drawn += render_text(view, (40, 12))
    return "\n".join(drawn)


def strings(count: int, seed: int = 4) -> Iterator[list[str]]:
    """Answers in pieces, the same ones for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        text = "".join(_drawn(chance) for _ in range(chance.randint(1, 24)))
        cuts = sorted(chance.randint(0, len(text)) for _ in range(chance.randint(0, 6)))
        yield [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def acted(way: WayOut, pieces: Sequence[str]) -> str:
    """The characters that arrived and may not; empty where all is well."""
    arrived = way.write(pieces)
    return "".join(found[0] for pattern in way.forbidden for found in pattern.finditer(arrived))


def report(count: int) -> int:
    """A line for each way out; the exit code, 1 if anything got through."""
    with ways_out() as ways:
        found: dict[str, list[str]] = {name: [] for name in ways}
        for pieces in strings(count):
            for name, way in ways.items():
                if through := acted(way, pieces):
                    found[name].append(f"{pieces!r} let {through!r} through")
    for name, faults in found.items():
        sys.stdout.write(f"{name}: {len(faults)} of {count:,} strings let something through\n")
        sys.stdout.writelines(f"    {fault}\n" for fault in faults[:3])
    return 1 if any(found.values()) else 0


def _drawn(chance: random.Random) -> str:
    if chance.random() < 0.9:
        return chance.choice(_PIECES)
    return chr(chance.choice((chance.randrange(0x100), chance.randrange(0x2000, 0x2070), chance.randrange(0x110000))))


def _terminal(pieces: Sequence[str], encoding: str) -> str:
    with teletype(encoding) as terminal:
        terminal.stream.reconfigure(errors="replace")  # as `once` does
        _say(Text(terminal.stream), pieces)
    return terminal.written.decode(encoding)


def _pipe(pieces: Sequence[str]) -> str:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="utf-8", errors="replace", newline="\n")
    _say(Text(stream), pieces)
    return written.getvalue().decode()


def _say(output: Text, pieces: Sequence[str]) -> None:
    for piece in pieces:
        output.write([TextDelta(piece)])
    output.write([_END])


def _export(pieces: Sequence[str], form: Format) -> str:
    return export(_talk(pieces), form, _NOW, thinking=True, reasons={"1": "".join(pieces)})


def _talk(pieces: Sequence[str]) -> list[Message]:
    """A conversation in which all that is foreign is this text."""
    text = "".join(pieces)
    blocks = tuple(TextBlock(piece) for piece in pieces)
    return [
        Message("0", "user", blocks, created_at=_NOW),
        Message("1", "assistant", blocks, "interrupted", _NOW, elapsed=1.0, model=text, provider=text),
    ]


if __name__ == "__main__":
    sys.exit(report(FULL if "--full" in sys.argv[1:] else SAMPLE))
