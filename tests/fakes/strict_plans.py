"""What a strict server is to answer, said once for all three protocols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tests.fakes.sse_server import Silence

__all__ = ["Answer", "Call", "Cut", "Fault", "Finish", "Plan", "Redacted", "Said", "Silence", "Status", "Thought"]


@dataclass(frozen=True, slots=True)
class Thought:
    """Thinking, which the server signs or seals. Not `whole`: it stops before that."""

    text: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Redacted:
    """Thinking without text. Chat completions have none: there it says nothing."""


@dataclass(frozen=True, slots=True)
class Said:
    """Text. Not `whole`: the end of its block does not come."""

    text: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call, whose id the server makes up; `arguments` is its JSON, as broken as wanted."""

    name: str
    arguments: str = "{}"
    whole: bool = True


Part: TypeAlias = Thought | Redacted | Said | Call


@dataclass(frozen=True, slots=True)
class Finish:
    """The protocol's own end mark."""

    reason: Literal["end", "max_tokens"] = "end"


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection closes without the end of the body."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An error object in the stream."""

    message: str = "Overloaded"


End: TypeAlias = Finish | Cut | Silence | Fault


@dataclass(frozen=True, slots=True)
class Answer:
    """Parts in order, then the end. `after` lets an end other than Finish strike after so many events of the stream."""

    parts: tuple[Part, ...]
    end: End = Finish()
    after: int | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """An answer that is an error, in the vendor's form."""

    code: int
    message: str = "Internal server error"
    retry_after: str | None = None


Plan: TypeAlias = Answer | Status | Silence | Cut  # the last two say nothing at all, not even a head
