"""Every way out, and the way to the background and back: the terminal is as it was, and the process is gone."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cases.case import Case, answer
from tests.cases.faulty import KEY_VARIABLE
from tests.cases.play import case_serving, config_file
from tests.cases.test_leaks import shows_the_key, start
from tests.e2e.terminal import PROGRAM, Terminal, assert_modes_restored, assert_restored, terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

WAYS: dict[str, int] = dict(Case("C073").json("ways.json"))
MEANWHILE = 1.0  # seconds that the chat of C077 is suspended
DRAW, WORK, CALLBACK = "draw", "mewcode.providers._chat_answer:_Answer.grow", "mewcode.tui.exchange:Exchange._facts"
ACTS: dict[str, Callable[[Terminal], None]] = {
    "quit command": lambda chat: chat.send("/exit\r"),
    "SIGTERM": lambda chat: chat.signal(signal.SIGTERM),
    "SIGHUP": lambda chat: chat.signal(signal.SIGHUP),
    "SIGQUIT": lambda chat: chat.signal(signal.SIGQUIT),
    "SIGABRT from outside": lambda chat: chat.signal(signal.SIGABRT),
}


def twice(chat: Terminal, act: Callable[[], None]) -> None:
    """A conversation would be lost: the first time only asks."""
    act()
    chat.wait("Ctrl+C again quits")
    act()


ACTS |= {
    "Ctrl-C twice at idle": lambda chat: twice(chat, lambda: chat.send("\x03")),
    "SIGINT from outside, twice (it counts as Ctrl-C)": lambda chat: twice(chat, lambda: chat.signal(signal.SIGINT)),
}
FAULTS = {  # where, which, and whether the program goes on
    "uncaught exception in a draw function (fault injection)": (DRAW, "RuntimeError", False),
    "uncaught exception in the worker thread (the turn fails, the program goes on), then quit": (
        WORK,
        "RuntimeError",
        True,
    ),
    "MemoryError in the worker (as above), then quit": (WORK, "MemoryError", True),
    "sys.exit(1) inside a callback": (CALLBACK, "SystemExit", False),
}
CLOSED = "terminal closed by the other side"


def test_c073_every_way_of_the_case_is_tried():
    assert {*ACTS, *FAULTS, CLOSED} == {*WAYS}


@pytest.mark.parametrize("way", ACTS)
def test_c073_the_terminal_is_as_it_was(way):
    with (
        case_serving(answer("openai-compat", "reply.")) as server,
        terminal("-c", str(config_file(server.url, "openai-compat"))) as chat,
    ):
        chat.wait("Ask anything")
        chat.send("hi\r")
        chat.wait(lambda: "reply." in chat.text and "Imagining" not in chat.text)
        assert not re.search(rb"\x1b\[\?100[0-6]h", chat.raw)  # the mouse is the terminal's
        ACTS[way](chat)
        assert chat.exit_code(within=3) == WAYS[way]
        assert_restored(chat)
        assert b"reply." in chat.raw.rpartition(b"\x1b[?1049l")[2] or way == "SIGHUP"


@pytest.mark.parametrize("way", FAULTS)
def test_c073_after_a_fault_too_and_its_sentence_stands_on_the_main_screen_without_the_key(way, tmp_path):
    point, fault, goes_on = FAULTS[way]
    with case_serving(answer("openai-compat", "reply."), answer("openai-compat", "again.")) as server:
        chat = start(point, f"${{{KEY_VARIABLE}}}", server.url, tmp_path, FAULT=fault)
        try:
            if point != DRAW:
                chat.wait("Ask anything")
                chat.send("hi\r")
            if goes_on:
                chat.wait(f"internal error ({fault})")
                chat.wait(lambda: "Imagining" not in chat.text)
                chat.send("/exit\r")
            assert chat.exit_code(within=20) == WAYS[way]
            assert_modes_restored(chat)
        finally:
            chat.close()
    after = chat.raw.rpartition(b"\x1b[?1049l")[2]
    assert (f"internal error ({fault})".encode() in after) is (fault != "SystemExit")
    assert b"Traceback" not in chat.raw
    assert not shows_the_key(chat.raw)


@contextlib.contextmanager
def chatting(state: str, *, ignoring: bool) -> Generator[Terminal, None, None]:
    """A chat that is idle, in the middle of an answer, or waiting for more of one that has stalled."""
    (stalled,) = Case("C075").steps
    flows = Case("C080").steps[0]
    with case_serving(stalled if state == "stalled" else flows) as server:
        config = str(config_file(server.url, "openai-compat"))
        command = [PROGRAM, "-c", config]
        chat = Terminal(["/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh", *command] if ignoring else command)
        try:
            chat.wait("Ask anything")
            if state == "idle":
                chat.wait(lambda: not works(chat))
            else:
                chat.send("count\r")
                chat.wait("word3" if state == "streaming" else "Imagining")
                server.wait_for_requests(1)
            yield chat
        finally:
            chat.close()


def works(chat: Terminal) -> bool:
    """Whether the SDK still loads, which the chat does in a thread of its own."""
    before = cpu_of(chat.pid)
    chat.quiet_for(0.3)
    return cpu_of(chat.pid) - before > 0.1


def cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_of_the_ended() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("ignoring", [False, True], ids=["hang-up", "nohup"])
@pytest.mark.parametrize("state", ["idle", "streaming", "stalled"])
def test_c073_c075_a_program_whose_terminal_is_gone_goes_within_two_seconds_and_burns_nothing(state, ignoring):
    with chatting(state, ignoring=ignoring) as chat:
        before = cpu_of_the_ended()
        used = cpu_of(chat.pid)
        chat.hang_up()
        assert chat.gone(within=2) == WAYS[CLOSED]
        assert cpu_of_the_ended() - before - used < 0.2


@contextlib.contextmanager
def in_a_shell() -> Generator[tuple[Terminal, str], None, None]:
    """An interactive shell with the settings of its terminal on the screen; the command that starts the chat."""
    first = Case("C080").steps[0]
    with case_serving(first, first) as server:
        config = str(config_file(server.url, "openai-compat"))
        shell = Terminal(["/bin/bash", "--norc", "--noprofile", "-i"], (80, 24), PS1="shell$ ")
        try:
            shell.wait("shell$")
            yield shell, f"{PROGRAM} -c {config}\r"
        finally:
            shell.close()


def settings_of(shell: Terminal) -> str:
    """What `stty -a` prints, without the size."""
    start = len(shell.raw)
    shell.send("""sh -c "stty -a; echo o''k"\r""")  # one process: between two the shell may tell of its jobs
    shell.wait(lambda: b"ok\r\n" in shell.raw[start:])
    said = shell.raw[start:].decode()
    without_size = re.sub(r"rows \d+; columns \d+", "", said[said.index("speed") : said.index("ok\r\n")])
    return " ".join(without_size.split())  # it fills the lines of the window


def chat_of(shell: Terminal) -> int:
    """The shell's only child."""
    (child,) = Path(f"/proc/{shell.pid}/task/{shell.pid}/children").read_text().split()
    return int(child)


def newest(raw: bytes) -> int:
    """The number of the last of the server's words, of which it says ten in a second."""
    return max((int(number) for number in re.findall(rb"word(\d+)", raw)), default=-1)


@pytest.mark.parametrize("way", ["key", "TSTP"])
def test_c077_a_suspended_chat_leaves_a_usable_shell_and_comes_back_whole(way):
    with in_a_shell() as (shell, command):
        before = settings_of(shell)
        shell.send(command)
        shell.wait("Ask anything")
        shell.send("count\r")
        shell.wait("word3")
        shell.send("\x1a") if way == "key" else os.kill(chat_of(shell), signal.SIGTSTP)
        shell.wait("Stopped")
        seen = shell.raw.rpartition(b"\x1b[?1049h")[2]
        for off in (b"\x1b[?1049l", b"\x1b[?2004l", b"\x1b[?25h"):
            assert off in seen
        assert settings_of(shell) == before
        shell.resize((100, 30))
        stopped = time.monotonic()
        shell.wait(lambda: time.monotonic() - stopped > MEANWHILE)
        start, last = len(shell.raw), newest(shell.raw)
        shell.send("fg\r")
        sent = time.monotonic()
        shell.wait(lambda: b"\x1b[?1049h" in shell.raw[start:] and shell.rows[-1].endswith("demo-model"))
        shell.wait(lambda: newest(shell.raw[start:]) > last + MEANWHILE * 10 * 0.8)  # it came while nobody read it
        assert time.monotonic() - sent < 0.5
        assert len(shell.rows[-1]) == 100
        assert b"\x1b[?2004h" in shell.raw[start:]
        shell.send("\x03")
        shell.wait("Cancelled after")
        start = len(shell.raw)
        shell.send("/exit\r")
        shell.wait(lambda: b"shell$" in shell.raw[start:].partition(b"\x1b[?1049l")[2])
        assert settings_of(shell) == before


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize("way", [signal.SIGSTOP, signal.SIGTSTP])
def test_c077_a_chat_that_was_stopped_from_outside_leaves_the_shell_alone_until_it_is_in_front_and_is_drawn_anew(way):
    with in_a_shell() as (shell, command):
        before = settings_of(shell)
        shell.send(command)
        shell.wait("Ask anything")
        shell.send("draft")
        shell.wait("❯ draft")
        pid = chat_of(shell)
        os.kill(pid, way)
        shell.wait("Stopped")
        shell.wait(lambda: shell.raw.endswith(b"shell$ "))
        for _ in range(3):
            start = len(shell.raw)
            os.kill(pid, signal.SIGCONT)  # the terminal is the shell's
            shell.wait(lambda: state_of(pid) == "T")
            assert not re.search(rb"\?(1049|1007|25)", shell.raw[start:])
        assert settings_of(shell) == before
        start = len(shell.raw)
        shell.send("fg\r")
        shell.wait(lambda: b"draft" in shell.raw[start:].rpartition(b"\x1b[?1049h")[2])
        shell.wait("❯ draft")
        shell.send("\nx")  # the driver's modes are the chat's again: Ctrl+J is a new line
        shell.wait("❯ draft\n  x\n")


@pytest.mark.parametrize("way", [signal.SIGSTOP, signal.SIGTSTP])  # which nobody could undo: the kernel ignores it
def test_c077_where_no_shell_has_taken_the_terminal_it_is_drawn_anew_at_once(way):
    with case_serving() as server, terminal("-c", str(config_file(server.url, "openai-compat"))) as chat:
        chat.wait("Ask anything")
        start = len(chat.raw)
        chat.signal(way)
        if way == signal.SIGSTOP:
            chat.wait(lambda: state_of(chat.pid) == "T")
            chat.signal(signal.SIGCONT)
        chat.wait(lambda: b"Ask anything" in chat.raw[start:].rpartition(b"\x1b[?1049h")[2])
        chat.wait("Ask anything")
