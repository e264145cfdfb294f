"""The three protocols as a server speaks them: the shortest whole answers, and a client that asks for them."""

from __future__ import annotations

import gc
import importlib
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from mewcode.llm.client import ProviderConfig
from mewcode.llm.conversation import Conversation
from mewcode.llm.events import StreamError, TextDelta
from mewcode.llm.registry import create_client
from mewcode.secret import Secret
from tests.fakes.sse_server import Reply, Silence, sse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mewcode.errors import LLMError
    from mewcode.llm.client import LLMClient
    from mewcode.llm.events import Event

Json = dict[str, Any]

KEY = "kk-loopback-0123456789"
SYSTEM = "Be brief."


@dataclass(frozen=True, slots=True)
class Dialect:
    """`root` is what base_url ends in, `path` what the server then sees; `opening` and `closing` go around the text."""

    protocol: str
    root: str
    path: str
    opening: tuple[Json, ...]
    delta: Callable[[str], Json]
    closing: tuple[Json | str, ...]
    failure: Json  # an error object inside the stream

    def config(self, url: str, model: str = "tiny", max_retries: int = 0) -> ProviderConfig:
        return ProviderConfig(
            "here",
            self.protocol,
            model,
            Secret(KEY),
            "HERE_KEY",
            base_url=url + self.root,
            max_retries=max_retries,
            prompt_cache=False,  # bodies are compared whole; what a cache adds has its own tests
        )

    def wire(self, *events: Json | str) -> tuple[bytes, ...]:
        return sse(*events, named=self.protocol != "openai-compat")

    def begun(self, *texts: str) -> tuple[bytes, ...]:
        """An answer whose end does not come."""
        return self.wire(*self.opening, *map(self.delta, texts))

    def ended(self) -> tuple[bytes, ...]:
        return self.wire(*self.closing)

    def answer(self, *texts: str) -> Reply:
        return Reply((*self.begun(*texts), *self.ended()))

    def stuck(self, *texts: str) -> Reply:
        """Begins, then says nothing until the client leaves."""
        return Reply((*self.begun(*texts), Silence()))


def _chunk(delta: Json, finish: str | None = None) -> Json:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


MESSAGES = Dialect(
    "anthropic",
    "",
    "/v1/messages",
    opening=(
        {"type": "message_start", "message": {"id": "msg_1", "usage": {"input_tokens": 9, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ),
    delta=lambda said: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": said}},
    closing=(
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ),
    failure={"type": "error", "error": {"type": "overloaded_error", "message": "Nobody is free"}},
)
RESPONSES = Dialect(
    "openai",
    "/v1",
    "/v1/responses",
    opening=(
        {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "msg_1"}},
    ),
    delta=lambda said: {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": said},
    closing=(
        {
            "type": "response.completed",
            "response": {"id": "resp_1", "status": "completed", "usage": {"input_tokens": 9, "output_tokens": 4}},
        },
    ),
    failure={"type": "error", "error": {"code": "server_is_overloaded", "message": "Nobody is free"}},
)
CHAT = Dialect(
    "openai-compat",
    "/v1",
    "/v1/chat/completions",
    opening=(_chunk({"role": "assistant", "content": ""}),),
    delta=lambda said: _chunk({"content": said}),
    closing=(
        _chunk({}, "stop"),
        {"object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}},
        "[DONE]",
    ),
    failure={"error": {"code": "overloaded", "message": "Nobody is free"}},
)
ALL = (MESSAGES, RESPONSES, CHAT)

each_dialect = pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.protocol)


def settle_sdks() -> None:
    """Import the SDKs and set them aside from garbage collection, with which many a test ends: 0.3 s less each."""
    for dialect in ALL:
        importlib.import_module(f"mewcode.providers.{dialect.protocol.replace('-', '_')}")
    gc.collect()
    gc.freeze()


def conversation(*texts: str) -> Conversation:
    """User and assistant in turn."""
    spoken = Conversation()
    for number, text in enumerate(texts or ("Hello",)):
        spoken.add("assistant" if number % 2 else "user", text)
    return spoken


def connected(config: ProviderConfig) -> closing[LLMClient]:
    """A client, for a with statement."""
    return closing(create_client(config, SYSTEM))


def ask(config: ProviderConfig, spoken: Conversation | None = None) -> list[Event]:
    """Every event of one turn."""
    with connected(config) as client:
        return list(client.stream(spoken or conversation()))


def failure(events: list[Event]) -> LLMError:
    """The error with which the turn ended."""
    end = events[-1]
    assert isinstance(end, StreamError), end
    return end.error


def text(events: Iterable[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))
