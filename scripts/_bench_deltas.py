"""What a delta costs: CPU time of `mewcode once`, and of the loops that it is compared with, in one burst of deltas.

The time runs from the moment when the first delta has been dealt with and the process waits, until it waits again:
neither the start nor the end of a process is in it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import IO, TYPE_CHECKING

from _bench_figure import Figure, Promise
from _bench_process import LIMIT, environment, settled_cpu

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DELTAS = 10_000
EVENTS_A_CHUNK = (1, 50)
ROUNDS = 5
PROTOCOLS = {"openai-compat": "chat", "openai": "Responses", "anthropic": "Messages"}
BASELINES = {"socket": "socket + json", "typed": "SDK, typed", "plain": "SDK, plain"}
OUTPUTS = {"pipe": "once, to a pipe", "null": "once, to /dev/null"}
PROMISES = {"openai-compat": 0.3, "openai": 0.3, "anthropic": 0.9}
_HERE = Path(__file__).resolve().parent


def measure(python: str, *, quick: bool) -> Iterator[Figure]:
    """One figure for each protocol, size of chunk and output."""
    with tempfile.TemporaryDirectory(prefix="mewcode-bench-") as home:
        bench = Bench(python, Path(home))
        try:
            for protocol in PROTOCOLS:
                for events_a_chunk in EVENTS_A_CHUNK:
                    yield from _figures(bench, protocol, events_a_chunk, 1 if quick else ROUNDS)
        finally:
            bench.close()


def _figures(bench: Bench, protocol: str, events_a_chunk: int, rounds: int) -> Iterator[Figure]:
    found: dict[str, list[float]] = {way: [] for way in (*BASELINES, *OUTPUTS)}
    for _ in range(rounds):  # all ways in each round, so that a slow minute is slow for all of them
        for way in found:
            found[way].append(bench.cost(way, protocol, events_a_chunk))
    costs = {way: median(values) for way, values in found.items()}
    name = f"{PROTOCOLS[protocol]}, {events_a_chunk} a chunk"
    baselines = {words: costs[way] for way, words in BASELINES.items()}
    for way, words in (BASELINES | OUTPUTS).items():
        promise = Promise(PROMISES[protocol], BASELINES["typed"]) if way in OUTPUTS else None
        yield Figure("CPU per delta", f"{name}: {words}", costs[way], "µs", baselines, promise)


@dataclass(frozen=True, slots=True)
class Run:
    """A client to measure, and whether anybody reads what it prints."""

    command: Sequence[str]
    silent: bool = False


class Bench:
    """The server, and one client after the other."""

    def __init__(self, python: str, home: Path) -> None:
        self._python = python
        self._home = home
        self._server = subprocess.Popen(
            [sys.executable, "-I", str(_HERE / "_bench_server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._port = int(self._answer())

    def close(self) -> None:
        self._server.kill()
        self._server.wait()

    def cost(self, way: str, protocol: str, events_a_chunk: int) -> float:
        """Microseconds a delta. Raises: SystemExit when the client fails, or did not get every delta."""
        run = self._run(way, protocol, f"http://127.0.0.1:{self._port}/{DELTAS}/{events_a_chunk}")
        process = subprocess.Popen(
            [self._python, "-I", *run.command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if run.silent else subprocess.PIPE,
            cwd=self._home,
            env=environment(str(self._home)),
        )
        reader = _Reader(process.stdout)
        watch = threading.Timer(LIMIT, process.kill)
        watch.start()
        try:
            seconds = self._burst(process.pid)
            code = process.wait()
        finally:
            watch.cancel()
            process.kill()
            process.wait()
            reader.join()
        self._check(way, code, reader.text)
        return 1e6 * seconds / DELTAS

    def _run(self, way: str, protocol: str, base_url: str) -> Run:
        if way in BASELINES:
            return Run([str(_HERE / "_bench_clients.py"), way, protocol, base_url])
        config = self._home / "config.yaml"
        entry = f"{{name: here, protocol: {protocol}, model: tiny, api_key: none, base_url: '{base_url}'}}"
        config.write_text(f"providers:\n  - {entry}\n")
        return Run(["-m", "mewcode", "once", "-c", str(config), "hi"], way == "null")

    def _burst(self, pid: int) -> float:
        self._answer()
        before = settled_cpu(pid)
        self._go()
        self._answer()
        after = settled_cpu(pid)
        self._go()
        return after - before

    def _answer(self) -> str:
        assert self._server.stdout is not None
        return self._server.stdout.readline()

    def _go(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write("\n")
        self._server.stdin.flush()

    def _check(self, way: str, code: int, text: str) -> None:
        from _bench_server import deltas

        expected = {"pipe": "".join(["Well. ", *deltas(DELTAS)]), "null": ""}.get(way, f"{DELTAS + 1}\n")
        if code or text != expected:
            sys.exit(f"mewcode: {way} ended with {code}, and {len(text)} of {len(expected)} characters came.")


class _Reader(threading.Thread):
    """Reads a pipe to its end, so that nobody waits for room in it."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self.text = ""
        self.start()

    def run(self) -> None:
        if self._pipe is not None:
            with self._pipe:
                self.text = self._pipe.read().decode()
