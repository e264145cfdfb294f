"""The conversation: the only thing that touches the list of messages. Thread: any."""

from __future__ import annotations

import io
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from mewcode.llm.history import to_api
from mewcode.llm.messages import Message, TextBlock, new_id, unsealed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewcode.llm.messages import ApiMessage, Block, Origin, Role, Status, Usage


class Conversation:
    """Messages in order, each with an id. A reader gets values that never change.

    `id` stays the same as long as the conversation lasts, and tells nothing about it.
    """

    def __init__(self) -> None:
        self.id = new_id()
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        self._asked: tuple[Origin, str] | None = None  # of the last request, until its answer is here

    def add(
        self,
        role: Role,
        content: str | Iterable[Block] = (),
        *,
        status: Status = "complete",
        origin: Origin | None = None,
    ) -> str:
        """Append a message, return its id. An answer that is still to come starts with status `streaming`.

        An answer without `origin` is taken for that of the last request, if it has none yet.
        """
        blocks = (TextBlock(content),) if isinstance(content, str) else tuple(content)
        message = Message(new_id(), role, blocks, status)
        if origin is not None:
            message = replace(message, provider=origin.provider, base_url=origin.base_url, model=origin.model)
        with self._lock:
            if role == "assistant":
                message, self._asked = _answering(message, self._asked), None
            self._entries[message.id] = _Entry(message)
        return message.id

    def asked(self, origin: Origin, prefix: str) -> None:
        """Note whom a request goes to and the fingerprint of what it says: its answer, here or to come, gets both."""
        with self._lock:
            running = [entry for entry in self._entries.values() if entry.message.status == "streaming"]
            for entry in running:
                entry.message = _answering(entry.message, (origin, prefix))
            self._asked = None if running else (origin, prefix)

    def append(self, message_id: str, content: str | Block) -> None:
        """Let a message grow: text joins the text block that is last."""
        with self._lock:
            self._entries[message_id].append(content)

    def finish(self, message_id: str, status: Status, usage: Usage | None = None, elapsed: float | None = None) -> None:
        """Give a message its final status; `elapsed` in seconds."""
        with self._lock:
            entry = self._entries[message_id]
            entry.message = replace(entry.sealed(), status=status, usage=usage, elapsed=elapsed)

    def unseal(self, message_id: str) -> None:
        """Keep a message's thinking from going back: some of what stood beside it is not kept."""
        with self._lock:
            entry = self._entries[message_id]
            entry.message = replace(entry.sealed(), blocks=tuple(map(unsealed, entry.sealed().blocks)))

    def get(self, message_id: str) -> Message:
        with self._lock:
            return self._entries[message_id].sealed()

    def snapshot(self) -> tuple[Message, ...]:
        with self._lock:
            return tuple([entry.sealed() for entry in self._entries.values()])

    def remove(self, message_id: str) -> Message:
        """Take a message out, and return it. Thinking that came after it will not go back: what it followed is gone."""
        with self._lock:
            return self._entries.pop(message_id).sealed()

    def to_api(self) -> list[ApiMessage]:
        """What any service accepts: see mewcode.llm.history."""
        return to_api(self.snapshot())


def _answering(message: Message, asked: tuple[Origin, str] | None) -> Message:
    """The message as the answer to that request, unless it is known to be somebody else's."""
    if asked is None or message.origin not in (None, asked[0]):
        return message
    (provider, base_url, model), prefix = asked
    return replace(message, provider=provider, base_url=base_url, model=model, prefix=prefix)


class _Entry:
    """A message and the text that has come since it was last read: joined when it is read, not with each delta."""

    __slots__ = ("message", "tail")

    def __init__(self, message: Message) -> None:
        self.message = message
        self.tail = io.StringIO()  # a million short strings would take ten times the room

    def append(self, content: str | Block) -> None:
        if isinstance(content, str):
            self.tail.write(content)
        else:
            self.message = replace(self.sealed(), blocks=(*self.sealed().blocks, content))

    def sealed(self) -> Message:
        if self.tail.tell():
            *before, last = self.message.blocks or (TextBlock(""),)
            open_text, stands = (last, ()) if isinstance(last, TextBlock) else (TextBlock(""), (last,))
            grown = replace(open_text, text=open_text.text + self.tail.getvalue())
            self.message = replace(self.message, blocks=(*before, *stands, grown))
            self.tail = io.StringIO()
        return self.message
