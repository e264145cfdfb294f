"""The commands, once: name, argument, help, and what each does. The screen, the line mode and the README share them."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

from mewcode.attachment import files_beginning
from mewcode.errors import MewcodeError
from mewcode.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mewcode.desk import Desk

_log = logging.getLogger(__name__)

Switch: TypeAlias = Literal["raw", "thinking", "times", "mouse"]


SWITCHED: Mapping[Switch, tuple[str, str]] = {  # what is said of each once it is off, and once it is on
    "raw": ("Answers are shown as Markdown.", "Answers are shown as their source."),
    "thinking": ("Thinking is hidden.", "Thinking is shown."),
    "times": ("Times are hidden.", "Times are shown."),
    "mouse": ("The mouse is the terminal's: it selects.", "The mouse is mewcode's: its wheel scrolls."),
}


class Front(Protocol):
    """Who shows what a command does."""

    @property
    def desk(self) -> Desk: ...
    def tell(self, sentence: str) -> None: ...
    def explain(self, table: Iterable[tuple[str, str]]) -> None: ...
    def help(self) -> None: ...
    def switch(self, what: Switch) -> str:
        """Turn on what is off; a sentence that says what it is now."""

    def find(self, text: str) -> None: ...
    def copy(self, text: str) -> str:
        """Give the terminal a text; a sentence that says what was done with it."""

    def compose(self, text: str) -> None:
        """Put text into the prompt."""

    def follow(self, note: str) -> None:
        """An answer is under way: show it below this note."""

    def choose_provider(self) -> None: ...
    def clear(self) -> None: ...
    def quit(self) -> None:
        """End the chat once the command has come to its end."""


class Command(NamedTuple):
    """`argument` is how help names it, "" for none; in brackets it may be left out. `at_rest`: not while an answer
    runs.
    """

    name: str
    argument: str
    help: str
    run: Callable[[Front, str], None]
    at_rest: bool = False

    @property
    def usage(self) -> str:
        return f"/{self.name} {self.argument}".rstrip()


class Unfit(Exception):
    """A command that cannot be run as it stands; the sentence says why."""


def _number(text: str) -> int:
    if not text:
        return 1
    if not re.fullmatch(r"[1-9][0-9]{0,5}", text):
        raise Unfit(f"{one_line(text, 40)} is no number: 1 is the first.")
    return int(text)


def _model(front: Front, name: str) -> None:
    if name:
        front.tell(front.desk.use_model(name))
        return
    entries = front.desk.providers()
    now = f"{front.desk.session.client.model}, of {front.desk.entry.name}"
    front.explain([("model", now), *((f"/provider {entry.name}", entry.model) for entry in entries)])


def _provider(front: Front, name: str) -> None:
    if name:
        front.tell(front.desk.use_provider(name))
    else:
        front.choose_provider()


def _system(front: Front, text: str) -> None:
    front.tell(front.desk.use_system(text) if text else f"The system prompt: {front.desk.system()}")


def _retry(front: Front, _: str) -> None:
    front.desk.session.retry()
    front.follow("Asking again.")


def _go_on(front: Front, _: str) -> None:
    front.desk.session.continue_answer()
    front.follow("Asked to go on.")


def _edit(front: Front, _: str) -> None:
    front.compose(front.desk.question())
    front.desk.editing = True
    front.tell("Enter asks this in the place of the last question; Esc leaves that as it was.")


def _save(front: Front, name: str, *, force: bool = False) -> None:
    front.tell(front.desk.save(name, force=force))


def _file(front: Front, name: str) -> None:
    front.tell(front.desk.attach(name) if name else front.desk.detach())


COMMANDS = (
    Command("help", "", "this list", lambda front, _: front.help()),
    Command("clear", "", "start a new conversation", lambda front, _: front.clear()),
    Command("model", "[ID]", "which model answers; another one from now on", _model, at_rest=True),
    Command("provider", "[NAME]", "choose another provider", _provider, at_rest=True),
    Command("system", "[TEXT]", "the system prompt; another one from the next message on", _system, at_rest=True),
    Command("retry", "", "ask the last question again", _retry, at_rest=True),
    Command("edit", "", "write the last question anew", _edit, at_rest=True),
    Command("continue", "", "let a cut answer go on", _go_on, at_rest=True),
    Command(
        "copy",
        "[N]",
        "copy the last answer's source; N counts back",
        lambda front, n: front.tell(front.copy(front.desk.answer(_number(n)))),
    ),
    Command(
        "code",
        "[N]",
        "copy a block of code of the last answer",
        lambda front, n: front.tell(front.copy(front.desk.code(_number(n)))),
    ),
    Command("save", "FILE", "save the conversation as .md, .json or .txt", _save),
    Command("save!", "FILE", "the same, over a file that is there", lambda front, name: _save(front, name, force=True)),
    Command("file", "[FILE]", "let a text file go along with the next message; without one, none", _file),
    Command("find", "TEXT", "find it in the conversation; n and N go on", lambda front, text: front.find(text)),
    Command("raw", "", "answers as their source, or as Markdown", lambda front, _: front.tell(front.switch("raw"))),
    Command(
        "thinking", "", "show or hide what the model thinks", lambda front, _: front.tell(front.switch("thinking"))
    ),
    Command("time", "", "show or hide when something was said", lambda front, _: front.tell(front.switch("times"))),
    Command(
        "mouse", "", "let the wheel scroll, or the terminal select", lambda front, _: front.tell(front.switch("mouse"))
    ),
    Command(
        "usage",
        "",
        "tokens of the last answer and of the conversation",
        lambda front, _: front.explain(front.desk.usage()),
    ),
    Command("exit", "", "quit", lambda front, _: front.quit()),
)
ALIASES = {"?": "help", "new": "clear", "quit": "exit", "q": "exit", "cost": "usage", "tokens": "usage"}
_BY_NAME = {command.name: command for command in COMMANDS}
_WORD = re.compile(r"/[^/\s]+")
BUSY = "still answering; Esc cancels"


def is_command(text: str) -> bool:
    """Whether the first word is `/word`: a second slash in it, or a blank in front, makes a line text."""
    return _WORD.fullmatch(text.split(maxsplit=1)[0] if text[:1] == "/" else "") is not None


def run_command(front: Front, text: str) -> str | None:
    """Run it; a sentence when it cannot be run, and the line is still the user's."""
    word, *more = text.strip().split(maxsplit=1)
    argument = more[0] if more else ""
    name = word[1:]
    command = _BY_NAME.get(ALIASES.get(name, name))
    if command is None:
        return f"There is no {one_line(word, 40)}; /help lists what there is. A blank in front sends it as text."
    if argument and not command.argument:
        return f"{word} stands alone. A blank in front sends it as text."
    if not argument and command.argument and not command.argument.startswith("["):
        return f"{command.usage}: {command.help}."
    if command.at_rest and front.desk.session.running:
        return BUSY
    try:
        command.run(front, argument)
    except (Unfit, LookupError) as error:
        return _sentence(str(error.args[0]))
    except MewcodeError as error:
        return _sentence(str(error))
    except Exception as error:  # a bug must cost the command, not the conversation
        _log.exception("%s crashed", command.usage)
        return f"Internal error ({type(error).__name__}); the log has the details."
    return None


def complete(text: str, providers: Iterable[str] = ()) -> list[str]:
    """What a line that begins a command could become: its name, then a file or one of the providers."""
    if text != "/" and not is_command(text):
        return []
    word, blank, begun = text.partition(" ")
    if not blank:
        names = (command for command in COMMANDS if command.name.startswith(word[1:]))
        return [f"/{command.name}{' ' if command.argument else ''}" for command in names]
    command = _BY_NAME.get(word[1:])
    if command is None:
        return []
    if "FILE" in command.argument:
        return [f"{word} {path}" for path in files_beginning(begun)]
    return [f"{word} {name}" for name in providers if command.argument == "[NAME]" and name.startswith(begun)]


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."
