"""A server that looks at each request before it answers: what it refuses, and at which path it is at home."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.fakes.sse_server import Heard, Reply, SseServer, json_error

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Generator

    from tests.fakes.dialects import Dialect

    Rule: TypeAlias = Callable[[Heard], Reply]
    Refused: TypeAlias = tuple[int, Any]  # a status and a body
    Complaint: TypeAlias = tuple[Callable[[Any], bool], Refused]  # what is wrong in a request, and what is said then


class ChoosyServer(SseServer):
    """Answers by the rule, one request at a time. `heard` are the requests so far, in order."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self.heard: list[Heard] = []
        super().__init__((Reply(),))

    def _answer(self, client: socket.socket, reply: Reply) -> bool:
        heard = self.requests.get_nowait()
        self.heard.append(heard)
        return super()._answer(client, self._rule(heard))


@contextlib.contextmanager
def choosing(rule: Rule) -> Generator[ChoosyServer, None, None]:
    server = ChoosyServer(rule)
    try:
        yield server
    finally:
        server.close()


def refusing(dialect: Dialect, *complaints: Complaint) -> Rule:
    """The first complaint whose fault is in the request, else an answer."""

    def rule(heard: Heard) -> Reply:
        found = next((refused for is_at_fault, refused in complaints if is_at_fault(heard.json)), None)
        return json_error(*found) if found else dialect.answer("Hi")

    return rule


def having(name: str, refused: Refused) -> Complaint:
    return (lambda body: name in body), refused


def bodies(server: ChoosyServer, *names: str) -> list[tuple[Any, ...]]:
    """What each request held under these names, None where it had none."""
    return [tuple(heard.json.get(name) for name in names) for heard in server.heard]
