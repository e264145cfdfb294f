from __future__ import annotations

import json
import re
import signal
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.e2e.terminal import PROGRAM, Terminal, assert_restored, terminal
from tests.e2e.test_chat import ask, chat_reply, chunk, config, ready
from tests.fakes.sse_server import Reply, Silence, serving, sse
from tests.fakes.talker import Pieces

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("folder")

STREAM = Reply((*sse(*(chunk(f"word{number} ") for number in range(20))), Silence()))
WAYS: dict[str, tuple[Callable[[Terminal], None], int]] = {
    "exit": (lambda chat: chat.send("/exit\r"), 0),
    "ctrl d": (lambda chat: chat.send("\x04"), 0),
    "ctrl c": (lambda chat: chat.send("\x03"), 0),
    "sigterm": (lambda chat: chat.signal(signal.SIGTERM), 143),
    "sighup": (lambda chat: chat.signal(signal.SIGHUP), 129),
    "sigquit": (lambda chat: chat.signal(signal.SIGQUIT), 131),
}
MOUSE_ON = re.compile(rb"\x1b\[\?100[0-6]h")
A_QUERY = re.compile(
    rb"\x1b\[[>=]?\d*c|\x1b\[\??\d+\$p|\x1b\]1[012];\?|\x1b\[\??6n|\x1b\[\?u|\x1bP\+q|\x1b\[>\d*q|\x1bZ"
)


@pytest.mark.parametrize("way", WAYS)
def test_an_idle_chat_that_is_left_has_asked_the_terminal_nothing_and_restores_it(way):
    act, code = WAYS[way]
    with terminal("--local") as chat:
        ready(chat)
        act(chat)
        assert chat.exit_code(within=3) == code
        assert_restored(chat)
        assert b"\x1b[?2004h" in chat.raw
        assert A_QUERY.search(chat.raw) is None
        assert MOUSE_ON.search(chat.raw) is None


def test_keys_that_make_signals_elsewhere_are_keys_and_act_from_no_paste():
    with terminal("--local") as chat:
        ready(chat)
        chat.send("\x1ca\x1b[200~b\x1cc\x1ad\x03e\x1b[201~")
        chat.wait("❯ ab␜c␚d␃e")  # kept exactly, and shown as what they are
        chat.send("\x15\x04")
        assert chat.exit_code(within=3) == 0
        assert_restored(chat)


def test_ctrl_s_does_not_stop_the_screen():
    with terminal("--local") as chat:
        ready(chat)
        chat.send("\x13x")
        chat.wait("❯ x")


def test_a_terminal_that_ctrl_s_had_stopped_before_goes_on():
    with terminal("--local") as chat:
        chat.send("\x13")  # the driver still takes it as its own
        ready(chat)


def test_what_is_typed_before_the_screen_is_up_is_not_lost():
    with terminal("--local") as chat:
        chat.send("typed early")
        chat.wait("❯ typed early")


def test_leaving_during_an_answer_restores_the_terminal_and_the_server_is_left(folder):
    ways = ("exit", "sigterm", "sighup")
    with serving(STREAM) as server, ExitStack() as running:
        settings = config(folder, server.url + "/v1")
        chats = [running.enter_context(terminal("-c", settings)) for _ in ways]
        for chat in chats:
            ready(chat)
            ask(chat, "Count")
        for way, chat in zip(ways, chats, strict=True):
            act, code = WAYS[way]
            chat.wait("word19")
            act(chat)
            assert chat.exit_code(within=3) == code
            assert_restored(chat)
            server.left.get(timeout=2)


def test_a_program_whose_terminal_is_gone_goes_too(folder):
    with serving(STREAM) as server, ExitStack() as running:
        settings = config(folder, server.url + "/v1")
        idle, streaming = (running.enter_context(terminal("-c", settings)) for _ in range(2))
        ready(idle)
        ready(streaming)
        ask(streaming, "Count")
        streaming.wait("word19")
        for chat in (idle, streaming):
            chat.hang_up()
            assert chat.gone(within=2) == 129


def test_a_terminal_that_has_stopped_taking_output_does_not_keep_the_program():
    with terminal("--local") as chat:
        ready(chat)
        chat.take_nothing()
        chat.send("x")
        chat.signal(signal.SIGTERM)
        assert chat.exit_code(within=3) == 143
        assert_restored(chat)


@pytest.mark.parametrize(
    ("number", "moment"),
    [
        (signal.SIGTERM, b""),
        (signal.SIGTERM, b"\x1b[?1049h"),
        (signal.SIGTERM, b"Ask"),
        (signal.SIGHUP, b"\x1b[?1049h"),
        (signal.SIGINT, b"\x1b[?1049h"),
    ],
)
def test_a_signal_during_the_start_restores_the_terminal(number, moment):
    with terminal("--local") as chat:
        chat.wait(lambda: moment in chat.raw)
        chat.signal(number)
        assert chat.exit_code(within=4) in (128 + number, 0 if number == signal.SIGINT else -1)
        assert_restored(chat)


def test_an_error_before_the_screen_leaves_the_terminal_alone(folder):
    with terminal("-c", str(folder / "none.yaml")) as chat:
        assert chat.exit_code() == 78
        assert b"\x1b[?1049h" not in chat.raw
        assert_restored(chat)


def test_a_suspended_chat_gives_the_terminal_back_and_redraws():
    shell = Terminal(["/bin/bash", "--norc", "--noprofile", "-i"], PS1="shell$ ", TERM="xterm-256color")
    try:
        shell.wait("shell$")
        shell.send(f"{PROGRAM} --local\r")
        ready(shell)
        shell.send("draft")
        shell.wait("❯ draft")
        shell.send("\x1a")
        shell.wait("Stopped")
        assert shell.raw.rfind(b"\x1b[?1049l") > shell.raw.rfind(b"\x1b[?1049h")
        shell.send("echo $((6*7))\r")
        shell.wait("42")
        suspended = len(shell.raw)
        shell.send("fg\r")
        shell.wait(lambda: b"draft" in shell.raw[suspended:].partition(b"\x1b[?1049h")[2])  # drawn anew
        shell.send("\nx")  # Ctrl+J is still a new line
        shell.wait("❯ draft\n  x\n")
        shell.send("\x03")
        shell.wait("Ask anything")
        shell.send("\x03")
        shell.wait(
            lambda: shell.raw.rfind(b"shell$") > shell.raw.rfind(b"\x1b[?1049l") > shell.raw.rfind(b"\x1b[?1049h")
        )
        shell.send("exit\r")
        shell.exit_code()
    finally:
        shell.close()


def test_resizes_in_a_storm_end_in_a_right_screen(folder):
    pieces = Pieces()
    sizes = [(1, 1), (20, 5), (200, 60), (80, 24), (2, 40), (150, 2), (40, 12), (7, 7), (3, 1), (120, 40)] * 5
    with serving(Reply(pieces)) as server, terminal("-c", config(folder, server.url + "/v1")) as chat:
        ready(chat)
        ask(chat, "Count")
        for number, size in enumerate(sizes):
            pieces.say(*sse(chunk(f"- item {number} 猫\n")))
            chat.resize(size)
            chat.read(0.01)
        pieces.say(
            *sse(chunk("\nThe end."), {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, "[DONE]")
        )
        pieces.end()
        chat.resize((80, 24))
        chat.wait(lambda: "The end." in chat.text and "Imagining" not in chat.text)
        chat.wait(lambda: chat.rows[-2].startswith("❯ Ask anything") and chat.rows[-1].endswith("model-1"))
        assert [row for row in chat.rows if "item" in row][-3:] == [f"• item {number} 猫" for number in (47, 48, 49)]
        chat.send("/exit\r")
        assert chat.exit_code(within=3) == 0
        assert_restored(chat)


def test_a_paste_is_inserted_whole_and_sent_by_enter_alone(folder):
    text = "one\n\n\ttwo 猫 👩‍💻  \n" + "x" * 5000 + "\n/exit\nend paste"
    with serving(chat_reply("OK")) as server, terminal("-c", config(folder, server.url + "/v1")) as chat:
        ready(chat)
        sent = f"\x1b[200~{text}\x1b[201~".replace("\n", "\r").encode()
        for start in range(0, len(sent), 997):
            chat.send(sent[start : start + 997])
            chat.read(0.01)
        chat.wait("[pasted 6 lines, 5 kB]")
        assert server.requests.empty()
        chat.send("\r")
        assert server.request().json["messages"][-1]["content"] == text


def two_providers(folder: Path, url: str) -> str:
    path = folder / "config.yaml"
    entry = {"protocol": "openai-compat", "api_key": "k", "base_url": url}
    entries = [{"name": name, "model": f"{name}-model", **entry} for name in ("first", "second")]
    path.write_text(json.dumps({"providers": entries}), encoding="utf-8")
    path.chmod(0o600)
    return str(path)


def test_the_picker_opens_the_chat_with_the_chosen_provider(folder):
    with serving(chat_reply("Hi.")) as server:
        path = two_providers(folder, server.url + "/v1")
        with terminal("-c", path) as chat:
            chat.wait("Which provider?")
            assert [row for row in chat.rows if "-model" in row] == ["first   first-model", "second  second-model"]
            chat.send("\x1b[B\r")
            ready(chat)
            ask(chat, "Hello")
            chat.wait("Hi.")
            assert server.request().json["model"] == "second-model"
            chat.signal(signal.SIGTERM)
            assert chat.exit_code() == 143
            assert_restored(chat)


def test_leaving_the_picker_restores_the_terminal(folder):
    with terminal("-c", two_providers(folder, "http://127.0.0.1:9/v1")) as chat:
        chat.wait("Which provider?")
        chat.send("\x1b")
        assert chat.exit_code(within=3) == 0
        assert_restored(chat)
