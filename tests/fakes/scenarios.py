"""Runs of the program against a scripted server, several at a time: most of a run is the import of an SDK."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.fakes.dialects import CHAT, Dialect
from tests.fakes.program import Home, Ran, entry
from tests.fakes.sse_server import Heard, Reply, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

AT_ONCE = 3  # runs


@dataclass(frozen=True, slots=True)
class Scenario:
    """`settings` is what follows in the entry's flow mapping; the server answers with `reply`."""

    run: Callable[[Home], Ran]
    reply: Reply = field(default_factory=lambda: CHAT.answer("Hel", "lo"))
    dialect: Dialect = CHAT
    settings: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Played:
    ran: Ran
    heard: list[Heard]
    home: Home
    url: str


def play_all(scenarios: Mapping[str, Scenario], folder: Path) -> dict[str, Played]:
    """Every scenario, by its name, each with a server and a home of its own."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        futures = {name: pool.submit(_play, scenario, folder / _plain(name)) for name, scenario in scenarios.items()}
    return {name: future.result() for name, future in futures.items()}


def _play(scenario: Scenario, folder: Path) -> Played:
    folder.mkdir()
    with serving(scenario.reply) as server:
        home = Home(folder, scenario.variables)
        home.configure(entry(scenario.dialect.protocol, server.url + scenario.dialect.root, more=scenario.settings))
        ran = scenario.run(home)
        heard = []
        while not server.requests.empty():
            heard.append(server.requests.get())
    return Played(ran, heard, home, server.url)


def _plain(name: str) -> str:
    return re.sub(r"\W+", "-", name)


def once(
    *arguments: str,
    given: bytes | None = None,
    reply: Reply | None = None,
    dialect: Dialect = CHAT,
    settings: str = "",
    variables: Mapping[str, str] | None = None,
) -> Scenario:
    """`mewcode once` with these arguments; `given` comes through a pipe."""

    def run(home: Home) -> Ran:
        return home.run("once", *arguments, given=given)

    return Scenario(run, reply or dialect.answer("Hel", "lo"), dialect, settings, variables or {})
