"""What Anthropic, OpenAI and Azure answer when they refuse: the protocol notes' table of errors, row by row.

Each body is fed both as an answer with its status and as an error inside a stream that began with 200. Source: payloads
recorded from, or documented by, the servers named in the first column, 2026-11.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mewcode import errors
from tests.fakes.dialects import CHAT, MESSAGES, RESPONSES

if TYPE_CHECKING:
    from tests.fakes.dialects import Dialect

Json = Any


@dataclass(frozen=True, slots=True)
class Row:
    """`pieces` stand in the sentence as they are. `in_stream` is the class where it is another one there, because the
    status alone told it and nothing in the body does."""

    vendor: str
    dialect: Dialect
    status: int
    body: Json
    kind: type[errors.LLMError]
    pieces: tuple[str, ...] = ()
    limit: int | None = None
    requested: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    in_stream: type[errors.LLMError] | None = None

    @property
    def label(self) -> str:
        return f"{self.vendor} {self.status} {self.pieces[0] if self.pieces else ''}"[:60]


def message(kind: str, words: str, **more: Json) -> Json:
    return {"type": "error", "error": {"type": kind, "message": words, **more}, "request_id": "req_in_body"}


def said(words: str, **more: Json) -> Json:
    return {"error": {"message": words, **more}}


_A, _R, _C = MESSAGES, RESPONSES, CHAT
TPM = "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 36278"
_FAR_OVER = "3,133,404 tokens over the limit of 200,000"

ANTHROPIC = (
    Row("Anthropic", _A, 401, message("authentication_error", "invalid x-api-key"), errors.AuthError, ("HERE_KEY",)),
    Row("Anthropic", _A, 401, message("authentication_error", "API key is invalid."), errors.AuthError),
    Row("Anthropic", _A, 404, message("not_found_error", "model: nine"), errors.ModelNotFound, ("the model tiny",)),
    Row(
        "Anthropic",
        _A,
        400,
        message("invalid_request_error", "prompt is too long: 3333404 tokens > 200000 maximum"),
        errors.ContextTooLong,
        (_FAR_OVER, "/clear"),
        200_000,
        3_333_404,
    ),
    Row("Anthropic", _A, 413, message("request_too_large", "Request exceeds the maximum size"), errors.ContextTooLong),
    Row("Cloudflare", _A, 413, "<html><title>413 Too Large</title></html>", errors.ContextTooLong, ("413 Too Large",)),
    Row(
        "Anthropic",
        _A,
        400,
        message("invalid_request_error", "Your credit balance is too low to access the Anthropic API"),
        errors.QuotaExhausted,
        ("add credit",),
    ),
    Row("Anthropic", _A, 402, message("billing_error", "Pay first"), errors.QuotaExhausted),
    Row(
        "Anthropic",
        _A,
        402,
        message("invalid_request_error", "Stopped", details={"error_code": "linked_organization_on_hold"}),
        errors.QuotaExhausted,
    ),
    Row(
        "Anthropic",
        _A,
        429,
        message("rate_limit_error", "This request would exceed your rate limit"),
        errors.RateLimited,
        ("try again later",),
        headers={"retry-after": "17"},
    ),
    Row("Anthropic", _A, 429, message("rate_limit_error", "Slow down"), errors.RateLimited),
    Row("Anthropic", _A, 429, message("rate_limit_error", "You reached your usage limit"), errors.QuotaExhausted),
    Row("Anthropic", _A, 429, message("rate_limit_error", "Your spend cap is reached"), errors.QuotaExhausted),
    Row("Anthropic", _A, 429, message("rate_limit_error", "No credit is left"), errors.QuotaExhausted),
    Row("Anthropic", _A, 429, message("rate_limit_error", "See your billing page"), errors.QuotaExhausted),
    Row(
        "Anthropic",
        _A,
        429,
        message("rate_limit_error", "You reached your usage limit"),
        errors.RateLimited,
        headers={"retry-after": "30"},
        in_stream=errors.QuotaExhausted,  # the time to return went with the status
    ),
    Row(
        "Anthropic",
        _A,
        429,
        message("rate_limit_error", "Stopped", details={"error_code": "enforced_spend_limit_reached"}),
        errors.QuotaExhausted,
    ),
    Row(
        "Anthropic",
        _A,
        429,
        message("rate_limit_error", "Stopped", details={"error_code": "contract_spend_limit_reached"}),
        errors.QuotaExhausted,
    ),
    Row("Anthropic", _A, 400, message("invalid_request_error", "temperature: range: 0..1"), errors.BadRequest),
    Row(
        "Anthropic",
        _A,
        400,
        message("invalid_request_error", "This model does not support effort level 'huge'. Supported levels: low."),
        errors.BadRequest,
    ),
    Row("Anthropic", _A, 400, message("invalid_request_error", "thinking.type: not in the list"), errors.BadRequest),
    Row("Anthropic", _A, 403, message("permission_error", "Not for you"), errors.PermissionDenied, ("tiny",)),
    Row("Anthropic", _A, 529, message("overloaded_error", "Overloaded"), errors.Overloaded),
    Row("Anthropic", _A, 500, message("api_error", "Internal server error"), errors.ServerError),
    Row("Anthropic", _A, 504, message("timeout_error", "Took too long"), errors.ServerError),
)

OPENAI = (
    Row(
        "OpenAI",
        _R,
        401,
        said("Incorrect API key provided: x", type="invalid_request_error", param=None, code="invalid_api_key"),
        errors.AuthError,
        ("HERE_KEY",),
    ),
    Row(
        "OpenAI",
        _R,
        400,
        said("The requested model 'x' does not exist.", type="invalid_request_error", code="model_not_found"),
        errors.ModelNotFound,
        ("the model tiny",),
    ),
    Row(
        "OpenAI",
        _C,
        404,
        said("The model `x` does not exist or you do not have access to it.", code="model_not_found"),
        errors.ModelNotFound,
    ),
    Row(
        "OpenAI",
        _R,
        400,
        said(
            "Your input exceeds the context window of this model.",
            type="invalid_request_error",
            param="input",
            code="context_length_exceeded",
        ),
        errors.ContextTooLong,
        ("too long for tiny",),
    ),
    Row(
        "OpenAI",
        _R,
        429,
        said("You exceeded your current quota.", type="insufficient_quota", code="insufficient_quota"),
        errors.QuotaExhausted,
    ),
    Row(
        "OpenAI",
        _R,
        429,
        said("Rate limit reached for x. Please try again in 4s", type="tokens", code="rate_limit_exceeded"),
        errors.RateLimited,
    ),
    Row(
        "OpenAI", _R, 429, said("Rate limit reached", type="requests"), errors.RateLimited, in_stream=errors.ServerError
    ),
    Row(
        "OpenAI",
        _R,
        429,
        said(TPM, type="tokens", code="rate_limit_exceeded"),
        errors.ContextTooLong,
        ("6,278 tokens over the limit of 30,000",),
        30_000,
        36_278,
    ),
    *(
        Row(
            "OpenAI",
            _R,
            400,
            said(f"Trouble with 'x': {code}", type="invalid_request_error", param="x", code=code),
            errors.BadRequest,
        )
        for code in ("unsupported_parameter", "unsupported_value", "unknown_parameter")
    ),
    Row(
        "OpenAI",
        _R,
        400,
        said("Item 'rs_1' of type 'reasoning' was provided without its item.", type="invalid_request_error"),
        errors.BadRequest,
    ),
    Row("OpenAI", _R, 400, said("Filtered", code="content_filter"), errors.ContentFiltered, ("change the message",)),
    Row("OpenAI", _R, 408, said("Took too long"), errors.TimedOut, in_stream=errors.ServerError),
    Row("OpenAI", _R, 409, said("Busy"), errors.Overloaded, in_stream=errors.ServerError),
    Row("OpenAI", _R, 422, said("Not so"), errors.BadRequest, in_stream=errors.ServerError),
    Row("OpenAI", _R, 503, said("No capacity", code="server_is_overloaded"), errors.Overloaded),
    Row("OpenAI", _R, 500, said("The server had an error", type="server_error"), errors.ServerError),
)

AZURE = (
    Row("Azure", _C, 401, said("Access denied due to invalid subscription key", code="401"), errors.AuthError),
    Row("Azure", _C, 404, said("The API deployment is not there.", code="DeploymentNotFound"), errors.ModelNotFound),
    Row("Azure", _C, 429, said("Slow down", code="RateLimitReached"), errors.RateLimited),
    Row(
        "Azure",
        _C,
        400,
        said(
            "The response was filtered.",
            code="content_filter",
            innererror={"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"hate": {"filtered": True}}},
        ),
        errors.ContentFiltered,
    ),
)
