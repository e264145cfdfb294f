"""What the chat weighs: nothing while nothing happens, and no more with a long conversation behind it."""

from __future__ import annotations

import contextlib
import itertools
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


class Weighed:
    """What a burst costs: seconds until all of it is shown, seconds of each key until it is, and at which delta the
    peak was how high.
    """

    def __init__(self, chat: Terminal, keys: int) -> None:
        self._chat = chat
        self.peaks: dict[int, float] = {}
        began, waits = time.monotonic(), []
        chat.send("hi\r")
        chat.wait("Imagining")
        for number in range(keys):
            waits.append(press(chat, "x" * (number + 1)))
            self._shown()
        chat.wait(lambda: self._shown() == MADE["deltas"] - 1 and "Imagining" not in chat.text, within=60)
        self.took = time.monotonic() - began
        self.waits = sorted(waits)

    def _shown(self) -> int:
        last = max((int(number) for number in re.findall(r"\b\d{4}\b", self._chat.text)), default=0)
        self.peaks[last] = peak_of(self._chat.pid)
        return last

    def growth(self) -> list[float]:
        """MB from each thousand of deltas to the next, after the first."""
        at = [self._peak_at(number) for number in range(1000, MADE["deltas"] + 1, 1000)]
        return [later - earlier for earlier, later in itertools.pairwise(at)]

    def _peak_at(self, delta: int) -> float:
        return max(peak for shown, peak in self.peaks.items() if shown <= delta)


def test_c092_a_thousand_messages_make_a_burst_no_slower_no_heavier_and_no_key_late(tmp_path):
    with loaded([], burst(), tmp_path=tmp_path) as chat:
        alone = Weighed(chat, 0)
    with loaded(made(), answer("openai-compat", "ready."), burst(), tmp_path=tmp_path) as chat:
        chat.send("hi\r")
        chat.wait(lambda: "ready." in chat.text and "Imagining" not in chat.text)
        behind = Weighed(chat, 50)
        peak = peak_of(chat.pid)
    assert behind.took < min(1.5 * alone.took + 2, 15)
    assert behind.waits[47] < 0.1
    assert behind.waits[-1] < 0.3
    assert peak < 150
    assert max(alone.growth() + behind.growth()) < 1
