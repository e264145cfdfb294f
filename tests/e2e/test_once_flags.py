"""`mewcode once`: what `--raw`, `-q` and `--show-thinking` change, and what a terminal without UTF-8 gets."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stderr, redirect_stdout

import pytest

from mewcode import once
from mewcode.errors import ServerError
from mewcode.llm.events import Cancelled, Retrying, StreamEnd, TextDelta, ThinkingDelta
from mewcode.llm.messages import Usage
from tests.e2e.terminal import terminal
from tests.fakes.dialects import CHAT, settle_sdks
from tests.fakes.inside import run_inside
from tests.fakes.program import Home, Ran, entry
from tests.fakes.scripted import Scripted, Step, client_of
from tests.fakes.sse_server import Reply, json_error, serving
from tests.fakes.teletype import teletype
from tests.loopback import answers

END = StreamEnd("end", "stop", Usage())
CUT = StreamEnd("max_tokens", "length", Usage())
BUSY = json_error(503, {"error": {"message": "Busy"}}, retry_after_ms="20")


@pytest.fixture(scope="module", autouse=True)
def _settled_sdks():
    settle_sdks()


@pytest.fixture
def home(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    return Home(folder)


def inside(home, reply, *arguments, then=(), settings="", mode=0o600):
    with serving(reply, *then) as server:
        home.configure(entry("openai-compat", server.url, more=settings)).chmod(mode)
        return run_inside("once", "hi", *arguments)


def both(*script, encoding="utf-8", **wishes):
    """What arrives on one terminal that is stdout and stderr."""
    with teletype(encoding) as shown, redirect_stdout(shown.stream), redirect_stderr(shown.stream):
        once.run(client_of(Scripted(script)), "hi", once.Wishes(**wishes))
    return shown.written.decode(encoding)


def apart(*script, **wishes):
    """stdout and stderr of a run in a pipe."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        once.run(client_of(Scripted(script)), "hi", once.Wishes(**wishes))
    return out.getvalue(), err.getvalue()


def test_raw_is_the_text_as_it_came(home):
    ran = inside(home, CHAT.answer(*"a\x1b[31mb\x9b\r\n\u202e\x00"), "--raw")
    assert ran == Ran(0, "a\x1b[31mb\x9b\r\n\u202e\x00".encode(), "")
    assert both(TextDelta("a\x1b[31m"), TextDelta("\r"), END, raw=True) == "a\x1b[31m\r\n"


def test_raw_changes_neither_notes_nor_json_lines(home):
    reply = Reply(CHAT.wire(answers.chunk(content="\x1b"), answers.chunk("eos\x1b[1m")))
    assert inside(home, reply, "--raw").err == "mewcode: Stopped: eos␛[1m.\n"
    ran = inside(home, reply, "--raw", "--output", "jsonl")
    assert ran.out.isascii()
    assert b"\x1b" not in ran.out


def test_quiet_keeps_notes_back_and_no_error(home):
    retried = inside(home, BUSY, "-q", then=[CHAT.answer("Hello")], settings=", max_retries: 2")
    cut = inside(home, Reply(CHAT.wire(answers.chunk(content="Hel"), answers.chunk("length"))), "--quiet")
    warned = inside(home, CHAT.answer("Hello"), "-q", mode=0o644)
    assert [retried, cut, warned] == [Ran(0, b"Hello", ""), Ran(0, b"Hel", ""), Ran(0, b"Hello", "")]
    failed = inside(home, json_error(400, {"error": {"message": "No such field"}}), "-q")
    assert (failed.code, failed.text, failed.err.count("\n")) == (65, "", 1)
    assert "No such field" in failed.err


@pytest.mark.parametrize("flag", ["--raw", "-q", "--quiet", "--show-thinking"])
def test_the_flags_are_those_of_once_alone(home, flag):
    assert run_inside(flag, "once", "--local").err.startswith("mewcode: no message")
    ran = run_inside("chat", flag)
    assert (ran.code, ran.out) == (2, b"")
    assert flag in ran.err


def test_thinking_is_hidden_unless_it_is_asked_for(home):
    reply = Reply(CHAT.wire(*answers.THINKING["openai-compat"]))
    assert inside(home, reply) == Ran(0, b"Hi", "")
    assert inside(home, reply, "--show-thinking") == Ran(0, b"Hi", "Hmm.\n")


SCRIPT: list[Step] = [
    *(ThinkingDelta("Hm"), ThinkingDelta("\x1b[1mm\r"), TextDelta("a\n"), ThinkingDelta("So."), TextDelta("b")),
    CUT,
]


def test_thinking_is_inert_and_keeps_its_place_beside_the_text():
    note = "mewcode: Cut off at the token limit.\n"
    assert apart(*SCRIPT, thinking=True) == ("a\nb", f"Hm␛[1mm␍\nSo.\n{note}")
    assert both(*SCRIPT, thinking=True) == f"Hm␛[1mm␍\na\nSo.\nb\n{note}"
    assert both(*SCRIPT, thinking=True, quiet=True, raw=True) == "Hm␛[1mm␍\na\nSo.\nb\n"


def test_what_comes_after_thinking_alone_begins_a_line():
    assert apart(ThinkingDelta("Hm"), Cancelled(), thinking=True) == ("", "Hm\n")
    error = ServerError("Busy.")
    retry = Retrying(2, 3, 1.0, error)
    told = "Hm\nmewcode: Busy; retrying 2/3 in 1 s\n"
    assert apart(ThinkingDelta("Hm"), retry, TextDelta("a"), END, thinking=True)[1] == told


def test_a_stderr_that_is_gone_costs_the_answer_nothing():
    reading, writing = os.pipe()
    os.close(reading)
    err = io.TextIOWrapper(io.FileIO(writing, "wb"), write_through=True)
    out = io.StringIO()
    with err, redirect_stdout(out), redirect_stderr(err):
        assert once.run(client_of(Scripted(SCRIPT)), "hi", once.Wishes(thinking=True)) == 0
    assert out.getvalue() == "a\nb"


def test_a_terminal_of_another_encoding_gets_ascii_marks_and_what_it_can_show():
    shown = both(ThinkingDelta("\x1b"), TextDelta("\x1b[2J日é😀\u202e"), CUT, encoding="gbk", thinking=True)
    assert shown == "^[\n^[[2J日é?<U+202E>\nmewcode: Cut off at the token limit.\n"


@pytest.mark.parametrize(
    ("variables", "text"),
    [({"LC_ALL": "C"}, "“é”"), ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "???")],
)
def test_in_a_locale_without_utf_8_the_marks_are_ascii(home, variables, text):
    with serving(CHAT.answer("\x1b[2J“é”")) as server:
        home.configure(entry("openai-compat", server.url))
        with terminal("once", "hi", **variables, HOME=str(home.path)) as ended:
            assert ended.exit_code() == 0
    assert ended.raw.decode().removesuffix("\r\n") == f"^[[2J{text}"
