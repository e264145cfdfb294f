"""What a real terminal multiplexer shows is what the emulator of all the other tests shows, cell by cell."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import pytest

from tests.cases.case import answer
from tests.cases.play import case_serving, config_file
from tests.cases.strict import said
from tests.e2e.terminal import PROGRAM, Terminal
from tests.fakes.case_server import Step
from tests.fakes.dialects import CHAT
from tests.screens.test_goldens import CONSTRUCTS, TABLE
from tests.terminals.cells import differences, widths

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fakes.case_server import CaseServer
    from tests.terminals.tmux import Tmux

    Shown = Terminal | Tmux

SETTLING = 5.0  # seconds
STREAM = {"Content-Type": "text/event-stream"}
HALF = b"".join(CHAT.begun("A cat is a **small** animal.\n\n- it sle"))
REFUSED = Step(401, {"Content-Type": "application/json"}, b'{"error": {"message": "this key is not known"}}')
BUSY = Step(529, {"Content-Type": "application/json", "Retry-After": "50"}, b'{"error": {"message": "nobody is free"}}')
STEPS = (
    answer("openai-compat", *CONSTRUCTS),
    *(REFUSED, REFUSED),  # a key that worked before is tried twice
    answer("openai-compat", *TABLE),
    BUSY,
    Step(headers=STREAM, framing="chunked", body=HALF, end="stall"),
)


def chat_with(server: CaseServer) -> list[str]:
    return [PROGRAM, "-c", str(config_file(server.url, "openai-compat").absolute())]


def do(keys: str, until: str) -> Callable[[Shown], None]:
    def act(shown: Shown) -> None:
        shown.send(keys)
        shown.wait(until)

    return act


def ask(words: str, until: str) -> Callable[[Shown], None]:
    """To the end of the answer."""

    def act(shown: Shown) -> None:
        shown.send(f"{words}\r")
        shown.wait(lambda: until in shown.text and "Imagining" not in shown.text)

    return act


def resize(width: int, height: int) -> Callable[[Shown], None]:
    def act(shown: Shown) -> None:
        shown.resize((width, height))
        shown.wait(lambda: bool(shown.rows[height - 1]) and not any(shown.rows[height:]))

    return act


def cancel(shown: Shown) -> None:
    shown.send("\x1b")
    shown.wait(lambda: "Imagining" not in shown.text and "❯ Once more" in shown.text)


SCREENS: dict[str, Callable[[Shown], None]] = {
    "start": lambda shown: shown.wait("Ask anything"),
    "help": do("\x1bOP", "suspend; fg brings it back"),
    "finished Markdown": ask("Show me everything", " s · tokens"),
    "error": ask("Hello", "this key is not known"),
    "find": do("/find cat\r", "n N"),
    "table": ask("Which commands?", "查看日志 😀"),
    "narrow table": resize(40, 24),
    "20x5": resize(20, 5),
    "40x12": resize(40, 12),
    "wide": resize(120, 40),
    "retry countdown": do("Once more\r", "retrying 2/10"),
    "cancelled": cancel,
    "streaming": do("\x15What is a cat?\r", "it sle"),
}


@pytest.fixture
def emulated(request: pytest.FixtureRequest) -> Callable[..., Terminal]:
    """Starts programs in the emulator, and ends them."""

    def start(*argv: str) -> Terminal:
        emulator = Terminal(argv, TERM="tmux-256color")
        request.addfinalizer(emulator.close)
        return emulator

    return start


def test_tmux_and_the_emulator_agree_cell_by_cell(in_tmux: Callable[..., Tmux], emulated: Callable[..., Terminal]):
    with case_serving(*STEPS) as first, case_serving(*STEPS) as second:
        tmux = in_tmux(*chat_with(first))
        emulator = emulated(*chat_with(second))
        for name, act in SCREENS.items():
            act(tmux)
            act(emulator)
            _until_they_agree(tmux, emulator, name)
            for text, columns in widths(emulator.cells()).items():
                assert tmux.width(text) == columns, text
    assert len(SCREENS) >= 10


def _until_they_agree(tmux: Tmux, emulator: Terminal, name: str) -> None:
    """Once nothing moves any more: either may be in the middle of a frame, or a second ahead."""
    deadline = time.monotonic() + SETTLING
    while found := differences(tmux, emulator):
        assert time.monotonic() < deadline, "\n".join([f"on the screen {name!r}:", *found])
        emulator.read(0.05)


LAST = "fourth 猫"
PASTES = (("first", "", "\tsecond  ", "/exit", LAST, ""), ("one", "two", LAST), ("one", "", "two", "", LAST))
ENDS = ("\r\n", "\n", "\r")


def test_pastes_and_a_copy_go_through_tmux_exactly(in_tmux: Callable[..., Tmux]):
    with case_serving(replace(answer("openai-compat", "*one*\n猫"), repeats=True)) as server:
        tmux = in_tmux(*chat_with(server))
        tmux.wait("Ask anything")
        for count, (lines, end) in enumerate(product(PASTES, ENDS)):
            tmux.paste(end.join(lines))
            tmux.wait(lambda: "Ask anything" not in tmux.text and LAST in "\n".join(tmux.rows[-4:]))
            assert len(server.requests) == count
            tmux.send("\r")
            server.wait_for_requests(count + 1)
            assert said(server.requests[-1])[-1] == ("user", "\n".join(lines)), repr(end.join(lines))
            tmux.wait(lambda: "Imagining" not in tmux.text and "Ask anything" in tmux.text)
        tmux.send("/copy\r")
        tmux.wait("Put into tmux's buffer")
        assert tmux.buffer() == "*one*\n猫"
