"""A whole session over a real OpenSSH, and one that is left and found again in tmux."""

from __future__ import annotations

import os
import re
import select
import time
from pathlib import Path
from uuid import uuid4

import pytest

from tests.cases.case import Case
from tests.cases.play import case_serving, config_file
from tests.e2e.terminal import PROGRAM, Terminal

MARK = "MEWCODE_TEST_MARK"


def marked(mark: str) -> set[int]:
    """The processes that have this mark in their environment: the program, and its embedded model."""
    return {int(path.parent.name) for path in Path("/proc").glob("[0-9]*/environ") if mark.encode() in _read(path)}


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.fixture
def session(sshd, tmp_path):
    """A login with a shell, in a home of its own; the command that starts the chat, and its mark."""
    mark = uuid4().hex
    given = {"HOME": str(tmp_path), "LC_ALL": "C.UTF-8", "PS1": "there:"}
    words = " ".join(f"{name}={value}" for name, value in given.items())
    client = Terminal(sshd.client(f"cd {tmp_path}; env {words} bash --norc --noprofile -i"))
    try:
        client.wait("there:")
        yield client, f"{MARK}={mark} {PROGRAM}", mark
    finally:
        client.close()


def test_a_chat_over_ssh_from_the_first_word_to_a_lost_connection(session):
    client, program, mark = session
    client.send(f"{program} --local\r")
    client.wait("Ask anything")
    client.send("The secret word is banana. Say OK.\r")
    client.wait(" s · tokens", within=60)
    client.send("What is the secret word?\r")
    client.wait(lambda: client.text.count(" s · tokens") == 2, within=60)
    assert "banana" in client.text.split("What is the secret word?")[1].lower()
    _resize_and_suspend(client)
    client.send("Count from one to one thousand, in words, slowly.\r")
    client.wait(lambda: re.search(r"Imagining… \(\d+s\)$", client.text, re.MULTILINE) is not None, within=60)
    ends = [os.pidfd_open(pid) for pid in marked(mark)]
    assert len(ends) >= 2  # the chat, and the embedded model
    client.hang_up()
    lost = time.monotonic()
    for end in ends:
        assert select.select([end], [], [], 10)[0]
        os.close(end)
    assert time.monotonic() - lost < 2
    assert marked(mark) == set()


def _resize_and_suspend(client: Terminal) -> None:
    for size in ((40, 12), (100, 30)):
        client.resize(size)
        client.wait(lambda: len(client.rows[-1]) == client.size[0] and client.rows[-1].startswith("local"))
    client.send("\x1a")
    client.wait("Stopped")
    client.send("echo $((6*7))\r")
    client.wait("42")
    start = len(client.raw)
    client.send("fg\r")
    client.wait(lambda: b"\x1b[?1049h" in client.raw[start:] and client.rows[-1].startswith("local"))
    assert "banana" in client.text


def test_a_chat_in_tmux_is_left_in_mid_answer_and_found_again_in_another_window(in_tmux):
    step, _ = Case("C080").steps
    with case_serving(step) as server:
        tmux = in_tmux(PROGRAM, "-c", str(config_file(server.url, "openai-compat").absolute()))
        tmux.follow_clients()
        first = Terminal(tmux.attaching())
        try:
            first.wait("Ask anything")
            first.send("count\r")
            first.wait("word3")
            tmux.detach()
            assert first.exit_code() == 0
        finally:
            first.close()
        tmux.wait("word20")
        second = Terminal(tmux.attaching(), (100, 30))
        try:
            second.wait(lambda: len(second.rows[-1]) == 100 and second.rows[-1].endswith("demo-model"))
            second.wait("word25")
            shown = [word for word in second.text.split() if word.startswith("word")]
            assert shown == [f"word{n}" for n in range(len(shown))]
            second.send("\x1b")
            second.wait("Cancelled after")
        finally:
            second.close()
