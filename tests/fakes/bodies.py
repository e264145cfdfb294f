"""Whole bodies, in one piece or in many, and how much memory reading them takes."""

from __future__ import annotations

import tracemalloc
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.fakes.dialects import ask
from tests.fakes.sse_server import Reply, serving

if TYPE_CHECKING:
    from collections.abc import Generator

    from mewcode.llm.events import Event
    from tests.fakes.dialects import Dialect

EVENTS = {"Content-Type": "text/event-stream"}
MEGABYTE = 1_000_000


def whole(dialect: Dialect, *texts: str) -> bytes:
    return b"".join((*dialect.begun(*texts), *dialect.ended()))


def singly(body: bytes) -> tuple[bytes, ...]:
    return tuple(body[at : at + 1] for at in range(len(body)))


def with_length(body: bytes) -> Reply:
    """An answer that says how long it is, instead of coming in chunks."""
    return Reply((body,), headers={**EVENTS, "Content-Length": str(len(body))}, framing="close")


def answered(dialect: Dialect, reply: Reply) -> list[Event]:
    with serving(reply) as server:
        return ask(dialect.config(server.url))


@contextmanager
def peak() -> Generator[list[int], None, None]:
    """The most memory that the block took, in bytes, as the one item of the list once it is left."""
    used: list[int] = []
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    yield used
    used.append(tracemalloc.get_traced_memory()[1] - before)
    tracemalloc.stop()
