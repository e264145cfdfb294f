from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mewcode.tui.commands import COMMANDS, is_command, run_command
from mewcode.tui.keys import KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable


class Told:
    """A chat that notes what commands do to it."""

    def __init__(self, running: bool = False) -> None:
        self.running = running
        self.done: list[str] = []
        self.explained: dict[str, str] = {}

    def explain(self, table: Iterable[tuple[str, str]]) -> None:
        self.done.append("explain")
        self.explained = dict(table)

    def clear(self) -> None:
        self.done.append("clear")

    def retry(self) -> None:
        self.done.append("retry")

    def continue_answer(self) -> None:
        self.done.append("continue")

    def quit(self) -> None:
        self.done.append("quit")


@pytest.mark.parametrize("text", ["/help", "/exit", "/nope", "/nope now", "/no-pe", "/?", "/猫", "/exit\nnow"])
def test_a_first_word_with_one_slash_in_front_is_a_command(text):
    assert is_command(text)


@pytest.mark.parametrize(
    "text", ["", "help", " /help", "/", "/ help", "//help", "/etc/hosts is", "/a/", "\n/help", "a /help"]
)
def test_anything_else_is_text(text):
    assert not is_command(text)


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("/help", "explain"),
        ("/clear", "clear"),
        ("/retry", "retry"),
        ("/continue", "continue"),
        ("/exit", "quit"),
        ("/exit ", "quit"),
    ],
)
def test_each_command_does_what_it_says(text, done):
    chat = Told()
    assert run_command(chat, text) is None
    assert chat.done == [done]


def test_the_help_explains_every_command_and_every_key():
    chat = Told()
    run_command(chat, "/help")
    assert list(chat.explained) == [*(f"/{command.name}" for command in COMMANDS), *(key.keys for key in KEYS)]


def test_an_unknown_command_is_named_with_those_there_are_and_the_way_round():
    chat = Told()
    assert run_command(chat, "/exti now") == (
        "There is no /exti; there are /help, /clear, /retry, /continue, /exit. A blank in front sends it as text."
    )
    assert chat.done == []


def test_a_long_unknown_command_is_named_in_short():
    sentence = run_command(Told(), "/" + "x" * 5000)
    assert sentence is not None
    assert len(sentence) < 150


@pytest.mark.parametrize("text", ["/clear all", "/exit\nsecond line"])
def test_a_command_with_more_behind_it_is_not_run_so_that_nothing_is_lost(text):
    chat = Told()
    sentence = run_command(chat, text)
    assert sentence is not None
    assert "stands alone" in sentence
    assert chat.done == []


def test_while_an_answer_runs_only_what_needs_no_room_is_done():
    chat = Told(running=True)
    assert run_command(chat, "/help") == "still answering; Esc cancels"
    assert run_command(chat, "/exit") is None
    assert chat.done == ["quit"]
