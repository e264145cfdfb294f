"""What servers answer when they refuse: (dialect, status, body, class). Source: protocol notes of 2026-11, from
recorded or documented payloads."""

from __future__ import annotations

from typing import Any

from mewcode import errors
from tests.fakes.dialects import CHAT, MESSAGES, RESPONSES

Json = Any


def message(kind: str, words: str, **more: Json) -> Json:
    return {"type": "error", "error": {"type": kind, "message": words, **more}, "request_id": "req_in_body"}


def said(words: str, **more: Json) -> Json:
    return {"error": {"message": words, **more}}


_TPM = "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 36278"
_VLLM = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"
FAULTS: list[tuple[Any, int, Json, type[errors.LLMError]]] = [
    (MESSAGES, 401, message("authentication_error", "API key is invalid."), errors.AuthError),
    (MESSAGES, 403, message("permission_error", "Not for you"), errors.PermissionDenied),
    (MESSAGES, 404, message("not_found_error", "model: claude-nine"), errors.ModelNotFound),
    (
        MESSAGES,
        400,
        message("invalid_request_error", "prompt is too long: 333 tokens > 200 maximum"),
        errors.ContextTooLong,
    ),
    (MESSAGES, 413, message("request_too_large", "Too large"), errors.ContextTooLong),
    (MESSAGES, 400, message("invalid_request_error", "Your credit balance is too low"), errors.QuotaExhausted),
    (MESSAGES, 402, message("billing_error", "Pay first"), errors.QuotaExhausted),
    (MESSAGES, 400, message("invalid_request_error", "temperature: range: 0..1"), errors.BadRequest),
    (MESSAGES, 429, message("rate_limit_error", "Slow down"), errors.RateLimited),
    (MESSAGES, 429, message("rate_limit_error", "You reached your usage limit"), errors.QuotaExhausted),
    (MESSAGES, 429, message("rate_limit_error", "Your spend limit is reached"), errors.QuotaExhausted),
    (
        MESSAGES,
        429,
        message("rate_limit_error", "Stopped", details={"error_code": "enforced_spend_limit_reached"}),
        errors.QuotaExhausted,
    ),
    (MESSAGES, 529, message("overloaded_error", "Overloaded"), errors.Overloaded),
    (MESSAGES, 500, message("api_error", "Oops"), errors.ServerError),
    (MESSAGES, 504, message("timeout_error", "Took too long"), errors.ServerError),
    (RESPONSES, 401, said("Incorrect API key provided", code="invalid_api_key"), errors.AuthError),
    (RESPONSES, 400, said("The requested model 'x' does not exist.", code="model_not_found"), errors.ModelNotFound),
    (RESPONSES, 400, said("Your input is huge", code="context_length_exceeded"), errors.ContextTooLong),
    (RESPONSES, 429, said("You exceeded your current quota", code="insufficient_quota"), errors.QuotaExhausted),
    (RESPONSES, 429, said("Rate limit reached", type="tokens", code="rate_limit_exceeded"), errors.RateLimited),
    (RESPONSES, 429, said(_TPM, type="tokens", code="rate_limit_exceeded"), errors.ContextTooLong),
    (RESPONSES, 400, said("Unsupported parameter", code="unsupported_parameter"), errors.BadRequest),
    (RESPONSES, 400, said("Filtered", code="content_filter"), errors.ContentFiltered),
    (RESPONSES, 408, said("Took too long"), errors.TimedOut),
    (RESPONSES, 409, said("Busy"), errors.Overloaded),
    (RESPONSES, 503, said("No capacity", code="server_is_overloaded"), errors.Overloaded),
    (CHAT, 404, said("'x' does not exist or you do not have access", code="model_not_found"), errors.ModelNotFound),
    (CHAT, 401, said("Access denied due to invalid subscription key", code="401"), errors.AuthError),
    (CHAT, 404, said("No deployment", code="DeploymentNotFound"), errors.ModelNotFound),
    (CHAT, 429, said("Slow down", code="RateLimitReached"), errors.RateLimited),
    (CHAT, 400, said(_VLLM, code="invalid_request_error"), errors.ContextTooLong),
    (CHAT, 402, said("Insufficient Balance", type="unknown_error"), errors.QuotaExhausted),
    (CHAT, 400, {"code": "invalid-argument", "error": "Incorrect API key provided."}, errors.AuthError),
    (CHAT, 401, {"detail": "Invalid API Key"}, errors.AuthError),
    (CHAT, 400, {"object": "error", "message": "Invalid model: x", "type": "invalid_model"}, errors.ModelNotFound),
    (CHAT, 422, {"object": "error", "message": {"detail": [{"msg": "Extra inputs"}]}}, errors.BadRequest),
    (CHAT, 413, said(_TPM, code="rate_limit_exceeded"), errors.ContextTooLong),
    (CHAT, 400, said("Failed to call a function", code="tool_use_failed"), errors.BadRequest),
    (CHAT, 401, said("Missing Authentication header", code=401), errors.AuthError),
    (CHAT, 429, said("Provider returned error", code=429, metadata={"raw": "the inner words"}), errors.RateLimited),
    (CHAT, 400, said("Too many", type="too_many_prompt_tokens", code=400), errors.ContextTooLong),
    (CHAT, 404, {"error": "model 'x' not found"}, errors.ModelNotFound),
    (CHAT, 404, {"error": "Specified model not found: x"}, errors.ModelNotFound),
    (
        CHAT,
        400,
        said("Too big", type="exceed_context_size_error", n_ctx=512, n_prompt_tokens=600),
        errors.ContextTooLong,
    ),
    (CHAT, 503, said("Loading model", code=503, type="unavailable_error"), errors.Overloaded),
    (CHAT, 400, {"object": "error", "message": _VLLM, "type": "BadRequestError", "code": 400}, errors.ContextTooLong),
    (CHAT, 400, [said("API key not valid.", status="INVALID_ARGUMENT")], errors.AuthError),
    (CHAT, 404, [said("models/x is not found for this version", status="NOT_FOUND")], errors.ModelNotFound),
    (CHAT, 403, said("Who are you", code="forbidden"), errors.AuthError),
    (CHAT, 400, said("No db", type="no_db_connection", code="400"), errors.AuthError),
    (CHAT, 400, said("Invalid model name passed in model=x"), errors.ModelNotFound),
    (CHAT, 500, said("Oops"), errors.ServerError),
]
IN_STREAM: list[tuple[Any, Json, type[errors.LLMError]]] = [
    (MESSAGES, message("overloaded_error", "The words"), errors.Overloaded),
    (MESSAGES, message("rate_limit_error", "The words"), errors.RateLimited),
    (MESSAGES, message("api_error", "The words"), errors.ServerError),
    (
        RESPONSES,
        {"type": "error", "error": {"code": "insufficient_quota", "message": "The words"}},
        errors.QuotaExhausted,
    ),
    (RESPONSES, {"type": "error", "code": "server_error", "message": "The words"}, errors.ServerError),
    (RESPONSES, {"type": "error", "code": None, "message": "The words"}, errors.ServerError),
    (
        RESPONSES,
        {"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded", "message": "The words"}}},
        errors.RateLimited,
    ),
    (CHAT, said("The words", code=502), errors.ServerError),
    (CHAT, said("The words", code=403), errors.ContentFiltered),
    (CHAT, said("The words", code=429), errors.RateLimited),
    (CHAT, said("The words: Token limit reached", code=400) | {"choices": []}, errors.ContextTooLong),
    (CHAT, {"error": "The words"}, errors.ServerError),
    (CHAT, {"object": "error", "message": "The words", "code": 400}, errors.BadRequest),
]
