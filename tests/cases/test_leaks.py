"""A fault anywhere inside the program, while a key is at hand: nobody gets to see the key."""

from __future__ import annotations

import base64
import os
import sys
from pathlib import Path

import pytest

from tests.cases.case import EVENT_STREAM, Case, answer
from tests.cases.faulty import KEY_VARIABLE, PLACES
from tests.cases.play import case_serving, config_file
from tests.e2e.terminal import Terminal
from tests.fakes.case_server import Step

CANARY = "sk-C2A3N4A5R6Y7-0123456789abcdef"
ENCODED = base64.b64encode(CANARY.encode()).decode()
POINTS = Case("C089").json("points.json")
LOUD = {"PYTHONFAULTHANDLER": "1", "PYTHONDEVMODE": "1", "OPENAI_LOG": "debug", "ANTHROPIC_LOG": "debug"}
PATIENCE = 20.0
HERE = str(Path(__file__).resolve().parents[2])

each_way = pytest.mark.parametrize("key", [CANARY, f"${{{KEY_VARIABLE}}}"], ids=["written", "variable"])


def shows_the_key(text: bytes) -> bool:
    return any(word.encode() in text for word in (CANARY, CANARY[4:], ENCODED[:-6]))


def all_files(folder: Path) -> bytes:
    """Everything that the program has left, the configuration apart."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("config-"))
    return b"".join(path.read_bytes() for path in files)


def processes(chat: Terminal) -> bytes:
    """What everybody on the machine can see of the program and its children: their arguments; the children's
    environment as well."""
    children = Path(f"/proc/{chat.pid}/task/{chat.pid}/children").read_text().split()
    found = Path(f"/proc/{chat.pid}/cmdline").read_bytes()
    for child in children:
        found += Path(f"/proc/{child}/cmdline").read_bytes() + Path(f"/proc/{child}/environ").read_bytes()
    return found


def start(point: str, key: str, url: str, home: Path, **environ: str) -> Terminal:
    """The chat with this fault in it, and everything switched on that makes a fault loud."""
    config = config_file(url, "openai-compat", api_key=key)
    command = [sys.executable, "-m", "tests.cases.faulty", point, "-c", str(config), "--log", "debug"]
    return Terminal(command, (80, 24), HOME=str(home), PYTHONPATH=HERE, **LOUD, **environ, **{KEY_VARIABLE: CANARY})


def test_c089_every_point_of_the_case_is_tried():
    assert sorted(PLACES) == sorted(POINTS)


@each_way
@pytest.mark.parametrize("point", [point for point in POINTS if point not in ("request", "stream", "save")])
def test_c089_a_fault_that_ends_the_program_is_one_line_and_a_log_without_the_key(point, key, tmp_path):
    with case_serving(answer("openai-compat", "reply.")) as server:
        chat = start(point, key, server.url, tmp_path)
        try:
            assert chat.exit_code() == 1
            last = chat.raw.replace(b"\r\n", b"").rsplit(b"mewcode: ", 1)[-1]
            assert last.startswith(b"internal error (RuntimeError)")
            assert b"Traceback" not in chat.raw
            assert not shows_the_key(chat.raw)
        finally:
            chat.close()
    left = all_files(tmp_path)
    assert b"Traceback" in left  # in the log, for whoever asks for it
    assert b"a fault that knows ***" in left
    assert not shows_the_key(left)


@each_way
@pytest.mark.parametrize("point", ["request", "stream", "save"])
def test_c089_a_fault_of_a_turn_or_a_command_is_one_sentence_and_the_chat_goes_on(point, key, tmp_path):
    with case_serving(answer("openai-compat", "reply."), answer("openai-compat", "reply.")) as server:
        chat = start(point, key, server.url, tmp_path)
        try:
            chat.wait("Ask anything")
            chat.send("hi\r")
            chat.wait("reply." if point == "save" else "internal error")
            chat.wait(lambda: "Imagining" not in chat.text)
            chat.send("/save talk.md\r")
            chat.wait("RuntimeError" if point == "save" else "Saved")
            assert not shows_the_key(processes(chat))
            chat.send("\x15\x04")
            assert chat.exit_code() == 0
            assert b"Traceback" not in chat.raw
            assert not shows_the_key(chat.raw)
        finally:
            chat.close()
    assert not shows_the_key(all_files(tmp_path))
    assert not shows_the_key(all_files(Path.cwd()))


def test_c089_a_crash_in_mid_conversation_restores_the_terminal_and_leaves_the_conversation_on_it(tmp_path):
    with case_serving(answer("openai-compat", "reply.")) as server:
        chat = start("mewcode.tui.exchange:Exchange._facts", CANARY, server.url, tmp_path)
        try:
            chat.wait("Ask anything")
            chat.send("hi\r")
            assert chat.exit_code(within=PATIENCE) == 1
            assert chat.modes == chat.modes_before
            assert "reply." in chat.text
            assert "internal error (RuntimeError)" in chat.text
            assert not shows_the_key(chat.raw)
        finally:
            chat.close()


def test_c089_a_server_that_repeats_the_key_is_quoted_without_it(tmp_path):
    said = f"wrong key {CANARY}, which is {ENCODED}"
    step = Step(status=400, headers=EVENT_STREAM, body=said.encode())
    with case_serving(step) as server:
        chat = start("save", CANARY, server.url, tmp_path)
        try:
            chat.wait("Ask anything")
            chat.send("hi\r")
            chat.wait("wrong key ***")
            assert not shows_the_key(chat.raw)
        finally:
            chat.close()
    assert os.environ.get(KEY_VARIABLE) is None
