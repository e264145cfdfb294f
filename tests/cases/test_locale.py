"""Locales that are not UTF-8, or not there: nothing crashes, nothing is lost, and the screen stays whole."""

from __future__ import annotations

import json
import re

import pytest

from tests.cases.case import Case, answer
from tests.cases.play import case_serving, config_file
from tests.e2e.terminal import terminal
from tests.fakes.program import Home

BODY = Case("C085").text("body.md")
LINES = Case("C085").text("env.txt").splitlines()
STAND_INS = re.compile(r'curly ["?“]quotes["?”] [-?–]+ caf(é|\?|<U\+E9>|e)')
TYPED = "Grüße “日本”"

each_locale = pytest.mark.parametrize("line", LINES)


def variables(line):
    """The locale's, and nothing else of this machine's."""
    clean = dict.fromkeys(("LC_ALL", "LC_CTYPE", "LANG"), "")
    return clean | dict(pair.split("=", 1) for pair in line.split())


def sent(server):
    return json.loads(server.requests[-1].body)["messages"][-1]["content"]


@each_locale
def test_c085_once_writes_utf_8_into_a_pipe_and_sends_what_was_typed(tmp_path, line):
    home = Home(tmp_path, variables(line))
    with case_serving(answer("openai-compat", *BODY)) as server:
        config = str(config_file(server.url, "openai-compat").absolute())
        ran = home.run("once", "-c", config, "-m", TYPED)
        assert (ran.code, ran.text, sent(server)) == (0, BODY, TYPED)


@each_locale
def test_c085_once_at_a_terminal_shows_stand_ins_at_most(line):
    with (
        case_serving(answer("openai-compat", *BODY)) as server,
        terminal("once", "-c", str(config_file(server.url, "openai-compat")), "-m", TYPED, **variables(line)) as ended,
    ):
        assert ended.exit_code() == 0
        assert sent(server) == TYPED
    assert b"Traceback" not in ended.raw
    assert STAND_INS.search(ended.raw.decode("utf-8", "replace"))


@each_locale
def test_c085_the_chat_is_whole_at_any_locale(line):
    with (
        case_serving(answer("openai-compat", *BODY)) as server,
        terminal("-c", str(config_file(server.url, "openai-compat")), size=(60, 24), **variables(line)) as chat,
    ):
        chat.wait("Ask anything")
        chat.send(TYPED.encode() + b"\r")
        chat.wait(" s ")
        chat.wait(lambda: "magining" not in chat.text)
        assert STAND_INS.search(chat.text), chat.text
        assert chat.rows[-1].startswith("demo")
        assert chat.rows[-1].endswith("demo-model")
        assert sent(server) == TYPED
        chat.send("\x04")
        chat.wait(lambda: b"\x1b[?1049l" in chat.raw)
        chat.send("\x04")
        assert chat.exit_code() == 0
    assert b"Traceback" not in chat.raw
