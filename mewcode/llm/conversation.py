"""The conversation: the only thing that touches the list of messages. Thread: any."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from mewcode.llm.history import to_api
from mewcode.llm.messages import Message, TextBlock, new_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewcode.llm.messages import ApiMessage, Block, Origin, Role, Status, Usage


class Conversation:
    """Messages in order, each with an id. A reader gets values that never change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}

    def add(
        self,
        role: Role,
        content: str | Iterable[Block] = (),
        *,
        status: Status = "complete",
        origin: Origin | None = None,
    ) -> str:
        """Append a message, return its id. An answer that is still to come starts with status `streaming`."""
        blocks = (TextBlock(content),) if isinstance(content, str) else tuple(content)
        message = Message(new_id(), role, blocks, status)
        if origin is not None:
            message = replace(message, provider=origin.provider, base_url=origin.base_url, model=origin.model)
        with self._lock:
            self._entries[message.id] = _Entry(message)
        return message.id

    def append(self, message_id: str, content: str | Block) -> None:
        """Let a message grow: text joins the text block that is last."""
        with self._lock:
            self._entries[message_id].append(content)

    def finish(self, message_id: str, status: Status, usage: Usage | None = None, elapsed: float | None = None) -> None:
        """Give a message its final status; `elapsed` in seconds."""
        with self._lock:
            entry = self._entries[message_id]
            entry.message = replace(entry.sealed(), status=status, usage=usage, elapsed=elapsed)

    def get(self, message_id: str) -> Message:
        with self._lock:
            return self._entries[message_id].sealed()

    def snapshot(self) -> tuple[Message, ...]:
        with self._lock:
            return tuple([entry.sealed() for entry in self._entries.values()])

    def clear(self) -> None:
        """Forget every message."""
        with self._lock:
            self._entries.clear()

    def to_api(self) -> list[ApiMessage]:
        """What any service accepts: see mewcode.llm.history."""
        return to_api(self.snapshot())


class _Entry:
    """A message and the text that has come since it was last read: joined when it is read, not with each delta."""

    __slots__ = ("message", "tail")

    def __init__(self, message: Message) -> None:
        self.message = message
        self.tail: list[str] = []

    def append(self, content: str | Block) -> None:
        if isinstance(content, str):
            self.tail.append(content)
        else:
            self.message = replace(self.sealed(), blocks=(*self.sealed().blocks, content))

    def sealed(self) -> Message:
        if self.tail:
            *before, last = self.message.blocks or (TextBlock(""),)
            grown = (TextBlock(last.text),) if isinstance(last, TextBlock) else (last, TextBlock(""))
            text = TextBlock("".join([grown[-1].text, *self.tail]))
            self.message = replace(self.message, blocks=(*before, *grown[:-1], text))
            self.tail.clear()
        return self.message
