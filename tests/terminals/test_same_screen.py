"""What a real terminal multiplexer shows is what the emulator of all the other tests shows, cell by cell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.cases.case import answer
from tests.cases.play import case_serving, config_file
from tests.e2e.terminal import PROGRAM, Terminal
from tests.fakes.case_server import Step
from tests.fakes.dialects import CHAT
from tests.screens.stage import steady
from tests.screens.test_goldens import CONSTRUCTS, TABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    import pyte

    from tests.terminals.tmux import Tmux

    Shown = Terminal | Tmux

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


def ask(words: str, until: str) -> Callable[[Shown], None]:
    def act(shown: Shown) -> None:
        shown.send(f"{words}\r")
        shown.wait(until)

    return act


def press(keys: str, until: str) -> Callable[[Shown], None]:
    def act(shown: Shown) -> None:
        shown.send(keys)
        shown.wait(until)

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
    "help": press("\x1bOP", "suspend; fg brings it back"),
    "finished Markdown": ask("Show me everything", " s · tokens"),
    "error": ask("Hello", "this key is not known"),
    "find": ask("/find cat", "n N"),
    "table": ask("Which commands?", "查看日志 😀"),
    "narrow table": resize(40, 24),
    "20x5": resize(20, 5),
    "40x12": resize(40, 12),
    "wide": resize(120, 40),
    "retry countdown": ask("Once more", "retrying 2/10"),
    "cancelled": cancel,
    "streaming": ask("\x15What is a cat?", "it sle"),
}


def played(shown: Shown) -> Generator[tuple[str, list[str], pyte.Screen], None, None]:
    """Each screen by its name, as text and as cells."""
    for name, act in SCREENS.items():
        act(shown)
        shown.quiet_for(0.15)
        yield name, shown.rows, shown.cells()


def looks(screen: pyte.Screen, y: int, x: int) -> tuple[object, ...]:
    cell = screen.buffer[y][x]
    blank = cell.data.isspace()  # what no ink is in has no colour
    return (cell.data, "" if blank else cell.fg, cell.bg, cell.bold and not blank, cell.italics and not blank)


def without_time(rows: list[str]) -> list[str]:
    return [re.sub(r"in \d+ s|config-\d+", "in 0 s", steady(row)) for row in rows]


def test_tmux_and_the_emulator_agree_cell_by_cell(in_tmux: Callable[..., Tmux], tmp_path: Path) -> None:
    with case_serving(*STEPS) as first, case_serving(*STEPS) as second:
        command = [PROGRAM, "-c"]
        tmux = in_tmux(*command, str(config_file(first.url, "openai-compat").absolute()))
        emulator = Terminal([*command, str(config_file(second.url, "openai-compat").absolute())], TERM="tmux-256color")
        try:
            for (name, rows, cells), (_, other_rows, other_cells) in zip(played(tmux), played(emulator), strict=True):
                assert without_time(rows) == without_time(other_rows), name
                width, height = emulator.size
                for y in range(height):
                    if rows[y] != other_rows[y]:
                        continue  # seconds, which have passed
                    ours = [looks(cells, y, x) for x in range(width)]
                    assert ours == [looks(other_cells, y, x) for x in range(width)], (name, y)
        finally:
            emulator.close()
    assert len(SCREENS) >= 10


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
def test_a_paste_and_a_copy_go_through_tmux_exactly(in_tmux, size):
    with case_serving(answer("openai-compat", "*one*\n猫")) as server:
        tmux = in_tmux(PROGRAM, "-c", str(config_file(server.url, "openai-compat").absolute()), size=size)
        tmux.wait("Ask anything")
        tmux.paste("first\r\nsecond\r\nthird\r\nfourth\r\n")
        tmux.wait("fourth")
        assert not server.requests
        tmux.send("\r")
        server.wait_for_requests(1)
        assert b"first\\nsecond\\nthird\\nfourth\\n" in server.requests[0].body
        tmux.wait(lambda: "Imagining" not in tmux.text and "one" in tmux.text)
        tmux.send("/copy\r")
        tmux.wait("tmux")
        assert tmux.buffer() == "*one*\n猫"
