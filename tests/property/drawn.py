"""`python -m tests.property.drawn WAY COUNT SEED`: strings made to act on a terminal, shown on its own one.

A process of its own, whose bytes `tests.property.escapes` reads at the other end of the terminal. WAY is `screen`, the
chat's own screen and transcript; `plain`, the line mode; or `once`.
"""

from __future__ import annotations

import io
import itertools
import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mewcode import once
from mewcode.config.settings import Settings
from mewcode.llm.events import StreamEnd, TextDelta
from mewcode.llm.messages import Message, TextBlock, Usage
from mewcode.plain import Plain
from mewcode.tui.entries import Question, Reply
from mewcode.tui.running import Running
from mewcode.tui.screen import Screen
from mewcode.tui.theme import palette
from mewcode.tui.transcript import Transcript
from tests.fakes.front import FakeClients
from tests.fakes.scripted import Scripted, client_of
from tests.fakes.talker import Talker
from tests.property.inert import strings

if TYPE_CHECKING:
    from collections.abc import Iterator

    import urwid

    from mewcode.config.settings import ProviderEntry
    from mewcode.llm.client import LLMClient
    from mewcode.llm.events import Event

TOGETHER = 8  # strings in one answer: as many as a screen shows
SIZE = (80, 24)
_END = StreamEnd("end", "stop", Usage(1, 1))
_NOW = datetime(2026, 12, 1, tzinfo=UTC)


def answers(count: int, seed: int) -> Iterator[list[str]]:
    """So many strings as answers, each in the pieces in which it comes."""
    drawn = strings(count, seed)
    while together := list(itertools.islice(drawn, TOGETHER)):
        yield [piece for pieces in together for piece in (*pieces, "\n\n")]


def on_the_screen(count: int, seed: int) -> None:
    screen = Screen()
    screen.register_palette(palette("auto"))
    screen.start()
    for pieces in answers(count, seed):
        _draw_answer(screen, pieces)
    screen.stop()


def _draw_answer(screen: Screen, pieces: list[str]) -> None:
    """Frame by frame while it comes, then whole, in both looks."""
    view, running, shown = Transcript(), Running(), ""
    view.look = replace(view.look, thinking=True)
    view.add(Question("".join(pieces), _NOW))
    view.add(running)
    for place, piece in enumerate(pieces):
        shown += piece
        if place % 6 == 0:  # what comes between two frames
            running.grow(shown, shown)
            view.last_changed()
            _draw(screen, view)
    message = Message("1", "assistant", tuple(map(TextBlock, pieces)), "interrupted", _NOW, model=shown, provider=shown)
    reply = Reply(message, shown, None, shown)
    view.replace_last(reply, running.finished(reply, view.look))
    for raw in (False, True):
        view.look = replace(view.look, raw=raw)
        _draw(screen, view)


def _draw(screen: Screen, view: urwid.Widget) -> None:
    screen.draw_screen(SIZE, view.render(SIZE, focus=True))


class _Launcher(FakeClients):
    """One client, for a whole line mode."""

    warnings = ("\x1b[2J\u202e",)
    settings = Settings(())

    def __init__(self, client: LLMClient) -> None:
        super().__init__(Talker())
        self._client = client

    def client(self, entry: ProviderEntry, model: str | None = None) -> LLMClient:  # type: ignore[override]
        return self._client


def in_plain_mode(count: int, seed: int) -> None:
    said = list(answers(count, seed))
    scripts: list[list[Event]] = [[*map(TextDelta, pieces), _END] for pieces in said]
    client = client_of(Scripted(*scripts))
    launcher = _Launcher(client)
    Plain(launcher, launcher.entries()[0], io.StringIO("hi\n" * len(said)), sys.stdout).run()  # type: ignore[arg-type]


def once_each(count: int, seed: int) -> None:
    for pieces in answers(count, seed):
        once.run(client_of(Scripted([*map(TextDelta, pieces), _END])), "hi", once.Wishes())


WAYS = {"screen": on_the_screen, "plain": in_plain_mode, "once": once_each}

if __name__ == "__main__":
    way, count, seed = sys.argv[1:]
    WAYS[way](int(count), int(seed))
