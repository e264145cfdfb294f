"""A loopback server that speaks all three protocols, and refuses what their vendors refuse.

The rules are in strict_messages.py (with strict_thinking.py), strict_responses.py and strict_chat.py; what it answers
is planned with strict_plans.py. It remembers its own answers, so it knows what of a history is not its own.
"""

from __future__ import annotations

import contextlib
import json
import queue
import socket
import threading
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from tests.fakes import strict_chat, strict_messages, strict_refusals, strict_responses, strict_streams
from tests.fakes.raw_server import handling, read_request
from tests.fakes.sse_server import Silence, sse
from tests.fakes.strict_memory import Json, Memory, Options, Question, Refusal
from tests.fakes.strict_plans import Answer, Cut, Fault, Finish, Plan, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from tests.fakes.strict_memory import Given
    from tests.fakes.strict_plans import Part

_REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 429: "Too Many Requests"}


@dataclass(frozen=True, slots=True)
class Protocol:
    """What a path speaks: its rules, and how its answers go over the wire."""

    name: str
    judge: Callable[[Question], Refusal | None]
    error_body: Callable[[int, Refusal], Json]
    parts: Callable[[tuple[Part, ...], Given, Memory], Iterator[Json]]
    end: Callable[[Finish, Given], list[Json | str]]
    fault: Callable[[str], Json]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that came. `refusal` is None where it was accepted, else the vendor's sentence."""

    protocol: str
    body: Any
    refusal: str | None


_streams = strict_streams
_PROTOCOLS = {
    "/v1/messages": Protocol(
        "anthropic",
        strict_messages.judge,
        strict_messages.error_body,
        _streams.messages_parts,
        _streams.messages_end,
        _streams.messages_fault,
    ),
    "/v1/responses": Protocol(
        "openai",
        strict_responses.judge,
        strict_refusals.error_body,
        _streams.responses_parts,
        _streams.responses_end,
        _streams.responses_fault,
    ),
    "/v1/chat/completions": Protocol(
        "openai-compat",
        strict_chat.judge,
        strict_refusals.error_body,
        _streams.chat_parts,
        _streams.chat_end,
        _streams.chat_fault,
    ),
}


class StrictServer:
    """Judges each request, and answers those that it accepts as `plan` says. Use it through `strict()`."""

    def __init__(self, plan: Callable[[Asked], Plan], options: Options, models: Mapping[str, Options]) -> None:
        self.url = ""
        self.memory = Memory()
        self.asked: list[Asked] = []
        self.arrived: queue.Queue[Asked] = queue.Queue()  # the same, for whoever waits for a request
        self._plan = plan
        self._options = options
        self._models = models
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()

    @property
    def refused(self) -> list[str]:
        """The sentence of each refusal, in order."""
        return [asked.refusal for asked in self.asked if asked.refusal is not None]

    @property
    def accepted(self) -> list[Asked]:
        """The requests that were accepted, in order, however they were answered."""
        return [asked for asked in self.asked if asked.refusal is None]

    def serve(self, client: socket.socket) -> None:
        """Answer one request; each connection carries one. Thread: the connection's own."""
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._lock:
            self._open.add(client)
        try:
            head, _, raw = read_request(client).partition(b"\r\n\r\n")
            if head:
                self._respond(client, head.decode("latin-1"), raw)
        finally:
            with self._lock:
                self._open.discard(client)

    def drop_clients(self) -> None:
        """End each silence that a client has not ended."""
        with self._lock:
            for client in self._open:
                with contextlib.suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)

    def _respond(self, client: socket.socket, head: str, raw: bytes) -> None:
        method, path, _ = head.split(" ", 2)
        protocol = _PROTOCOLS.get(path.partition("?")[0])
        if method != "POST" or protocol is None:
            _send_error(client, 404, {"error": {"message": f"Unknown request URL: {method} {path}", "code": None}})
            return
        with self._lock:  # judged one after the other: each sees what was said before
            refusal, body = self._judged(protocol, raw)
            self.asked.append(Asked(protocol.name, body, refusal.message if refusal else None))
            plan = self._plan(self.asked[-1]) if refusal is None else None
            self.arrived.put(self.asked[-1])
        if refusal is not None:
            _send_error(client, 400, protocol.error_body(400, refusal))
        elif plan is not None:
            self._carry_out(client, protocol, body, plan)

    def _judged(self, protocol: Protocol, raw: bytes) -> tuple[Refusal | None, Any]:
        try:
            body = json.loads(raw.decode(), parse_constant=_not_json)
            json.dumps(body, ensure_ascii=False).encode()  # fails for half a character
        except ValueError as error:
            return Refusal(f"The request body is not valid JSON: {error}"), raw
        if not isinstance(body, dict):
            return Refusal("The request body is not valid JSON: it is no object"), body
        if body.get("stream") is not True:
            return Refusal("stream: this server only streams", "stream"), body
        question = Question(body, self.memory, self._options_for(body))
        refusal = protocol.judge(question)
        if refusal is None and protocol.name == "anthropic":
            strict_messages.remember(question)
        return refusal, body

    def _options_for(self, body: Json) -> Options:
        return self._models.get(str(body.get("model")), self._options)

    def _carry_out(self, client: socket.socket, protocol: Protocol, body: Json, plan: Plan) -> None:
        match plan:
            case Answer():
                self._stream(client, protocol, body, plan)
            case Status(code, message, retry_after):
                wait = {"Retry-After": retry_after} if retry_after else {}
                _send_error(client, code, protocol.error_body(code, Refusal(message)), wait)
            case Silence():
                _wait_for_leaving(client)
            case Cut():
                pass

    def _stream(self, client: socket.socket, protocol: Protocol, body: Json, answer: Answer) -> None:
        given = self.memory.answering(body, self._options_for(body))
        events = islice(protocol.parts(answer.parts, given, self.memory), answer.after)
        _send_head(client, 200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
        for event in chain(events, _ending(protocol, answer, given)):
            (piece,) = sse(event, named=protocol.name != "openai-compat")
            client.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        match answer.end:
            case Silence():
                _wait_for_leaving(client)
            case Finish() | Fault():
                client.sendall(b"0\r\n\r\n")


def _ending(protocol: Protocol, answer: Answer, given: Given) -> Iterator[Json | str]:
    match answer.end:
        case Finish():
            yield from protocol.end(answer.end, given)
        case Fault(message):
            yield protocol.fault(message)


def _send_head(client: socket.socket, status: int, headers: dict[str, str]) -> None:
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Said')}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    client.sendall("\r\n".join([*lines, "", ""]).encode())


def _send_error(client: socket.socket, status: int, body: Json, more: dict[str, str] | None = None) -> None:
    raw = json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(raw)), **(more or {})}
    _send_head(client, status, headers)
    client.sendall(raw)


def _wait_for_leaving(client: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while client.recv(4096):
            pass


def _not_json(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def in_turn(*plans: Plan) -> Callable[[Asked], Plan]:
    """The n-th accepted request gets the n-th plan, all further ones the last."""
    left = list(plans)
    return lambda asked: left.pop(0) if len(left) > 1 else left[0]


@contextlib.contextmanager
def strict(
    plan: Plan | Callable[[Asked], Plan],
    *more: Plan,
    options: Options | None = None,
    models: Mapping[str, Options] | None = None,
) -> Generator[StrictServer, None, None]:
    """A running server. `plan` is a function that is asked for each accepted request, or the first of several plans.
    `models` are those that have options of their own.
    """
    asked = plan if callable(plan) else in_turn(plan, *more)
    server = StrictServer(asked, options or Options(), models or {})
    with handling(server.serve) as raw:
        server.url = raw.url
        try:
            yield server
        finally:
            server.drop_clients()
