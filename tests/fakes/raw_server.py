"""A listener on loopback whose every connection is handed to a function: for what no HTTP server would do."""

from __future__ import annotations

import contextlib
import queue
import re
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING

from tests.fakes.sse_server import LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    Handler = Callable[[socket.socket], object]


class RawServer:
    """`spoken` and `left` have the time.monotonic() of each connection's first byte and of its handler's end."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self._threads: list[threading.Thread] = []
        self.spoken: queue.Queue[float] = queue.Queue()
        self.left: queue.Queue[float] = queue.Queue()
        self.connections = 0
        self._start(self._accept)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(LIMIT)
        self._listener.close()

    def _start(self, target: Callable[..., None], *args: socket.socket) -> None:
        thread = threading.Thread(target=target, args=args, name="raw-server", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.connections += 1
                self._start(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        client.settimeout(LIMIT)
        with client, contextlib.suppress(OSError):
            client.recv(1, socket.MSG_PEEK)
            self.spoken.put(time.monotonic())
            self._handler(client)
            self.left.put(time.monotonic())


def read_request(client: socket.socket) -> bytes:
    """A whole request: whoever closes with something unread resets the connection."""
    read = b""
    while (more := client.recv(65536)) and not _whole(read := read + more):
        pass
    return read


def _whole(request: bytes) -> bool:
    head, end, body = request.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
    return bool(end) and len(body) >= int(length[1] if length else 0)


def hang_up(client: socket.socket) -> None:
    """Read the request and close."""
    read_request(client)


def reset(client: socket.socket) -> None:
    """Read the request and close with an RST."""
    read_request(client)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def listening_only(client: socket.socket) -> None:
    """Read whatever comes and never answer, until the client leaves."""
    with contextlib.suppress(OSError):
        while client.recv(65536):
            pass


@contextlib.contextmanager
def handling(handler: Handler) -> Generator[RawServer, None, None]:
    server = RawServer(handler)
    try:
        yield server
    finally:
        server.close()


def closed_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
