"""The chat line by line: for dumb terminals, pipes and screen readers. The same session and commands as the screen.

stdout carries the answers; what the program says itself stands in brackets on a terminal, else on stderr.
"""

from __future__ import annotations

import signal
import sys
import threading
from typing import TYPE_CHECKING, TextIO

from mewcode import commands, exits
from mewcode.desk import Desk, model_label
from mewcode.session import Session
from mewcode.text import Cleaner, clean, takes_utf8

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

    from mewcode.attachment import Attachment
    from mewcode.config.settings import ProviderEntry
    from mewcode.launch import Launcher
    from mewcode.llm.events import Retrying

_PROMPT = "> "
_WAIT = 1.0  # seconds a worker has to close its connection on the way out


def run(launcher: Launcher, files: Iterable[Attachment] = ()) -> int:
    """The whole chat; the exit code: that of the last answer. `files` go along with the first message.

    Raises: ConfigError, before anything is read.
    """
    plain = Plain(launcher, launcher.choose(), sys.stdin, sys.stdout)
    plain.desk.attached += files
    return plain.run()


class Plain:
    """A front of a desk: see mewcode.commands.Front. Thread: the main one."""

    def __init__(self, launcher: Launcher, entry: ProviderEntry, source: TextIO, out: TextIO) -> None:
        self._ready = threading.Event()
        self._session = Session(launcher.client(entry), self._ready.set)
        self.desk = Desk(self._session, launcher, entry)
        self._launcher = launcher
        self._source, self._out = source, out
        self._talks = source.isatty() and out.isatty()
        self._ascii = not takes_utf8(out.encoding)
        self._thinking = launcher.settings.ui.thinking
        self._left = self._interrupted = False
        self._code = exits.OK

    def run(self) -> int:
        if self._talks:
            import readline  # noqa: F401  # input() edits and remembers lines then

        self._tell(f"{self._session.client.name}, {model_label(self._session.client.model)}; /help lists the commands")
        for warning in self._launcher.warnings:
            self._tell(warning)
        try:
            while not self._left and (line := self._read()) is not None:
                self._take(line)
        finally:
            self._session.close(_WAIT)
        return self._code

    def _read(self) -> str | None:
        """The next message, which goes on after a backslash at a line's end; None at the end of the input."""
        lines: list[str] = []
        while True:
            try:
                line = input(_PROMPT) if self._talks else self._source.readline()
            except EOFError:
                return None
            except KeyboardInterrupt:
                self._put("\n")
                return None if not lines else ""
            if not self._talks and not line:
                return "\n".join(lines) if lines else None
            line = line.removesuffix("\n")
            if not line.endswith("\\"):
                return "\n".join([*lines, line])
            lines.append(line[:-1])

    def _take(self, text: str) -> None:
        if not text.strip():
            return
        if not commands.is_command(text):
            self.desk.ask(self.desk.with_attached(text))
            self._follow()
        elif (sentence := commands.run_command(self, text)) is not None:
            self._tell(sentence)

    def _follow(self) -> None:
        """Write the answer as it comes; Ctrl+C cancels it."""
        before = signal.signal(signal.SIGINT, self._interrupt)
        cleaner = Cleaner(invisible=self._out.isatty(), ascii=self._ascii)
        shown, told = 0, None
        try:
            running = True
            while running:
                self._ready.wait()
                self._ready.clear()
                if self._interrupted:
                    self._interrupted = False
                    self._session.cancel()
                self._session.pump()
                running = self._session.running
                text = self._session.answer().text
                self._put(cleaner.feed(text[shown:]))
                shown = len(text)
                told = self._tell_of_retry(told)
        finally:
            signal.signal(signal.SIGINT, before)
        self._put(cleaner.rest() + ("\n" if shown else ""))
        self._tell_the_end()

    def _tell_of_retry(self, told: Retrying | None) -> Retrying | None:
        retry = self._session.retry_note
        if retry is not None and retry is not told:
            reason = str(retry.error).rstrip(".")
            self._tell(f"{reason}; retrying {retry.attempt}/{retry.max_attempts} in {round(retry.delay, 1):g} s")
        return retry

    def _tell_the_end(self) -> None:
        answer = self._session.answer()
        self._code = exits.OK
        if answer.status == "cancelled":
            self._tell("cancelled")
            self._code = exits.by_signal(signal.SIGINT)
        if failure := self._session.failure(answer.id):
            self._tell(str(failure))
            self._code = exits.exit_code(failure)
        if note := self._session.note(answer.id):
            self._tell(note)
        if self._thinking and (thought := self._session.thinking(answer)):
            self._tell(f"thinking: {thought}")

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self._interrupted = True
        self._ready.set()

    def _put(self, text: str) -> None:
        if text:
            self._out.write(text)
            self._out.flush()

    def _tell(self, words: str) -> None:
        words = clean(words, ascii=self._ascii)
        if self._out.isatty():
            self._put(f"[{words}]\n")
        elif sys.stderr is not None:
            sys.stderr.write(f"mewcode: {words}\n")
            sys.stderr.flush()

    # what commands ask for

    def tell(self, sentence: str) -> None:
        self._tell(sentence)

    def explain(self, table: Iterable[tuple[str, str]]) -> None:
        for word, meaning in table:
            self._tell(f"{word}: {meaning}")

    def help(self) -> None:
        self.explain((command.usage, command.help) for command in commands.COMMANDS)

    def switch(self, what: commands.Switch) -> str:
        if what != "thinking":
            raise commands.Unfit("The line mode shows answers as they are.")
        self._thinking = not self._thinking
        return commands.SWITCHED[what][self._thinking]

    def find(self, text: str) -> None:
        """Each line of the conversation that holds it."""
        spoken = [message.text for message in self._session.conversation.snapshot()]
        found = [line for said in spoken for line in said.split("\n") if text.lower() in line.lower()]
        for line in found or ["Nothing holds it."]:
            self._tell(line)

    def copy(self, text: str) -> str:
        self._put(clean(text, ascii=self._ascii) + "\n")
        return "A line mode has no clipboard: this is the text."

    def compose(self, text: str) -> None:
        self._tell(f"the last question was: {text}")

    def follow(self, note: str) -> None:
        self._tell(note)
        self._follow()

    def choose_provider(self) -> None:
        self.explain((f"/provider {entry.name}", entry.model) for entry in self.desk.providers())

    def clear(self) -> None:
        self._session.clear()
        self._tell("new conversation")

    def quit(self) -> None:
        self._left = True
