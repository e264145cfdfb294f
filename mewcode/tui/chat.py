"""The chat: keeps the widgets in step with the session, and does what keys and commands ask for."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from mewcode.prompt import banner
from mewcode.tui import entries
from mewcode.tui.commands import BUSY, is_command, run_command
from mewcode.tui.status import activity, model_label
from mewcode.tui.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mewcode.session import Session
    from mewcode.tui.answer import Answer
    from mewcode.tui.transcript import FlowWidget

_AGAIN = 2.0  # seconds within which a second Ctrl+C quits


class Chat:
    """Thread: the loop's. `after(seconds, callback)` is the loop's alarm, `leave()` ends it."""

    def __init__(
        self,
        session: Session,
        after: Callable[[float, Callable[[], None]], object],
        leave: Callable[[], None],
    ) -> None:
        self._session = session
        self._after = after
        self._leave = leave
        self._answer: Answer | None = None  # the rows of the running answer
        self._shown = 0  # characters of it
        self._phase = session.phase  # as it is shown
        self._armed = 0.0  # until when a second Ctrl+C quits
        on_key = {"esc": self.cancel, "ctrl c": self.interrupt, "ctrl d": leave}
        self.view = View(self.send, on_key, self._disarm)

    def open(self, warnings: Iterable[str]) -> None:
        """Show the banner and what there is to say before the first message."""
        client = self._session.client
        ready = f"Ready: {client.name}, {model_label(client.model)}. Enter sends, /help shows the rest."
        self.view.transcript.append(entries.banner(banner(Path.cwd(), Path.home()), ready))
        for warning in warnings:
            self.view.transcript.append(entries.note(warning))
        self.view.status.show(client.name, client.model)

    def send(self, text: str) -> None:
        """What Enter does: a command runs, a message is asked, and one that cannot be yet stays in the prompt."""
        if not text.strip():
            return
        if is_command(text):
            sentence = run_command(self, text)
            if sentence is None:
                self.view.composer.clear()
            elif self.running:
                self.view.status.note(sentence)
            else:
                self._say(entries.note(sentence))
            return
        if self.running:
            self.view.status.note(BUSY)
            return
        self._ask(text)

    def _ask(self, text: str) -> None:
        self._session.ask(text)
        self.view.composer.clear()
        self._await(entries.asked(text))

    def retry(self) -> None:
        """Ask the last question again."""
        fresh = not self._session.conversation.snapshot()
        try:
            self._session.retry()
        except LookupError:
            self._say(entries.note("There is no question to ask again."))
            return
        question = next(message.text for message in self._session.conversation.snapshot() if message.role == "user")
        self._await(entries.asked(question) if fresh else [*entries.note("Asking again."), entries.blank()])

    def continue_answer(self) -> None:
        """Let a cut answer go on."""
        try:
            self._session.continue_answer()
        except LookupError:
            self._say(entries.note("There is no answer to go on with."))
            return
        self._await([*entries.note("Asked to go on."), entries.blank()])

    def _await(self, rows: Iterable[FlowWidget]) -> None:
        """Show what was asked, and that its answer is under way."""
        from mewcode.tui.answer import Answer  # mistune: after the first paint

        self.view.status.note("")
        self.view.transcript.append(rows)
        self.view.transcript.follow()
        self._answer, self._shown = Answer(), 0
        self._tick(self._answer)

    def pump(self) -> bool:
        """Apply what has come; whether there is something to draw."""
        return self._session.pump()

    def refresh(self) -> None:
        """Bring the rows in step with the session."""
        if self._answer is None:
            return
        message = self._session.answer()
        if not self._session.running:
            self._close_answer()
        elif len(message.text) != self._shown:
            self._shown = len(message.text)
            self._show_activity()
            self.view.transcript.replace_open(*self._answer.grow(message.text))
        elif self._session.phase != self._phase:
            self._show_activity()

    def cancel(self) -> None:
        """What Esc does: end the running answer, keeping what came."""
        self._session.cancel()
        self.refresh()  # also when cancelling has found that the answer had come to its end

    def interrupt(self) -> None:
        """What Ctrl+C does: cancel, else clear the prompt, else quit; twice when a conversation would be lost."""
        if self._session.running:
            self.cancel()
        elif self.view.composer.text:
            self.view.composer.clear()
        elif not self._session.conversation.snapshot() or time.monotonic() < self._armed:
            self._leave()
        else:
            armed = self._armed = time.monotonic() + _AGAIN
            self.view.status.note("Ctrl+C again quits")
            self._after(_AGAIN, lambda: self._disarm() if self._armed == armed else None)

    def _disarm(self) -> None:
        """What any other key does to Ctrl+C."""
        if self._armed:
            self._armed = 0.0
            self.view.status.note("")

    @property
    def running(self) -> bool:
        """Whether an answer is under way: nothing else can be put into the transcript then."""
        return self._session.running

    def explain(self, table: Iterable[tuple[str, str]]) -> None:
        """Show words and what they mean."""
        self._say(entries.explained(table))

    def _say(self, rows: Iterable[FlowWidget]) -> None:
        """Put something into the transcript that is no part of the conversation."""
        self.view.transcript.append(rows)
        self.view.transcript.follow()

    def clear(self) -> None:
        self._session.clear()
        self._answer = None
        self.view.rest()
        self.view.transcript.clear()
        self.view.status.note("new conversation")

    def quit(self) -> None:
        self._leave()

    def _tick(self, answer: Answer) -> None:
        """Once a second while this answer runs: one small place on the screen changes, and nothing wakes afterwards."""
        if self._answer is answer:
            self._show_activity()
            self._after(1.0 - self._session.elapsed % 1.0, lambda: self._tick(answer))

    def _show_activity(self) -> None:
        session = self._session
        self._phase = session.phase
        words = activity(session.phase, session.elapsed, session.retry_note, session.retry_in)
        self.view.show_activity(words, below_text=self._shown > 0)

    def _close_answer(self) -> None:
        assert self._answer is not None
        message = self._session.answer()
        self.view.transcript.replace_open(*self._answer.finish(message.text))
        self.view.transcript.append(entries.ended(self._session, message))
        self._answer = None
        self.view.rest()
        self.view.status.note("")
