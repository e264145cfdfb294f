"""Questions and answers on the screen: what is sent, what waits to be sent, and the answer that runs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mewcode.desk import cache_hits
from mewcode.price import dollars
from mewcode.tui.entries import Note, Question, Reply
from mewcode.tui.status import activity, reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from mewcode.desk import Desk
    from mewcode.llm.messages import Message, Usage
    from mewcode.tui.running import Running
    from mewcode.tui.transcript import Entry
    from mewcode.tui.view import View

_NEARLY_FULL = 0.8  # of the context, from where on it is said: the next long answer may not fit
_BETWEEN = "\n\n"  # messages that are put back into the prompt together


class Exchange:
    """Thread: the loop's. `after(seconds, callback)` is the loop's alarm; `moves`: the seconds are counted in sight."""

    def __init__(self, desk: Desk, view: View, after: Callable[[float, Callable[[], None]], object], *, moves: bool):
        self._desk = desk
        self._session = desk.session
        self._view = view
        self._after = after
        self._moves = moves
        self._running: Running | None = None
        self._shown: object = None  # what of the running answer is on the screen
        self._queue: list[str] = []  # to be sent when the answer has come to its end

    def submit(self, text: str) -> None:
        """Send a message, or let it wait for the answer that runs."""
        self._view.composer.clear()
        if self._session.running:
            self._queue.append(text)
            self._view.queue(self._queue)
        else:
            self._ask(text)
            self._view.transcript.follow()

    def follow(self, note: str) -> None:
        """Show that an answer is under way that a command has asked for."""
        entries = self._view.transcript.entries
        if any(isinstance(entry, Question) for entry in entries):
            self._view.transcript.add(Note(note))
        else:  # asked again after the conversation before was cleared
            self._view.transcript.add(Question(self._desk.question(), datetime.now(UTC)))
        self._await()
        self._view.transcript.follow()

    def say(self, entry: Entry) -> None:
        """Put something into the transcript that is no part of the conversation."""
        if self._running is None:
            self._view.transcript.add(entry)
        else:
            self._view.transcript.add_before_last(entry)
        self._view.transcript.follow()

    def refresh(self) -> None:
        """Bring the rows in step with the session."""
        if self._running is None:
            return
        if not self._session.running:
            self._close(self._running)
            return
        message = self._session.answer()
        thought = self._session.thinking(message)
        shown = (len(message.text), len(thought), self._session.phase)
        if shown != self._shown:
            self._shown = shown
            self._running.grow(message.text, thought)
            self._show_activity(self._running)

    def cancel(self) -> None:
        """End the running answer, keeping what came."""
        self._session.cancel()
        self.refresh()  # also when cancelling has found that the answer had come to its end

    def clear(self) -> None:
        """Forget what is on the screen; the session has been cleared."""
        self._running = None
        self._queue.clear()
        self._view.queue(())
        self._view.transcript.clear()
        self._view.status.doing("")
        self._view.status.facts()

    def _ask(self, text: str) -> None:
        if self._desk.editing:
            self._drop_last_question()
        self._desk.ask(text)
        self._view.transcript.add(Question(text, datetime.now(UTC)))
        self._await()

    def _drop_last_question(self) -> None:
        entries = self._view.transcript.entries
        number = max((n for n, entry in enumerate(entries) if isinstance(entry, Question)), default=len(entries))
        self._view.transcript.drop_from(number)

    def _await(self) -> None:
        from mewcode.tui.running import Running  # mistune: after the first paint

        self._view.status.note("")
        self._running, self._shown = Running(), None
        self._view.transcript.add(self._running)
        self._tick(self._running)

    def _close(self, running: Running) -> None:
        """Let the answer stand as it ended, and send what waits, or give it back."""
        session, message = self._session, self._session.answer()
        transcript = self._view.transcript
        reply = Reply(message, session.thinking(message), session.failure(message.id), session.note(message.id))
        transcript.replace_last(reply, running.finished(reply, transcript.look))
        self._running = None
        self._view.status.doing("")
        self._view.status.note("")
        self._view.status.facts(*self._facts(message))
        if message.status != "complete":
            self._take_back()
        elif self._queue:
            self._ask(self._queue.pop(0))
            self._view.queue(self._queue)

    def _take_back(self) -> None:
        """After a cancelled or failed answer: what was to be sent next, and a question for which nothing came."""
        texts, self._queue = self._queue, []
        self._view.queue(())
        if self._session.answer().status == "cancelled" and (question := self._session.withdraw()) is not None:
            self._drop_last_question()
            self._view.composer.history.forget_last()
            texts.insert(0, question)
        if texts:
            self._view.composer.restore(_BETWEEN.join(texts))

    def _tick(self, running: Running) -> None:
        """Once a second while this answer runs: one small place on the screen changes, and nothing wakes afterwards."""
        if self._running is running:
            self._show_activity(running)
            if self._moves:
                self._after(1.0 - self._session.elapsed % 1.0, lambda: self._tick(running))

    def _show_activity(self, running: Running) -> None:
        words = activity(self._session)
        running.doing(words, reason(self._session))
        self._view.status.doing(words)
        self._view.transcript.last_changed()

    def _facts(self, message: Message) -> list[str]:
        """What the status bar says of an answer; what matters most is the last."""
        facts = [counts(message.usage)]
        if hits := cache_hits(message.usage):
            facts.append(f"cache {hits:.0%}")
        if (cost := self._desk.cost(message)) is not None:
            facts.append(dollars(cost))
        if (full := self._session.fullness) is not None and full >= _NEARLY_FULL:
            facts.append(f"context {min(full, 1.0):.0%} full")
        return [fact for fact in facts if fact]


def counts(usage: Usage | None) -> str:
    """Tokens in and out, as far as the server counted them."""
    if usage is None:
        return ""
    ways = ((usage.input_tokens, "in"), (usage.output_tokens, "out"))
    return " · ".join(f"{number:,} {way}" for number, way in ways if number is not None)
