"""Answers that a test lets out step by step: a client without a network, and the pieces of an HTTP body."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

from mewcode.llm.messages import Origin
from mewcode.llm.turn import Turn
from tests.fakes.sse_server import LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from mewcode.llm.cancel import CancelToken
    from mewcode.llm.client import ToolSchema
    from mewcode.llm.conversation import Conversation
    from mewcode.llm.events import Event
    from mewcode.llm.messages import ApiMessage
    from tests.fakes.sse_server import Silence


class Talker:
    """An LLMClient that says what it is told, when it is told."""

    def __init__(self, name: str = "fake", model: str = "model-1") -> None:
        self.name = name
        self.model = model
        self.context_window: int | None = None
        self.asked: list[list[ApiMessage]] = []  # the history of each request
        self._events: queue.Queue[Event | None] = queue.Queue()
        self._arrived = threading.Semaphore(0)

    @property
    def origin(self) -> Origin:
        return Origin(self.name, "", self.model)

    def stream(
        self,
        conversation: Conversation,
        tools: Sequence[ToolSchema] = (),
        on_ready: Callable[[], None] | None = None,
    ) -> Turn:
        self.asked.append(conversation.to_api())
        events: queue.Queue[Event | None] = queue.Queue()
        arrived = threading.Semaphore(0)
        self._events, self._arrived = events, arrived

        def answer(cancel: CancelToken) -> Generator[Event, None, None]:
            cancel.mark_sent()
            with cancel.aborting(lambda: events.put(None)):
                while (event := events.get()) is not None:
                    yield event

        def ready() -> None:
            if on_ready is not None:
                on_ready()
            arrived.release()

        return Turn(answer, ready)

    def say(self, *events: Event) -> None:
        """Let the running turn have these; returns when they are in its queue."""
        for event in events:
            self._events.put(event)
            assert self._arrived.acquire(timeout=LIMIT)

    def set_max_output_tokens(self, n: int | None) -> None:
        pass

    def warm(self) -> None:
        pass

    def close(self) -> None:
        pass


class Pieces(tuple["bytes | Silence", ...]):
    """The pieces of a `Reply`, each sent when the test lets it out; `end()` ends the body."""

    _queue: queue.Queue[bytes | None]

    def __new__(cls) -> Pieces:
        pieces = super().__new__(cls)
        pieces._queue = queue.Queue()
        return pieces

    def say(self, *pieces: bytes) -> None:
        for piece in pieces:
            self._queue.put(piece)

    def end(self) -> None:
        self._queue.put(None)

    def __iter__(self) -> Iterator[bytes | Silence]:
        while (piece := self._queue.get(timeout=LIMIT)) is not None:
            yield piece
