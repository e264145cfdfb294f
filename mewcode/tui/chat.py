"""The chat: what keys and commands do on the screen. What is asked and answered is in mewcode.tui.exchange."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mewcode import commands
from mewcode.desk import model_label
from mewcode.prompt import banner
from mewcode.tui.clipboard import copy
from mewcode.tui.composer import Composer
from mewcode.tui.editor import edited
from mewcode.tui.entries import Banner, Explained, Note
from mewcode.tui.exchange import Exchange
from mewcode.tui.finder import Finder
from mewcode.tui.keys import KEYS
from mewcode.tui.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from mewcode.config.settings import Ui
    from mewcode.desk import Desk

_AGAIN = 2.0  # seconds within which a second Ctrl+C quits


class Terminal(Protocol):
    """What the chat wants of the program around it. Thread: the loop's."""

    def after(self, seconds: float, callback: Callable[[], None], /) -> object: ...
    def leave(self) -> None: ...
    def write(self, data: bytes, /) -> None:
        """Send a whole sequence to the terminal, between two frames."""

    def use_mouse(self, on: bool, /) -> None: ...
    def paused(self) -> AbstractContextManager[object]:
        """A block in which the terminal is another program's."""

    def choose_provider(self) -> None:
        """Show the list of providers until one is chosen."""


class Chat:
    """The front of a desk: see mewcode.commands.Front."""

    def __init__(self, desk: Desk, terminal: Terminal, ui: Ui) -> None:
        self.desk = desk
        self._session = desk.session
        self._terminal = terminal
        self._armed = 0.0  # until when a second Ctrl+C quits
        self._mouse = ui.mouse
        self._left = False  # by a command
        on_key = {
            "esc": _done(self.escape),
            "ctrl c": _done(self.interrupt),
            "ctrl d": _done(terminal.leave),
            "f1": _done(self.help),
            "meta t": _done(lambda: self._note(self.switch("thinking"))),
            "n": lambda: self._step(1),
            "N": lambda: self._step(-1),
        }
        composer = Composer(
            self.send,
            complete=lambda text, cursor: commands.complete(text[:cursor], (entry.name for entry in desk.providers())),
            edit=lambda text: edited(text, terminal.paused),
            note=self._note,
            tell=self.tell,
        )
        self.view = View(composer, on_key, self._disarm)
        self._exchange = Exchange(desk, self.view, terminal.after, moves=ui.motion != "none")
        self._finder = Finder(self.view.transcript)
        self._look = replace(self.view.transcript.look, thinking=ui.thinking, times=ui.timestamps)
        self.view.transcript.look = self._look

    def open(self, warnings: Iterable[str]) -> None:
        """Show the banner and what there is to say before the first message."""
        client = self._session.client
        ready = f"Ready: {client.name}, {model_label(client.model)}. Enter sends, /help shows the rest."
        self.view.transcript.add(Banner(banner(Path.cwd(), Path.home()), ready))
        for warning in warnings:
            self.view.transcript.add(Note(warning))
        self._show_provider()

    def send(self, text: str) -> None:
        """What Enter does: a command runs, a message is sent, or waits for the answer that runs."""
        if not text.strip():
            return
        self._exchange.refresh()  # the answer may have ended since the last frame
        if not commands.is_command(text):
            self._stop_finding()  # or Esc would close it before it cancels the answer, and n would go on with it
            self._exchange.submit(self.desk.with_attached(text))
            return
        sentence = commands.run_command(self, text)
        if sentence is not None:
            self.view.status.note(sentence) if self._session.running else self.tell(sentence)
        elif self.view.composer.text == text:  # else the command has put something there
            self.view.composer.clear()
        self._show_provider()
        if self._left:
            self._terminal.leave()

    def pump(self) -> bool:
        """Apply what has come; whether there is something to draw."""
        return self._session.pump()

    def refresh(self) -> None:
        """Bring the screen in step with the session."""
        self._exchange.refresh()

    # keys

    def escape(self) -> None:
        """What Esc does: close the innermost thing that is open, else cancel."""
        if self._finder.active:
            self._stop_finding()
            self.view.status.note("")
        elif self.desk.editing:
            self._stop_editing()
        else:
            self._exchange.cancel()

    def interrupt(self) -> None:
        """What Ctrl+C does: cancel, else leave editing, else clear the prompt, else quit; twice when a conversation
        would be lost.
        """
        if self._session.running:
            self._exchange.cancel()
        elif self.desk.editing:
            self._stop_editing()
        elif self.view.composer.text:
            self.view.composer.clear()
        elif not self._session.conversation.snapshot() or time.monotonic() < self._armed:
            self._terminal.leave()
        else:
            armed = self._armed = time.monotonic() + _AGAIN
            self.view.status.note("Ctrl+C again quits")
            self._terminal.after(_AGAIN, lambda: self._disarm() if self._armed == armed else None)

    def _disarm(self) -> None:
        """What any other key does to Ctrl+C."""
        if self._armed:
            self._armed = 0.0
            self.view.status.note("")

    def _step(self, way: int) -> bool:
        """Go on finding, if something is looked for."""
        if self._finder.active:
            self._finder.step(way)
            self._show_finding()
        return self._finder.active

    def _show_finding(self) -> None:
        self.view.status.note("")
        self.view.status.finding(self._finder.words)

    def _stop_editing(self) -> None:
        self.desk.editing = False
        self.view.composer.clear()
        self.view.status.note("The last question stays as it was")

    def _stop_finding(self) -> None:
        self._finder.stop()
        self.view.status.finding("")

    # what commands ask for

    def tell(self, sentence: str) -> None:
        self._exchange.say(Note(sentence))

    def explain(self, table: Iterable[tuple[str, str]]) -> None:
        self._exchange.say(Explained(table))

    def help(self) -> None:
        listed = [(command.usage, command.help) for command in commands.COMMANDS]
        self.explain([*listed, *((key.keys, key.help) for key in KEYS)])

    def switch(self, what: commands.Switch) -> str:
        look = self.view.transcript.look
        match what:
            case "mouse":
                self._mouse = not self._mouse
                self._terminal.use_mouse(self._mouse)
                return commands.SWITCHED[what][self._mouse]
            case "raw":
                look, on = replace(look, raw=not look.raw), not look.raw
            case "thinking":
                look, on = replace(look, thinking=not look.thinking), not look.thinking
            case "times":
                look, on = replace(look, times=not look.times), not look.times
        self.view.transcript.look = look
        return commands.SWITCHED[what][on]

    def find(self, text: str) -> None:
        self._finder.start(text)
        self._show_finding()

    def copy(self, text: str) -> str:
        return copy(text, self._terminal.write, os.environ)

    def compose(self, text: str) -> None:
        self.view.composer.clear()
        self.view.composer.insert(text)

    def follow(self, note: str) -> None:
        self._exchange.follow(note)

    def choose_provider(self) -> None:
        self._terminal.choose_provider()

    def clear(self) -> None:
        self._session.clear()
        self._stop_finding()
        self._exchange.clear()
        self.view.status.note("new conversation")

    def quit(self) -> None:
        self._left = True

    def _note(self, words: str) -> None:
        self.view.status.note(words)

    def _show_provider(self) -> None:
        client = self._session.client
        self.view.status.show(client.name, client.model)


def _done(act: Callable[[], object]) -> Callable[[], bool]:
    """For a key that is always taken."""

    def on_key() -> bool:
        act()
        return True

    return on_key
