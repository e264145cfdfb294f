"""Text files that go along: `-f` of once and of the chat, and `/file`."""

from __future__ import annotations

import pytest

from tests.cases.case import answer
from tests.cases.play import case_serving, config_file
from tests.cases.strict import said
from tests.e2e.terminal import terminal
from tests.fakes.dialects import settle_sdks
from tests.fakes.inside import run_inside
from tests.fakes.program import Home

NOTES = "notes.txt:\n\n```\none\ntwo\n```"


@pytest.fixture(scope="module", autouse=True)
def _settled_sdks():
    settle_sdks()


@pytest.fixture
def asked(folder, monkeypatch):
    """A server, what it was asked last, and the flags that lead to it."""
    monkeypatch.chdir(folder)
    (folder / "notes.txt").write_text("one\ntwo\n")
    with case_serving(*[answer("openai-compat", f"reply {n}.") for n in range(3)]) as server:
        config = ["-c", str(config_file(server.url, "openai-compat").absolute())]
        yield (lambda: said(server.requests[-1])[-1][1]), config


def test_once_sends_them_in_front_of_the_message_and_of_what_is_piped(asked, folder):
    last, config = asked
    (folder / "b.md").write_text("# B")
    assert run_inside("once", *config, "-f", "notes.txt", "--file", "b.md", "-m", "Why?").code == 0
    assert last() == f"{NOTES}\n\nb.md:\n\n```\n# B\n```\n\nWhy?"
    home = Home(folder)
    assert home.run("once", *config, "-f", "notes.txt", "-m", "Why?", given=b"piped\n").code == 0
    assert last() == f"{NOTES}\n\nWhy?\n\npiped"


def test_once_waits_for_stdin_where_it_is_named_and_needs_no_other_message(asked, folder):
    last, config = asked
    assert Home(folder).run("once", *config, "-f", "-", given=b"from a pipe\n").code == 0
    assert last() == "stdin:\n\n```\nfrom a pipe\n```"


@pytest.mark.parametrize(
    ("data", "code", "words"), [(b"\x00\x01", 65, "not text in UTF-8"), (None, 74, "No such file")]
)
def test_once_refuses_what_cannot_go_along_before_it_asks(asked, folder, data, code, words):
    _, config = asked
    if data is not None:
        (folder / "data").write_bytes(data)
    ran = run_inside("once", *config, "-f", "data", "-m", "Why?")
    assert (ran.code, ran.out, ran.err.count("\n")) == (code, b"", 1)
    assert words in ran.err


def test_the_chat_takes_them_from_the_command_line_and_from_a_command(asked, folder):
    last, config = asked
    with terminal(*config, "-f", "notes.txt") as chat:
        chat.wait("notes.txt (2 lines) goes along with the next message")
        chat.send("Why?\r")
        chat.wait("reply 0.")
        assert last() == f"{NOTES}\n\nWhy?"
        chat.send("And?\r")
        chat.wait("reply 1.")
        assert last() == "And?"
        chat.send("/file no")
        chat.send("\t")
        chat.wait("❯ /file notes.txt")
        chat.send("\r")
        chat.wait(lambda: chat.text.count("goes along with the next") == 1 and "❯ Ask anything" in chat.text)
        chat.send("So?\r")
        chat.wait("reply 2.")
        assert last() == f"{NOTES}\n\nSo?"


def test_the_chat_does_not_wait_for_a_file_on_its_own_input(folder):
    ran = Home(folder).run("--local", "-f", "-", given=b"x")
    assert (ran.code, ran.text) == (2, "")
    assert "`-f -` is for `mewcode once`" in ran.err


def test_line_by_line_too(asked, folder):
    last, config = asked
    ran = Home(folder).run(*config, "--plain", "-f", "notes.txt", given=b"Why?\n/file gone\n")
    assert (ran.code, ran.text) == (0, "reply 0.\n")
    assert last() == f"{NOTES}\n\nWhy?"
    assert "gone cannot be read: No such file or directory" in ran.err.lower().replace("no such", "No such")
