"""One answer per protocol that holds all an answer may hold: thinking, text in several scripts, a tool call, usage."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tests.fakes.dialects import CHAT, MESSAGES, RESPONSES

if TYPE_CHECKING:
    from mewcode.llm.client import ProviderConfig
    from tests.fakes.dialects import Dialect

Json = dict[str, Any]

TEXT = "Grüße – 你好 🙂!"
_TEXTS = ("Grü", "ße – 你", "好 🙂!")
THOUGHT = "Häm…"
ARGUMENTS = {"at": "Zürich", "on": True}
_PIECES = ('{"at": "Zü', 'rich", "on": true}')


@dataclass(frozen=True, slots=True)
class Speech:
    """A whole answer in the wire's own events."""

    name: str
    dialect: Dialect
    events: tuple[Json | str, ...]

    @property
    def protocol(self) -> str:
        return self.dialect.protocol

    @property
    def pieces(self) -> tuple[bytes, ...]:
        """The body, one piece an event."""
        return self.dialect.wire(*self.events)

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)

    def config(self, url: str, *, idle: float = 5.0, retries: int = 0) -> ProviderConfig:
        return replace(self.dialect.config(url), idle_timeout=idle, max_retries=retries)

    def saying(self, *events: Json | str) -> Speech:
        """The same protocol with other events."""
        return replace(self, events=events)


def _block(index: int, delta: Json) -> Json:
    return {"type": "content_block_delta", "index": index, "delta": delta}


_MESSAGES_USAGE = {"input_tokens": 9, "output_tokens": 1, "cache_read_input_tokens": 5}
_MESSAGES: tuple[Json, ...] = (
    {"type": "message_start", "message": {"id": "msg_1", "usage": _MESSAGES_USAGE}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "ping"},
    _block(0, {"type": "thinking_delta", "thinking": THOUGHT}),
    _block(0, {"type": "signature_delta", "signature": "c2lnbmVk"}),
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    *(_block(1, {"type": "text_delta", "text": said}) for said in _TEXTS),
    {"type": "content_block_stop", "index": 1},
    {
        "type": "content_block_start",
        "index": 2,
        "content_block": {"type": "tool_use", "id": "tu_1", "name": "look", "input": {}},
    },
    *(_block(2, {"type": "input_json_delta", "partial_json": piece}) for piece in _PIECES),
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
)


def _item(index: int, kind: str, **more: Any) -> Json:
    return {"output_index": index, "item": {"type": kind, **more}}


_REASONING = {"id": "rs_1", "summary": [], "encrypted_content": "c2VhbGVk"}
_CALL = {"call_id": "fc_1", "name": "look"}
_RESPONSES_USAGE = {"input_tokens": 14, "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 3}}
_RESPONSES: tuple[Json, ...] = (
    {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
    {"type": "response.output_item.added", **_item(0, "reasoning", id="rs_1")},
    {"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": THOUGHT},
    {"type": "response.output_item.done", **_item(0, "reasoning", **_REASONING)},
    {"type": "response.output_item.added", **_item(1, "message")},
    *({"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": said} for said in _TEXTS),
    {"type": "response.output_item.added", **_item(2, "function_call", **_CALL)},
    *({"type": "response.function_call_arguments.delta", "output_index": 2, "delta": piece} for piece in _PIECES),
    {"type": "response.output_item.done", **_item(2, "function_call", **_CALL, arguments="".join(_PIECES))},
    {"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "usage": _RESPONSES_USAGE}},
)


def _chunk(delta: Json, finish: str | None = None) -> Json:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _call_piece(piece: str, **more: Any) -> Json:
    return _chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece, **more}}]})


_CHAT_USAGE = {"prompt_tokens": 14, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 5}}
_CALL_BEGUN = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "look", "arguments": ""}}
_CHAT: tuple[Json | str, ...] = (
    {"id": "chat_1", **_chunk({"role": "assistant", "content": None})},
    _chunk({"reasoning_content": THOUGHT}),
    *(_chunk({"content": said}) for said in _TEXTS),
    _chunk({"tool_calls": [_CALL_BEGUN]}),
    *map(_call_piece, _PIECES),
    _chunk({}, "tool_calls"),
    {"choices": [], "usage": _CHAT_USAGE},
    "[DONE]",
)

MESSAGES_SPEECH = Speech("anthropic", MESSAGES, _MESSAGES)
RESPONSES_SPEECH = Speech("openai", RESPONSES, _RESPONSES)
CHAT_SPEECH = Speech("openai-compat", CHAT, _CHAT)
SPEECHES = (MESSAGES_SPEECH, RESPONSES_SPEECH, CHAT_SPEECH)
# some servers never send a finish reason: only [DONE] tells that the answer is whole
UNFINISHED_SPEECH = Speech(
    "openai-compat without a finish reason", CHAT, (*(_chunk({"content": said}) for said in _TEXTS), "[DONE]")
)
