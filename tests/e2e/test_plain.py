"""The chat line by line: in pipes, and on a terminal that can do nothing."""

from __future__ import annotations

import os
import pty
import select
import signal

import pytest

from tests.fakes.dialects import CHAT
from tests.fakes.program import LIMIT, Home, entry
from tests.fakes.sse_server import json_error, serving


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


def chat(home, url, given, *flags):
    home.configure(entry("openai-compat", url + "/v1"))
    return home.run("--plain", *flags, given=given.encode())


def test_each_line_is_a_message_and_each_answer_is_on_stdout(home):
    with serving(CHAT.answer("Hello", " there"), CHAT.answer("Bye\x1b[2J")) as server:
        ran = chat(home, server.url, "Hi\n\n/usage\nSee you\\\nsoon")
        asked = [server.request().json["messages"] for _ in range(server.requests.qsize())]
    assert (ran.code, ran.text) == (0, "Hello there\nBye␛[2J\n")
    assert [messages[-1]["content"] for messages in asked] == ["Hi", "See you\nsoon"]
    assert [message["role"] for message in asked[1]] == ["system", "user", "assistant", "user"]
    assert "last answer: tokens" in ran.err


def test_it_starts_by_itself_where_nobody_looks_at_a_screen(home):
    with serving(CHAT.answer("Hello")) as server:
        home.configure(entry("openai-compat", server.url + "/v1"))
        assert home.run(given=b"Hi\n").text == "Hello\n"


def test_the_exit_code_is_that_of_the_last_answer(home):
    with serving(CHAT.answer("Hello"), json_error(401, {"error": {"message": "no"}})) as server:
        ran = chat(home, server.url, "Hi\nAgain\n")
    assert (ran.code, ran.text) == (77, "Hello\n")
    assert "refused the key" in ran.err
    assert "Traceback" not in ran.err


def test_a_command_that_needs_a_screen_says_so_and_exit_ends_it(home):
    with serving(CHAT.answer("Hello")) as server:
        ran = chat(home, server.url, "/raw\n/help\n/nope\n/copy\n/exit\nHi\n")
        assert server.requests.empty()
    assert (ran.code, ran.text) == (0, "")
    for words in ("The line mode shows answers as they are.", "/copy [N]: ", "There is no /nope", "no answer yet"):
        assert words in ran.err


class Dumb:
    """The program on a terminal whose TERM is dumb."""

    def __init__(self, home, *arguments):
        self.home = home
        self.process, self.master = self._start(arguments)
        self.seen = ""

    def _start(self, arguments):
        master, slave = pty.openpty()
        home = Home(self.home.path, {"TERM": "dumb"})
        process = home.start(*arguments, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        return process, master

    def wait_for(self, words):
        while words not in self.seen:
            ready, _, _ = select.select([self.master], [], [], LIMIT)
            assert ready, self.seen
            self.seen += os.read(self.master, 4096).decode(errors="replace")

    def send(self, text):
        os.write(self.master, text.encode())

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)


def test_on_a_dumb_terminal_it_talks_without_a_sequence_and_ctrl_c_cancels(home):
    with serving(CHAT.answer("Hello"), CHAT.stuck("Half")) as server:
        home.configure(entry("openai-compat", server.url + "/v1"))
        dumb = Dumb(home)
        try:
            dumb.wait_for("/help lists the commands]")
            dumb.send("Hi\n")
            dumb.wait_for("Hello")
            dumb.send("More\n")
            dumb.wait_for("Half")
            dumb.process.send_signal(signal.SIGINT)
            dumb.wait_for("[cancelled]")
            dumb.send("/exit\n")
            assert dumb.process.wait(LIMIT) == 130
            assert "\x1b" not in dumb.seen.replace("\x1b[?2004h", "").replace("\x1b[?2004l", "")
        finally:
            dumb.close()
