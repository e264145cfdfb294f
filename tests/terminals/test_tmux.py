"""The chat in a real tmux: suspended, left, found again, and ended with it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from tests.cases.case import Case
from tests.cases.play import case_serving, config_file
from tests.e2e.terminal import PROGRAM, Terminal
from tests.terminals.programs import (
    PROMPT,
    SHELL,
    Marked,
    begin_a_long_answer,
    fills,
    remember,
    seconds_until_gone,
    suspend_and_return,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Callable[..., Terminal]:
    """Starts clients in terminals, and ends them."""

    def start(command: list[str], size: tuple[int, int] = (80, 24)) -> Terminal:
        terminal = Terminal(command, size)
        request.addfinalizer(terminal.close)
        return terminal

    return start


def test_a_chat_with_the_embedded_model_in_tmux_from_the_first_word_to_the_end_of_tmux(in_tmux, client):
    tmux, chat = in_tmux(*SHELL, PS1=PROMPT), Marked("--local")
    tmux.wait(PROMPT)
    tmux.send(f"clear; {chat.command}\r")
    remember(tmux)
    for size in ((40, 12), (100, 30)):
        tmux.resize(size)
        tmux.wait(lambda: fills(tmux, "local"))
    suspend_and_return(tmux)
    tmux.follow_clients()
    first = client(tmux.attaching(), (100, 30))
    first.wait("Ask anything")
    begin_a_long_answer(first)
    first.send("\x02d")  # tmux's own keys to detach
    assert first.exit_code() == 0
    second = client(tmux.attaching(), (60, 20))
    second.wait(lambda: fills(second, "local") and "Imagining" in second.text)
    running = chat.running()
    assert len(running) >= 2  # the chat, and the embedded model
    assert seconds_until_gone(running, tmux.close) < 2
    assert chat.running() == set()


def test_a_chat_in_tmux_outlives_the_connection_and_is_found_again_over_another(in_tmux, client, sshd):
    step, _ = Case("C080").steps
    with case_serving(step) as server:
        tmux = in_tmux(PROGRAM, "-c", str(config_file(server.url, "openai-compat").absolute()))
        tmux.follow_clients()
        there = shlex.join(["env", "LC_ALL=C.UTF-8", *tmux.attaching()])
        first = client(sshd.client(there))
        first.wait("Ask anything")
        first.send("count\r")
        first.wait("word3")
        first.hang_up()
        tmux.wait("word20")
        second = client(sshd.client(there), (100, 30))
        second.wait(lambda: fills(second, "demo") and second.rows[-1].endswith("demo-model"))
        second.wait("word25")
        shown = [word for word in second.text.split() if word.startswith("word")]
        assert shown == [f"word{n}" for n in range(len(shown))]
        second.send("\x1b")
        second.wait("Cancelled after")
