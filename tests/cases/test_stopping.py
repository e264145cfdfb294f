"""Ctrl+C in mid-answer, and a stdin that nobody closes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import pytest

from tests.cases.case import Case, answer
from tests.cases.keys import play_keys
from tests.cases.play import case_serving, config_file
from tests.e2e.terminal import terminal
from tests.fakes.program import LIMIT, Home

NOTE = "stdin"  # the word by which the note about an unread stdin is known


def test_c080_the_text_stops_the_server_is_left_and_the_half_answer_is_history():
    case = Case("C080")
    with (
        case_serving(*case.steps) as server,
        terminal("-c", str(config_file(server.url, case.protocol))) as chat,
    ):
        chat.wait("Ask anything")
        screens = play_keys(chat, case.text("keys.txt"), server)
        (stopped,) = [text for line, text in screens if line == "key ctrl-c"]
        (later,) = [text for line, text in screens if line == "wait 1"]
        assert "Cancelled after" in stopped
        assert stopped == later
        shown = words_of(later)
        assert shown
        said = [message["content"] for message in json.loads(server.requests[1].body)["messages"]]
        assert said[-3] == "count"
        assert said[-2].split() == shown
        assert said[-1] == "next"
        chat.wait(lambda: "Imagining" not in chat.text)
        chat.send("\x04")
        assert chat.exit_code() == 0


def words_of(text):
    """What this server says, as far as it is shown."""
    return [word for word in text.split() if word.startswith("word")]


def test_c080_text_stops_within_a_third_of_a_second_and_the_server_sees_it_within_one():
    (step, _) = Case("C080").steps
    with (
        case_serving(step) as server,
        terminal("-c", str(config_file(server.url, "openai-compat"))) as chat,
    ):
        chat.wait("Ask anything")
        chat.send("count\r")
        chat.wait("word3")
        chat.send("\x03")
        pressed = time.monotonic()
        chat.wait("Cancelled after")
        assert time.monotonic() - pressed < 0.3
        assert server.left.get(timeout=LIMIT) - pressed < 1


def test_c080_once_ends_with_130_within_a_second_and_keeps_what_came(tmp_path):
    (step, _), home = Case("C080").steps, Home(tmp_path)
    with case_serving(step) as server:
        process = home.start("once", "-c", str(config_file(server.url, "openai-compat").absolute()), "-m", "hi")
        assert process.stdout is not None
        first = process.stdout.read(len("word0 "))
        began = time.monotonic()
        came = first + process.stdout.read(len("word0 " * 4))
        process.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        assert process.wait(LIMIT) == 130
        assert time.monotonic() - pressed < 1
        ran = home.finish(process)
    words = (came + ran.out).decode().split()
    assert words == [f"word{number}" for number in range(len(words))]
    assert len(words) >= 1 + int((pressed - began) / step.delay - 0.3)  # all that had come
    assert "Traceback" not in ran.err


def asked(server):
    return json.loads(server.requests[-1].body)["messages"][-1]["content"]


@pytest.mark.parametrize("stdin", Case("C083").json("run.json"))
def test_c083_an_explicit_message_is_answered_whatever_stdin_is(tmp_path, stdin):
    home = Home(tmp_path)
    with case_serving(answer("openai-compat", "ok")) as server:
        config = str(config_file(server.url, "openai-compat").absolute())
        master, slave = os.openpty()
        reading, writing = os.pipe()
        given = {"/dev/null": subprocess.DEVNULL, "setsid without tty": subprocess.DEVNULL, "tty": slave}
        if stdin == "pipe with text":
            os.write(writing, b"a file\n")
            os.close(writing)
        if stdin == "closed":
            ran = home.shell(f"$MEWCODE once -c {config} -m hi 0<&-")
        else:
            process = home.start(
                "once", "-c", config, "-m", "hi", stdin=given.get(stdin, reading), start_new_session="setsid" in stdin
            )
            ran = home.finish(process)
        done = time.monotonic()
        assert (ran.code, ran.text) == (0, "ok")
        assert done - server.requests[-1].at < 2
        assert asked(server) == ("hi\n\na file" if stdin == "pipe with text" else "hi")
        assert (NOTE in ran.err) is (stdin == "open silent pipe")
        assert "\x1b" not in ran.text
        for fd in {master, slave, reading, *([] if stdin == "pipe with text" else [writing])}:
            os.close(fd)


def test_c083_nothing_opens_the_terminal_behind_the_streams(tmp_path):
    home = Home(tmp_path)
    with case_serving(answer("openai-compat", "ok")) as server:
        config = str(config_file(server.url, "openai-compat").absolute())
        trace = tmp_path / "opened"
        home.write("sitecustomize.py", OPENED)
        watched = Home(tmp_path, {"PYTHONPATH": str(tmp_path), "OPENED": str(trace)})
        assert watched.finish(watched.start("once", "-c", config, "-m", "hi", start_new_session=True)).code == 0
    opened = trace.read_text().splitlines()
    assert config in opened
    assert "/dev/tty" not in opened


OPENED = """
import os, sys
out = os.open(os.environ["OPENED"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
sys.addaudithook(lambda event, args: event == "open" and os.write(out, f"{args[0]}\\n".encode()))
"""
