"""Everything that can go wrong, as one tree.

MewcodeError                 str(error) is one sentence for the user
├── ConfigError              the configuration, a flag or an environment variable is wrong
├── ToolArgumentsError       a model's tool call does not hold valid JSON
└── LLMError                 a request failed
    ├── AuthError            the key is missing or was refused
    ├── PermissionDenied     the key is good but may not do this
    ├── RateLimited          too many requests for now                    (retryable)
    ├── QuotaExhausted       the account has no money or quota left
    ├── ContextTooLong       the conversation does not fit the model
    ├── ContentFiltered      the provider refused the content
    ├── ModelNotFound        no such model there
    ├── BadRequest           the server does not accept the request as it stands
    ├── Overloaded           the server has no room for now               (retryable)
    ├── ServerError          the server failed                            (retryable)
    ├── NetworkError         the server could not be reached              (retryable, TLS faults excepted)
    ├── TimedOut             the server was silent for too long           (retryable)
    ├── StreamInterrupted    the answer broke off                         (retryable)
    └── ProtocolError        what came is not the protocol we speak

The adapters in mewcode.providers map what a service or an SDK throws to these, once; nothing else in the program
knows the SDKs' own exceptions.
"""

from __future__ import annotations

import re
from typing import ClassVar, TypedDict, Unpack


class MewcodeError(Exception):
    """str() is one sentence that the user can act on."""

    @property
    def kind(self) -> str:
        """The class in snake case, as `once --output jsonl` prints it: `rate_limited`, `timed_out`."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", type(self).__name__).lower()


class ConfigError(MewcodeError):
    """Names the place and the fix; never shows a value of the file."""


class ToolArgumentsError(MewcodeError):
    """The arguments of a tool call are broken or cut; the call must not run."""

    def __init__(self, raw: str, reason: str) -> None:
        super().__init__(f"the tool call's arguments are not valid: {reason}")
        self.raw = raw
        self.reason = reason


class Facts(TypedDict, total=False):
    """What every failed request may know about itself; `retry_after` is in seconds.

    `max_attempts` bounds the attempts worth making, however many are allowed; None means that nothing is known.
    """

    provider: str
    status: int | None
    request_id: str | None
    retryable: bool | None
    retry_after: float | None
    max_attempts: int | None


class LLMError(MewcodeError):
    """A request failed. Status 200 means that the error came inside the stream."""

    default_retryable: ClassVar[bool] = False

    def __init__(self, message: str, **facts: Unpack[Facts]) -> None:
        super().__init__(message)
        self.provider = facts.get("provider", "")
        self.status = facts.get("status")
        self.request_id = facts.get("request_id")
        retryable = facts.get("retryable")
        self.retryable = self.default_retryable if retryable is None else retryable
        self.retry_after = facts.get("retry_after")
        self.max_attempts = facts.get("max_attempts")


class AuthError(LLMError):
    """The key is missing (`has_key` False) or was refused; `key_source` names where it has to be set."""

    def __init__(self, message: str, *, key_source: str = "", has_key: bool = True, **facts: Unpack[Facts]) -> None:
        super().__init__(message, **facts)
        self.key_source = key_source
        self.has_key = has_key


class PermissionDenied(LLMError):
    """The key is known but may not use this model or endpoint."""


class RateLimited(LLMError):
    """Too many requests or tokens for now."""

    default_retryable = True


class QuotaExhausted(LLMError):
    """Billing: waiting does not help."""


class ContextTooLong(LLMError):
    """The request does not fit. `limit` and `requested` are in tokens, None where the server did not say."""

    def __init__(
        self, message: str, *, limit: int | None = None, requested: int | None = None, **facts: Unpack[Facts]
    ) -> None:
        super().__init__(message, **facts)
        self.limit = limit
        self.requested = requested


class ContentFiltered(LLMError):
    """The provider's filter refused the request."""


class ModelNotFound(LLMError):
    """The server does not know the model, or this key may not see it."""


class BadRequest(LLMError):
    """The server refuses the request as it stands."""


class Overloaded(LLMError):
    """The server asks to come back later."""

    default_retryable = True


class ServerError(LLMError):
    """The server failed (5xx)."""

    default_retryable = True


class NetworkError(LLMError):
    """No connection, or it broke before the first event. A TLS fault is one too, with retryable False."""

    default_retryable = True


class TimedOut(LLMError):
    """No connection or no byte within the limit."""

    default_retryable = True


class StreamInterrupted(LLMError):
    """The stream broke after it began; `partial` is the text so far."""

    default_retryable = True

    def __init__(self, message: str, *, partial: str = "", **facts: Unpack[Facts]) -> None:
        super().__init__(message, **facts)
        self.partial = partial


class ProtocolError(LLMError):
    """A redirect, a page that is no event stream, an empty or malformed stream."""


# Source: what servers really answer (protocol notes of 2026-11), from the exact words to the loose ones.
_TOO_LONG = re.compile(
    r"exceeds the available context size|context_length_exceeded|exceed_context_size|too_many_prompt_tokens"
    r"|prompt is too long|prompt[ _]too[ _]long|max(imum)?[ _]context[ _]length"
    r"|context (window|length|size)|input (is )?too long|too large for model|reduce the length",
    re.IGNORECASE,
)
_TOO_MANY = re.compile(r"too many tokens", re.IGNORECASE)


def is_prompt_too_long(error: BaseException | str) -> bool:
    """Whether the words of an error say that the conversation does not fit the model's context."""
    if isinstance(error, ContextTooLong):
        return True
    words = str(error)
    if _TOO_LONG.search(words):
        return True
    # with a 429 these words are a rate limit
    return bool(_TOO_MANY.search(words)) and getattr(error, "status", None) != 429
