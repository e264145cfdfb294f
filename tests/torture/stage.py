"""A server on loopback that plays what was booked: each request names its play, so that turns may run side by side.

Bytes go out exactly as a play has them; there is no HTTP in here but the reading of requests.
"""

from __future__ import annotations

import contextlib
import itertools
import queue
import re
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from tests.fakes.raw_server import read_request
from tests.fakes.sse_server import LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    Act: TypeAlias = Callable[[socket.socket, "Play"], None]

End = Literal["close", "reset", "half", "wait"]

_NAME = re.compile(rb"play-(\d+)\.")
_RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class Wire:
    """Bytes, then an end: `close` or `reset` the connection; close our `half` of it or `wait`, until the client leaves.

    A play is a call with the connection, after the request was read; afterwards the connection is closed.
    """

    pieces: tuple[bytes, ...]
    end: End = "close"

    def __call__(self, client: socket.socket, play: Play) -> None:
        for piece in self.pieces:
            client.sendall(piece)
        play.sent.put(time.monotonic())
        if self.end == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        if self.end == "half":
            client.shutdown(socket.SHUT_WR)
        if self.end in ("half", "wait"):
            wait_for_leaving(client)
            play.left.put(time.monotonic())


def wait_for_leaving(client: socket.socket) -> None:
    with contextlib.suppress(ConnectionError):
        while client.recv(65536):
            pass


@dataclass(slots=True)
class Play:
    """One booked answer. `asked`, `sent` and `left` have the time.monotonic() of each request, of each last byte
    that was sent, and of each close by the client that the act waited for."""

    message: str  # what the user has to say to be answered by this play
    act: Act
    asked: list[float] = field(default_factory=list)
    sent: queue.Queue[float] = field(default_factory=queue.Queue)
    left: queue.Queue[float] = field(default_factory=queue.Queue)


class Stage:
    """`hands` is the number of connections that can be served at one time; no thread is made for a connection."""

    def __init__(self, hands: int) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._plays: dict[int, Play] = {}
        self._numbers: Iterator[int] = itertools.count()
        self._threads = [threading.Thread(target=self._serve, name="stage", daemon=True) for _ in range(hands)]
        for thread in self._threads:
            thread.start()

    def book(self, act: Act) -> Play:
        number = next(self._numbers)
        self._plays[number] = play = Play(f"play-{number}.", act)
        return play

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(LIMIT)
        self._listener.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):  # the listener was shut
            while True:
                client, _ = self._listener.accept()
                with client, contextlib.suppress(OSError):  # the client has gone: that is what half the plays are for
                    client.settimeout(LIMIT)
                    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self._answer(client)

    def _answer(self, client: socket.socket) -> None:
        if named := _NAME.search(read_request(client)):
            play = self._plays[int(named[1])]
            play.asked.append(time.monotonic())
            play.act(client, play)


@contextlib.contextmanager
def staged(hands: int = 2) -> Generator[Stage, None, None]:
    stage = Stage(hands)
    try:
        yield stage
    finally:
        stage.close()
