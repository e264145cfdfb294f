"""The chat on urwid's own scripted screen: keys in, events in, rows out. No terminal and no running loop."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import urwid
from urwid.testing import ScriptedScreen, render_runs

from mewcode import __version__
from mewcode.config.settings import Ui
from mewcode.desk import Desk
from mewcode.session import Session
from mewcode.tui.chat import Chat
from mewcode.tui.paste import PasteFilter
from mewcode.tui.theme import palette
from tests.fakes.front import FakeClients
from tests.fakes.sse_server import LIMIT
from tests.fakes.talker import Talker

if TYPE_CHECKING:
    from collections.abc import Callable

    from mewcode.llm.events import Event

SIZES = ((80, 24), (40, 12), (20, 5), (200, 60))
_FOLDER = Path(__file__).parent
_REWRITE = "MEWCODE_SCREENS"


class Left(Exception):
    """The chat has ended."""


@dataclass(slots=True)
class FakeTerminal:
    """What the program around the chat would do, written down."""

    alarms: list[tuple[float, Callable[[], None]]] = field(default_factory=list)  # what the chat wants to do later
    written: list[bytes] = field(default_factory=list)
    mouse: bool = False
    chooses: int = 0  # how often the list of providers was asked for

    def after(self, seconds: float, callback: Callable[[], None]) -> None:
        self.alarms.append((seconds, callback))

    def leave(self) -> None:
        raise Left

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def use_mouse(self, on: bool) -> None:
        self.mouse = on

    def paused(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def choose_provider(self) -> None:
        self.chooses += 1


_UI = Ui()


class Stage:
    """A chat with a client that says what the test tells it; `after` holds what the chat wants to do later."""

    def __init__(self, size: tuple[int, int] = (80, 24), client: Talker | None = None, ui: Ui = _UI) -> None:
        self.client = client or Talker()
        self.terminal = FakeTerminal()
        self._session = Session(self.client)
        self.clients = FakeClients(self.client)
        desk = Desk(self._session, self.clients, self.clients.entries()[0])
        self.chat = Chat(desk, self.terminal, ui)
        self.chat.open(())
        self._screen = ScriptedScreen(size=size)
        self._loop = urwid.MainLoop(self.chat.view, palette(ui.theme), self._screen, handle_mouse=False)
        self._paste = PasteFilter()

    @property
    def size(self) -> tuple[int, int]:
        return self._screen.size

    @property
    def after(self) -> list[tuple[float, Callable[[], None]]]:
        return self.terminal.alarms

    def press(self, *keys: str) -> None:
        """Each key as its own read, with a drawing after it."""
        for key in keys:
            self._loop.process_input(self._paste([key], []))
            self.draw()

    def type(self, text: str) -> None:
        self.press(*text)

    def ask(self, text: str) -> None:
        self.type(text)
        self.press("enter")

    def say(self, *events: Event) -> None:
        """Let the answer grow, and draw."""
        for event in events:
            self.client.say(event)
            self.chat.pump()
        self.chat.refresh()
        self.draw()

    def resize(self, size: tuple[int, int]) -> None:
        self._screen.size = size
        self._loop.screen_size = None
        self.draw()

    def close(self) -> None:
        self._session.close(LIMIT)

    def draw(self) -> None:
        self._loop.draw_screen()

    @property
    def rows(self) -> list[str]:
        self.draw()
        return [steady(row) for row in self._screen.last_text]

    @property
    def cursor(self) -> tuple[int, int] | None:
        """Column and row."""
        self.draw()
        cursor: tuple[int, int] | None = self._screen.canvases[-1].cursor
        return cursor

    @property
    def prompt(self) -> str:
        return self.chat.view.composer.text

    def style_of(self, words: str) -> set[object]:
        """The styles of the runs that hold these words."""
        return {
            style
            for row in render_runs(self.chat.view, self.size, focus=True)[:-1]
            for style, run in row
            if words in run
        }


def steady(row: str) -> str:
    """The row without what changes from run to run and from version to version."""
    row = re.sub(r"\(\d+s\)", "(0s)", row.replace(__version__, "VERSION"))
    return re.sub(r"\d+\.\d(?= s\b|\s*$)", "0.0", row).rstrip()


def check_screen(name: str, shown: dict[tuple[int, int], list[str]]) -> None:
    """Compare the rows at each size with the file of that name; `scripts/screens` writes it instead."""
    drawn = "".join(f"== {cols}x{rows}\n" + "".join(f"{row}\n" for row in text) for (cols, rows), text in shown.items())
    file = _FOLDER / f"{name}.txt"
    if os.environ.get(_REWRITE):
        file.write_text(drawn, encoding="utf-8")
    assert drawn == file.read_text(encoding="utf-8")
