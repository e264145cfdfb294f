"""A scripted server on loopback: one step a request, or the first whose rule holds, sent exactly as the step says.

It keeps every request with its time, can judge them, and has a sink beside it: a listener that nobody should reach.
"""

from __future__ import annotations

import contextlib
import json
import queue
import re
import select
import socket
import threading
import time
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import TYPE_CHECKING, Any

from tests.fakes.sse_server import LIMIT

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Generator, Mapping, Sequence

_PATIENCE = 60.0  # seconds
_RESET = b"\x01\x00\x00\x00\x00\x00\x00\x00"  # linger for no time
_NOW = re.compile(r"@now(?:([+-]\d+)s)? as IMF-fixdate")


@dataclass(frozen=True, slots=True)
class Step:
    """One answer. `framing`: chunked (a chunk an event), close or length. `end`: close, cut, rst or stall.

    `delay` is between events, in seconds. `trickle` follows the body every `every` seconds, once or for ever.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    framing: str = "length"
    end: str = "close"
    delay: float = 0.0
    rule: str = ""
    repeats: bool = False
    trickle: bytes = b""
    every: float = 1.0
    forever: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """A request as it arrived; `at` is time.monotonic()."""

    method: str
    path: str
    head: str
    headers: Mapping[str, str]
    body: bytes
    at: float

    @property
    def json(self) -> Any:
        return json.loads(self.body.decode())

    @property
    def whole(self) -> str:
        return f"{self.head}\n{self.body.decode(errors='replace')}"


OVER = Step(410, {"Content-Type": "application/json"}, b'{"error": {"message": "the script is over"}}')


class _Listener:
    """Accepts until it is closed; each connection is served in a thread of its own."""

    def __init__(self, serve: Callable[[socket.socket], None]) -> None:
        self._serve = serve
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.connections = 0
        self._closing, self._closing_end = socket.socketpair()
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def close(self) -> None:
        self._closing.close()
        for thread in self._threads:
            thread.join(LIMIT)
        self._listener.close()
        self._closing_end.close()

    def readable(self, sock: socket.socket, within: float = LIMIT) -> bool:
        """Wait for the socket; False when the time is over or the server closes."""
        ready, _, _ = select.select([sock, self._closing_end], [], [], within)
        return sock in ready and self._closing_end not in ready

    def pause(self, seconds: float) -> bool:
        """Wait so long; False at once when the server closes."""
        return not select.select([self._closing_end], [], [], seconds)[0]

    def _start(self, target: Callable[..., None], *args: socket.socket) -> None:
        thread = threading.Thread(target=target, args=args, name="case-server", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while self.readable(self._listener):
            client, _ = self._listener.accept()
            self.connections += 1
            self._start(self._serve, client)


class CaseServer:
    """Plays the steps. `clock` is how far its own clock is off, in seconds; `tls` makes it speak https."""

    def __init__(
        self, steps: Sequence[Step], judge: Callable[[Heard], str | None], clock: float, tls: ssl.SSLContext | None
    ) -> None:
        self._steps = steps
        self._judge = judge
        self._clock = clock
        self._tls = tls
        self._played = 0
        self._changed = threading.Condition()
        self.requests: list[Heard] = []
        self.refused: list[str] = []
        self.left: queue.Queue[float] = queue.Queue()  # time.monotonic() of each client that left in mid-answer
        self.sink = _Listener(lambda client: client.close())
        self._listener = _Listener(self._serve)
        self.port = self._listener.port
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"

    @property
    def connections(self) -> int:
        return self._listener.connections

    def wait_for_requests(self, count: int) -> None:
        """Patient: a process has an SDK to import first."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.requests) >= count, _PATIENCE), "too few requests came"

    def close(self) -> None:
        self._listener.close()
        self.sink.close()

    def _serve(self, client: socket.socket) -> None:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with client, contextlib.suppress(OSError):
            if self._tls is None:
                self._converse(client)
            else:
                with self._tls.wrap_socket(client, server_side=True) as secure:
                    self._converse(secure)

    def _converse(self, client: socket.socket) -> None:
        reader = client.makefile("rb")
        while self._listener.readable(client) and (heard := _read(reader)) is not None:
            with self._changed:
                step = self._chosen(heard)
                self.requests.append(heard)
                self._changed.notify_all()
            if not self._answer(client, step):
                return

    def _chosen(self, heard: Heard) -> Step:
        if sentence := self._judge(heard):
            self.refused.append(sentence)
            return Step(
                400, {"Content-Type": "application/json"}, json.dumps({"error": {"message": sentence}}).encode()
            )
        if any(step.rule for step in self._steps):
            return next((step for step in self._steps if holds(step.rule, heard)), OVER)
        place, self._played = self._played, self._played + 1
        if place < len(self._steps):
            return self._steps[place]
        return self._steps[-1] if self._steps[-1].repeats else OVER

    def _answer(self, client: socket.socket, step: Step) -> bool:
        """True when the connection can be used again."""
        client.sendall(self._head(step))
        chunked = step.framing == "chunked"
        for number, event in enumerate(_events(step.body) if chunked or step.delay else [step.body]):
            if number and step.delay:
                self._listener.pause(step.delay)
            if event and not self._sent(client, b"%x\r\n%s\r\n" % (len(event), event) if chunked else event):
                return False
        self._trickle(client, step, chunked)
        match step.end:
            case "stall":
                self._stall(client)
            case "rst":
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            case "close" if chunked:
                client.sendall(b"0\r\n\r\n")
        return step.end == "close" and step.framing != "close"

    def _sent(self, client: socket.socket, data: bytes) -> bool:
        try:
            client.sendall(data)
        except OSError:
            self.left.put(time.monotonic())
            return False
        return True

    def _head(self, step: Step) -> bytes:
        lines = [f"HTTP/1.1 {step.status} Said"]
        lines += [f"{name}: {self._spelled(value)}" for name, value in step.headers.items()]
        match step.framing:
            case "chunked":
                lines.append("Transfer-Encoding: chunked")
            case "close":
                lines.append("Connection: close")
            case _ if "Content-Length" not in step.headers:
                missing = 1 if step.end in ("cut", "rst", "stall") else 0  # a body that ended would be whole
                lines.append(f"Content-Length: {len(step.body) + missing}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def _spelled(self, value: str) -> str:
        value = value.replace("SINK", str(self.sink.port)).replace("PORT", str(self.port))
        now = time.time() + self._clock
        return _NOW.sub(lambda found: formatdate(now + int(found[1] or 0), usegmt=True), value)

    def _trickle(self, client: socket.socket, step: Step, chunked: bool) -> None:
        again, piece = bool(step.trickle), step.trickle
        while again and self._listener.pause(step.every):
            client.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
            again = step.forever

    def _stall(self, client: socket.socket) -> None:
        if self._listener.readable(client):
            with contextlib.suppress(ConnectionResetError):  # who leaves with something unread resets
                client.recv(1)
            self.left.put(time.monotonic())


def holds(rule: str, heard: Heard) -> bool:
    """Whether a request fulfils a rule: conditions joined by `and`."""
    body = heard.json
    for condition in rule.split(" and "):
        if found := re.fullmatch(r"request body over (\d+) bytes", condition):
            fits = len(heard.body) > int(found[1])
        elif found := re.fullmatch(r"(\w+)=(\S+)", condition):
            fits = body.get(found[1]) == found[2]
        elif found := re.fullmatch(r"(\w+) present", condition):
            fits = found[1] in body
        else:
            fits = condition == "else"
        if not fits:
            return False
    return True


def _events(body: bytes) -> list[bytes]:
    """The body cut behind each blank line."""
    return re.split(rb"(?<=\n\n)|(?<=\r\n\r\n)|(?<=[^\r\n]\r\r)", body)


def _read(reader: Any) -> Heard | None:
    lines = [reader.readline().decode("latin-1").strip()]
    if len(lines[0].split()) < 2:
        return None
    while line := reader.readline().decode("latin-1").strip():
        lines.append(line)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    method, path = lines[0].split()[:2]
    body = reader.read(int(headers.get("content-length", "0")))
    return Heard(method, path, "\n".join(lines), headers, body, time.monotonic())


@contextlib.contextmanager
def serving(
    *steps: Step,
    judge: Callable[[Heard], str | None] = lambda heard: None,
    clock: float = 0.0,
    tls: ssl.SSLContext | None = None,
) -> Generator[CaseServer, None, None]:
    """A server that runs while the block does; at its end no request may have been refused by `judge`."""
    server = CaseServer(steps, judge, clock, tls)
    try:
        yield server
    finally:
        server.close()
    assert server.refused == []
