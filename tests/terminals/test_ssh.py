"""The chat over a real OpenSSH: a whole session, and what becomes of it when the connection is lost."""

from __future__ import annotations

import os
import shlex
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cases.play import case_serving, config_file
from tests.e2e.terminal import PROGRAM, Terminal, assert_restored
from tests.fakes.case_server import Step
from tests.fakes.dialects import CHAT
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
    from collections.abc import Callable, Generator

    from tests.terminals.sshd import Sshd

HALF = Step(
    headers={"Content-Type": "text/event-stream"},
    framing="chunked",
    body=b"".join(CHAT.begun("half an answer")),
    end="stall",
)


@pytest.fixture
def connect(sshd: Sshd, tmp_path: Path) -> Generator[Callable[..., Terminal], None, None]:
    """Logs in, in a home of its own, and runs a command there."""
    given = {"HOME": str(tmp_path), "LC_ALL": "C.UTF-8", "PS1": PROMPT}
    if "PYTHONPATH" in os.environ:  # a login has no variable of the test's
        given["PYTHONPATH"] = os.environ["PYTHONPATH"]
    words = [f"{name}={value}" for name, value in given.items()]
    clients: list[Terminal] = []

    def start(*command: str) -> Terminal:
        there = f"cd {shlex.quote(str(tmp_path))} && exec {shlex.join(['env', *words, *command])}"
        clients.append(Terminal(sshd.client(there)))
        return clients[-1]

    yield start
    for client in clients:
        client.close()


def test_a_chat_over_ssh_from_the_first_word_to_a_lost_connection(connect):
    client, chat = connect(*SHELL), Marked("--local")
    client.wait(PROMPT)
    client.send(f"clear; {chat.command}\r")
    remember(client)
    for size in ((40, 12), (100, 30)):
        client.resize(size)
        client.wait(lambda: fills(client, "local"))
    suspend_and_return(client)
    assert "banana" in client.text
    begin_a_long_answer(client)
    running = chat.running()
    assert len(running) >= 2  # the chat, and the embedded model
    assert seconds_until_gone(running, client.hang_up) < 2
    assert chat.running() == set()


def test_a_connection_that_is_lost_on_the_other_side_ends_the_chat_and_its_request(connect):
    with case_serving(HALF) as server:
        chat = Marked("-c", str(config_file(server.url, "openai-compat").absolute()))
        client = connect(*SHELL)
        client.wait(PROMPT)
        client.send(f"{chat.command}\r")
        client.wait("Ask anything")
        client.send("Hello\r")
        client.wait("half an answer")
        (running,) = chat.running()
        assert seconds_until_gone([running], lambda: os.kill(login_of(running), signal.SIGKILL)) < 2
        server.left.get(timeout=2)
        assert client.exit_code() == 255  # of ssh itself


def login_of(pid: int) -> int:
    """The sshd that the process came from."""
    while _stat(pid)[0] != "sshd":
        pid = int(_stat(pid)[1])
    return pid


def _stat(pid: int) -> tuple[str, str]:
    """The name and the parent."""
    head, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
    return head.partition("(")[2].partition("-")[0], rest.split()[1]


def test_a_chat_that_is_all_of_a_connection_gives_back_the_terminal_and_its_exit_code(connect):
    client = connect(PROGRAM, "--local")
    client.wait("Ask anything")
    client.send("draft\x1a")  # with no shell to return to it goes on
    client.wait("❯ draft")
    client.send("ed")
    client.wait("❯ drafted")
    client.send("\x15/exit\r")
    assert client.exit_code() == 0
    assert_restored(client)
    wrong = connect(PROGRAM, "-c", "none.yaml")
    assert wrong.exit_code() == 78
    assert "none.yaml" in wrong.text
