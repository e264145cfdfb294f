"""The commands, once: name, help, and what each does to the chat."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

from mewcode.text import one_line
from mewcode.tui.keys import KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Chat(Protocol):
    """What a command can do."""

    @property
    def running(self) -> bool: ...
    def explain(self, table: Iterable[tuple[str, str]]) -> None: ...
    def clear(self) -> None: ...
    def retry(self) -> None: ...
    def continue_answer(self) -> None: ...
    def quit(self) -> None: ...


class Command(NamedTuple):
    name: str
    help: str
    run: Callable[[Chat], None]
    any_time: bool = True  # also while an answer runs


def _help(chat: Chat) -> None:
    chat.explain([(f"/{command.name}", command.help) for command in COMMANDS] + [(key.keys, key.help) for key in KEYS])


COMMANDS = (
    Command("help", "this list", _help, any_time=False),
    Command("clear", "start a new conversation", lambda chat: chat.clear()),
    Command("retry", "ask the last question again", lambda chat: chat.retry(), any_time=False),
    Command("continue", "let a cut answer go on", lambda chat: chat.continue_answer(), any_time=False),
    Command("exit", "quit", lambda chat: chat.quit()),
)
_BY_NAME = {command.name: command for command in COMMANDS}
_WORD = re.compile(r"/[^/]+")
BUSY = "still answering; Esc cancels"


def is_command(text: str) -> bool:
    """Whether the first word is `/word`: a second slash in it, or a blank in front, makes a line text."""
    return _WORD.fullmatch(text.split(maxsplit=1)[0] if text[:1] == "/" else "") is not None


def run_command(chat: Chat, text: str) -> str | None:
    """Run it; a sentence when it cannot be run."""
    word, *more = text.split(maxsplit=1)
    command = _BY_NAME.get(word[1:])
    if command is None:
        known = ", ".join(f"/{command.name}" for command in COMMANDS)
        return f"There is no {one_line(word, 40)}; there are {known}. A blank in front sends it as text."
    if more:
        return f"{word} stands alone. A blank in front sends it as text."
    if chat.running and not command.any_time:
        return BUSY
    command.run(chat)
    return None
