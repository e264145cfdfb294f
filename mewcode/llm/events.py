"""What a turn yields: any number of progress events, then exactly one terminal event. The same for every provider."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mewcode.llm.messages import TextBlock, ThinkingBlock, Usage

if TYPE_CHECKING:
    from mewcode.errors import LLMError, ToolArgumentsError

StopReason: TypeAlias = Literal[
    "end",
    "max_tokens",
    "stop_sequence",
    "tool_use",
    "refusal",
    "content_filter",
    "pause",
    "context_full",
    "other",
]


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str

    @property
    def block(self) -> TextBlock | None:
        """The block that it begins; None when it goes on with the one that is there."""
        return None


@dataclass(frozen=True, slots=True)
class TextStart(TextDelta):
    """The delta that begins a TextBlock of its own, with what is known of that; for everybody else a TextDelta.

    A class of its own, since there are few of them, and each field makes every delta dearer.
    """

    phase: str | None = field(default=None, compare=False, repr=False)
    apart: int = field(default=0, compare=False, repr=False)

    @property
    def block(self) -> TextBlock | None:
        return TextBlock(self.text, self.phase, self.apart)


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingComplete:
    """A whole block, verbatim, for sending back. Its text came as deltas before."""

    block: ThinkingBlock


@dataclass(frozen=True, slots=True)
class ToolCallStart:
    tool_id: str
    tool_name: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A fragment of the arguments' JSON."""

    tool_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallComplete:
    """`arguments` is None, and `error` says why, when the JSON is broken or cut: such a call must not run.

    A call that a server turned out to have begun twice has started, but is never complete.
    """

    tool_id: str
    tool_name: str
    arguments: dict[str, Any] | None
    error: ToolArgumentsError | None = None
    extra: str | None = field(default=None, compare=False, repr=False)  # see ToolUseBlock


@dataclass(frozen=True, slots=True)
class Retrying:
    """A new attempt comes in `delay` seconds; `attempt` is its number, 2 for the first retry."""

    attempt: int
    max_attempts: int
    delay: float
    error: LLMError


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The protocol's own end mark came. `raw_stop_reason` is the server's word, None if it gave none."""

    stop_reason: StopReason
    raw_stop_reason: str | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class StreamError:
    error: LLMError


@dataclass(frozen=True, slots=True)
class Cancelled:
    pass


Progress: TypeAlias = (
    TextDelta | ThinkingDelta | ThinkingComplete | ToolCallStart | ToolCallDelta | ToolCallComplete | Retrying
)
Terminal: TypeAlias = StreamEnd | StreamError | Cancelled
Event: TypeAlias = Progress | Terminal
