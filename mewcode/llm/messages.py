"""Messages as values. Two layers: `Message` has identity and a state, `ApiMessage` is what a service may see."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, TypeAlias

Role: TypeAlias = Literal["user", "assistant", "system", "tool"]
Status: TypeAlias = Literal["streaming", "complete", "cancelled", "interrupted", "error"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as the server counted them; None where it did not say.

    `input_tokens` is all input, cached tokens included; `output_tokens` all output, thinking included.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    thinking_tokens: int | None = None

    def merged(self, newer: Usage) -> Usage:
        """This usage, overwritten by every number that `newer` knows."""
        mine, other = _as_dict(self), _as_dict(newer)
        return Usage(**{name: mine[name] if other[name] is None else other[name] for name in mine})


def _as_dict(usage: Usage) -> dict[str, int | None]:
    return {item.name: getattr(usage, item.name) for item in fields(usage)}


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Text as it is read. `phase` is the server's word for its part in the answer; `apart` counts the characters at the
    head of `text` that set it off from the text before it, and are not the model's.
    """

    text: str
    phase: str | None = field(default=None, compare=False, repr=False)
    apart: int = field(default=0, compare=False, repr=False)

    @property
    def said(self) -> str:
        """The text as the model wrote it."""
        return self.text[self.apart :]


@dataclass(frozen=True, slots=True)
class ThinkingBlock:
    """A model's reasoning, verbatim: it goes back to the model that wrote it, and to no other."""

    text: str
    signature: str | None = None
    redacted_data: str | None = None
    tagged: str | None = field(default=None, compare=False, repr=False)  # as it stood inside the text, tags and all
    details: str | None = field(default=None, compare=False, repr=False)  # as a chat server sealed it, a JSON array


@dataclass(frozen=True, slots=True)
class ToolUseBlock:
    """A call that the model asked for. `arguments` is None when they came broken or cut: it must not run.

    `extra` is the JSON of what a server put beside it, a seal of the thinking before it: it goes back as that does.
    """

    tool_id: str
    tool_name: str
    arguments: dict[str, Any] | None
    extra: str | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ToolResultBlock:
    tool_id: str
    content: str
    is_error: bool = False


Block: TypeAlias = TextBlock | ThinkingBlock | ToolUseBlock | ToolResultBlock


def unsealed(block: Block) -> Block:
    """Thinking as mere text, which no service takes back, and a call without its seal; any other block as it is."""
    match block:
        case ThinkingBlock(text):
            return ThinkingBlock(text)
        case ToolUseBlock(extra=str()):
            return replace(block, extra=None)
    return block


class Origin(NamedTuple):
    """Who wrote an answer; its thinking may go back only there."""

    provider: str
    base_url: str
    model: str


def new_id() -> str:
    """An id that no other message has, in this conversation or in a kept one."""
    return secrets.token_hex(8)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of one role. `elapsed` is in seconds; `model`, `provider` and `base_url` are those of an answer.

    `prefix` is the fingerprint of the request that an answer was made from, see mewcode.llm.thinking.
    """

    id: str
    role: Role
    blocks: tuple[Block, ...] = ()
    status: Status = "complete"
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    usage: Usage | None = None
    elapsed: float | None = None
    model: str | None = None
    provider: str | None = None
    base_url: str | None = None
    prefix: str | None = None

    @property
    def origin(self) -> Origin | None:
        """Who wrote this answer; None for any other message."""
        if self.provider is None or self.base_url is None or self.model is None:
            return None
        return Origin(self.provider, self.base_url, self.model)

    @property
    def text(self) -> str:
        """The text blocks, joined; no thinking."""
        return "".join(block.text for block in self.blocks if isinstance(block, TextBlock))


@dataclass(frozen=True, slots=True)
class ApiMessage:
    """A message as every service understands it: tool results belong to the user."""

    role: Literal["user", "assistant"]
    blocks: tuple[Block, ...]
    origin: Origin | None = None
    prefix: str | None = field(default=None, compare=False, repr=False)  # the answer's, see mewcode.llm.thinking
    thought: bool = field(default=False, compare=False, repr=False)  # the answer began with thinking, left out or not
