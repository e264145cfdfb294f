"""The commands, once: name, help, and what each does to the chat."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

from mewcode.tui.keys import KEYS

if TYPE_CHECKING:
    from collections.abc import Callable


class Chat(Protocol):
    """What a command can do."""

    def tell(self, text: str) -> None: ...
    def clear(self) -> None: ...
    def quit(self) -> None: ...


class Command(NamedTuple):
    name: str
    help: str
    run: Callable[[Chat], None]


def _help(chat: Chat) -> None:
    rows = [(f"/{command.name}", command.help) for command in COMMANDS] + [tuple(key) for key in KEYS]
    width = max(len(left) for left, _ in rows)
    chat.tell("\n".join(f"{left:{width}}  {right}" for left, right in rows))


COMMANDS = (
    Command("help", "this list", _help),
    Command("clear", "start a new conversation", lambda chat: chat.clear()),
    Command("exit", "quit", lambda chat: chat.quit()),
)
_BY_NAME = {command.name: command for command in COMMANDS}
_WORD = re.compile(r"/(\w+)")


def is_command(text: str) -> bool:
    """Whether the first word is `/word`: a second slash in it, or a blank in front, makes a line text."""
    return _WORD.fullmatch(text.split(maxsplit=1)[0] if text[:1] == "/" else "") is not None


def run_command(chat: Chat, text: str) -> str | None:
    """Run it; a sentence when there is no such command."""
    word = text.split(maxsplit=1)[0]
    command = _BY_NAME.get(word[1:])
    if command is None:
        known = ", ".join(f"/{command.name}" for command in COMMANDS)
        return f"There is no {word}; there are {known}. A blank in front sends it as text."
    command.run(chat)
    return None
