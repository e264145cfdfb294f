"""A server that plays one body after another, cut into pieces of which the client gets each by itself."""

from __future__ import annotations

import queue
import select
from typing import TYPE_CHECKING

from tests.fakes.sse_server import LIMIT, Reply, SseServer

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterable


class Player(SseServer):
    """Every request is answered with what was put on last.

    A piece is a chunk of HTTP's: however many of them lie in the socket, the client reads one after the other. So a
    body can come byte by byte without a system call for each.
    """

    def __init__(self) -> None:
        super().__init__([Reply()])
        self._served: queue.Queue[None] = queue.Queue()

    def put_on(self, pieces: Iterable[bytes]) -> None:
        body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        headers = {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"}
        self._replies = [Reply((body,), headers=headers, framing="close")]

    def wait(self) -> None:
        """Until the connection of the last request is closed on this side too."""
        self._served.get(timeout=LIMIT)

    def _ready(self, sock: socket.socket) -> bool:
        """However long it takes: a long stream, byte by byte on a busy machine, takes its time."""
        ready, _, _ = select.select([sock, self._closing_end], [], [])
        return sock in ready and self._closing_end not in ready

    def _serve(self, client: socket.socket) -> None:
        super()._serve(client)
        self._served.put(None)
