"""A provider that plays a script, and the real client on top of it: no SDK, no socket.

A step is an event, which is yielded; an exception, which is raised; or a threading.Event, a pause until somebody sets
it. Cancelling ends a pause the way it ends a read: with a NetworkError, since the socket is shut.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeAlias

from mewcode.errors import NetworkError
from mewcode.llm.client import Client, ProviderConfig, Request
from mewcode.llm.events import Event
from mewcode.llm.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from mewcode.llm.cancel import CancelToken

PATIENCE = 10.0  # seconds; a pause that nobody ends is a failure, not a hang

Step: TypeAlias = Event | BaseException | threading.Event

CONFIG = ProviderConfig("scripted", "scripted", "script-1", max_retries=0)
REQUEST = Request("script-1", "", ())


class Scripted:
    """A provider. Each request plays the next of its scripts, the last one again and again."""

    def __init__(self, *scripts: Iterable[Step]) -> None:
        self._scripts = [list(script) for script in scripts]
        self.requests: list[Request] = []
        self.opened = 0
        self.open_streams = 0
        self.given = 0  # events that left the source, whether or not they were queued
        self.closed = False

    def open(self, request: Request, cancel: CancelToken) -> Generator[Event, None, None]:
        self.requests.append(request)
        script = self._scripts[min(self.opened, len(self._scripts) - 1)]
        self.opened += 1
        self.open_streams += 1
        try:
            yield from self._play(script, cancel)
        finally:
            self.open_streams -= 1

    def close(self) -> None:
        self.closed = True

    def _play(self, script: list[Step], cancel: CancelToken) -> Generator[Event, None, None]:
        for step in script:
            match step:
                case threading.Event():
                    _pause(step, cancel)
                case BaseException():
                    raise step
                case _:
                    self.given += 1
                    yield step


def _pause(until: threading.Event, cancel: CancelToken) -> None:
    with cancel.aborting(until.set):
        assert until.wait(PATIENCE), "nobody ended the pause"
    if cancel.cancelled:
        raise NetworkError("the connection was shut")


class Wakes:
    """An `on_ready` that counts, and can be waited for."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.count = 0

    def __call__(self) -> None:
        with self._changed:
            self.count += 1
            self._changed.notify_all()

    def wait_for(self, count: int) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self.count >= count, PATIENCE)


def start(provider: Scripted, on_ready: Callable[[], None] | None = None) -> Turn:
    """A turn of this provider, without a client."""
    return Turn(lambda cancel: provider.open(REQUEST, cancel), on_ready)


def client_of(provider: Scripted, config: ProviderConfig = CONFIG) -> Client:
    """The real client, with this provider under it."""
    return Client(config, "Be brief.", lambda _config: provider)
