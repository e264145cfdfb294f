"""A scripted HTTP server on loopback: says what it is told, hears what it is sent, notices when a client leaves."""

from __future__ import annotations

import contextlib
import json
import queue
import select
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

LIMIT = 20.0  # seconds; no test waits longer for anything


@dataclass(frozen=True, slots=True)
class Silence:
    """Say nothing until the client leaves, or until the server is closed."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer: its pieces go out one by one. `end`: finish the body, or `cut` the connection, or `reset` it."""

    pieces: tuple[bytes | Silence, ...] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/event-stream"})
    framing: str = "chunked"  # chunked | close
    end: str = "finish"
    before_headers: tuple[Silence, ...] = ()


@dataclass(frozen=True, slots=True)
class Heard:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    port: int  # the client's: two requests with the same one came over one connection

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def sse(*events: dict[str, Any] | str, named: bool = False) -> tuple[bytes, ...]:
    """Events as pieces of a body; `named` adds the event line with the object's type."""
    pieces = []
    for event in events:
        data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
        name = f"event: {event['type']}\n" if named and isinstance(event, dict) else ""
        pieces.append(f"{name}data: {data}\n\n".encode())
    return tuple(pieces)


def json_error(status: int, body: Any, **headers: str) -> Reply:
    spelled = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply((json.dumps(body).encode(),), status, {"Content-Type": "application/json", **spelled})


class SseServer:
    """Answers the n-th request with the n-th reply, the last one again and again."""

    def __init__(self, replies: Iterable[Reply]) -> None:
        self._replies = list(replies)
        self._answered = 0
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._closing, self._closing_end = socket.socketpair()
        self._threads: list[threading.Thread] = []
        self.requests: queue.Queue[Heard] = queue.Queue()
        self.left: queue.Queue[float] = queue.Queue()  # time.monotonic() of each client that left during a silence
        self._spawn(self._accept)

    def request(self) -> Heard:
        """The next request that came."""
        return self.requests.get(timeout=LIMIT)

    def close(self) -> None:
        self._closing.close()
        for thread in self._threads:
            thread.join(LIMIT)
        self._listener.close()
        self._closing_end.close()

    def _spawn(self, target: Any, *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, name="sse-server", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while self._ready(self._listener):
            client, _ = self._listener.accept()
            self._spawn(self._serve, client)

    def _ready(self, sock: socket.socket) -> bool:
        """Wait for the socket; False when the server closes."""
        ready, _, _ = select.select([sock, self._closing_end], [], [], LIMIT)
        return sock in ready and self._closing_end not in ready

    def _serve(self, client: socket.socket) -> None:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with client, contextlib.suppress(OSError):
            reader = client.makefile("rb")
            while self._ready(client):
                heard = _read_request(reader, client.getpeername()[1])
                if heard is None:
                    return
                with self._lock:
                    reply = self._replies[min(self._answered, len(self._replies) - 1)]
                    self._answered += 1
                self.requests.put(heard)
                if not self._answer(client, reply):
                    return

    def _answer(self, client: socket.socket, reply: Reply) -> bool:
        """True when the connection can be used again."""
        for _ in reply.before_headers:
            self._wait_for_leaving(client)
        chunked = reply.framing == "chunked"
        head = [f"HTTP/1.1 {reply.status} Said", *(f"{name}: {value}" for name, value in reply.headers.items())]
        head.append("Transfer-Encoding: chunked" if chunked else "Connection: close")
        client.sendall("\r\n".join([*head, "", ""]).encode())
        for piece in reply.pieces:
            if isinstance(piece, Silence):
                self._wait_for_leaving(client)
            elif piece:
                client.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
        if reply.end == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        if reply.end != "finish" or not chunked:
            return False
        client.sendall(b"0\r\n\r\n")
        return True

    def _wait_for_leaving(self, client: socket.socket) -> None:
        if self._ready(client) and not client.recv(1, socket.MSG_PEEK):
            self.left.put(time.monotonic())


def _read_request(reader: Any, port: int) -> Heard | None:
    line = reader.readline().decode().split()
    if len(line) < 2:
        return None
    headers: dict[str, str] = {}
    while (header := reader.readline().strip()) != b"":
        name, _, value = header.decode().partition(":")
        headers[name.lower()] = value.strip()
    return Heard(line[0], line[1], headers, reader.read(int(headers.get("content-length", "0"))), port)


@contextlib.contextmanager
def serving(*replies: Reply) -> Generator[SseServer, None, None]:
    server = SseServer(replies)
    try:
        yield server
    finally:
        server.close()
