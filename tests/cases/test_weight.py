"""What the chat weighs: nothing while nothing happens, and no more with a long conversation behind it."""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.cases.case import EVENT_STREAM, Case, answer
from tests.cases.play import case_serving, config_file
from tests.cases.test_leaving import cpu_of, works
from tests.e2e.terminal import Terminal
from tests.fakes.case_server import Step
from tests.fakes.dialects import CHAT

if TYPE_CHECKING:
    from collections.abc import Generator

HERE = str(Path(__file__).resolve().parents[2])
WATCHED = 6.0  # seconds instead of the case's 60, and a tenth of what it allows
TALK = Case("C082").json("session.json")
MADE = Case("C092").json("make.json")


@contextlib.contextmanager
def loaded(messages: list[dict[str, str]], *steps: Step, tmp_path: Path) -> Generator[Terminal, None, None]:
    (tmp_path / "talk.json").write_text(json.dumps(messages))
    with case_serving(*steps) as server:
        config = str(config_file(server.url, "openai-compat"))
        command = [sys.executable, "-m", "tests.cases.loaded", str(tmp_path / "talk.json"), "-c", config]
        chat = Terminal(command, (80, 24), PYTHONPATH=HERE)
        try:
            chat.wait("Ask anything")
            chat.wait(lambda: not works(chat))
            yield chat
        finally:
            chat.close()


def switches_of(pid: int) -> int:
    """Context switches of all its threads."""
    status = (Path(task, "status").read_text() for task in Path(f"/proc/{pid}/task").iterdir())
    return sum(int(n) for text in status for n in re.findall(r"ctxt_switches:\s+(\d+)", text))


def peak_of(pid: int) -> float:
    """In MB."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1000


def watch(chat: Terminal) -> tuple[float, int, int]:
    """CPU seconds, bytes written and context switches meanwhile."""
    cpu, written, switches = cpu_of(chat.pid), len(chat.raw), switches_of(chat.pid)
    until = time.monotonic() + WATCHED
    while (left := until - time.monotonic()) > 0:
        chat.read(left)
    return cpu_of(chat.pid) - cpu, len(chat.raw) - written, switches_of(chat.pid) - switches


def test_c082_at_idle_nothing_is_written_and_nothing_wakes_and_waiting_costs_little(tmp_path):
    assert len(TALK) == 200
    stalled = Step(headers=EVENT_STREAM, framing="chunked", end="stall")
    with loaded(TALK, stalled, tmp_path=tmp_path) as chat:
        cpu, written, switches = watch(chat)
        assert (written, switches < WATCHED) == (0, True)
        assert cpu < 0.03
        chat.send("hi\r")
        chat.wait("Imagining… (1s)")
        cpu, written, _ = watch(chat)
        assert cpu < 0.2
        assert written < 1000


def made() -> list[dict[str, str]]:
    """The case's long conversation: words, tables, fences, CJK."""
    words = " ".join(f"word{n}" for n in range(MADE["words_each"] - 12))
    parts = (f"{words}\n\n| a | b |\n|---|---|\n| 1 | 2 |", f"{words}\n\n```py\nprint(1)\n```", f"{words} 先检查日志")
    return [
        {"role": "assistant" if n % 2 else "user", "content": f"{n} {parts[n % len(parts)]}"}
        for n in range(MADE["messages"])
    ]


def burst() -> Step:
    deltas = [f"{n:04} " for n in range(MADE["deltas"])]
    assert len(deltas[0]) == MADE["delta_chars"]
    return Step(headers=EVENT_STREAM, framing="chunked", body=b"".join((*CHAT.begun(*deltas), *CHAT.ended())))


def press(chat: Terminal, prompt: str) -> float:
    """Seconds until the last letter of what the prompt then holds is shown."""
    pressed = time.monotonic()
    chat.send(prompt[-1])
    chat.wait(lambda: f"❯ {prompt}" in chat.text)
    return time.monotonic() - pressed


def stream(chat: Terminal, keys: int) -> tuple[float, list[float]]:
    """Seconds until all of it is shown, and of each key until it is."""
    began, waits = time.monotonic(), []
    chat.send("hi\r")
    chat.wait("Imagining")
    for number in range(keys):
        waits.append(press(chat, "x" * (number + 1)))
    chat.wait(lambda: "Imagining" not in chat.text and f"{MADE['deltas'] - 1:04}" in chat.text, within=60)
    return time.monotonic() - began, sorted(waits)


def test_c092_a_thousand_messages_make_a_burst_no_slower_no_heavier_and_no_key_late(tmp_path):
    with loaded([], burst(), tmp_path=tmp_path) as chat:
        alone, _ = stream(chat, 0)
    with loaded(made(), answer("openai-compat", "ready."), burst(), tmp_path=tmp_path) as chat:
        chat.send("hi\r")
        chat.wait(lambda: "ready." in chat.text and "Imagining" not in chat.text)
        before = peak_of(chat.pid)
        took, waits = stream(chat, 50)
        peak = peak_of(chat.pid)
    assert took < min(1.5 * alone + 2, 15)
    assert waits[47] < 0.1
    assert waits[-1] < 0.3
    assert peak < 150
    assert peak - before < MADE["deltas"] / 1000
