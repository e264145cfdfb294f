"""How OpenAI words a refusal, and the body around it; servers of the same protocols word theirs after it."""

from __future__ import annotations

from typing import Any

from tests.fakes.strict_memory import Json, Refusal


def error_body(status: int, refusal: Refusal) -> Json:
    kind = "server_error" if status >= 500 else "invalid_request_error"
    if refusal.flat:
        kind = "BadRequestError"
        return {
            "object": "error",
            "message": refusal.message,
            "type": kind,
            "param": refusal.param,
            "code": refusal.code or status,
        }
    return {"error": {"message": refusal.message, "type": kind, "param": refusal.param, "code": refusal.code}}


def fits(value: object, kind: Any) -> bool:
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def unknown(param: str) -> Refusal:
    return Refusal(f"Unknown parameter: '{param}'.", param, "unknown_parameter")


def unsupported(param: str) -> Refusal:
    words = f"Unsupported parameter: '{param}' is not supported with this model."
    return Refusal(words, param, "unsupported_parameter")


def missing(param: str) -> Refusal:
    return Refusal(f"Missing required parameter: '{param}'.", param, "missing_required_parameter")


def wrong_type(param: str, value: object) -> Refusal:
    got = "null" if value is None else type(value).__name__
    return Refusal(f"Invalid type for '{param}': got {got} instead.", param, "invalid_type")


def unsupported_effort(param: str, level: str, levels: tuple[str, ...]) -> Refusal:
    names = ", ".join(f"'{name}'" for name in levels)
    words = f"Unsupported value: '{level}' is not supported with this model. Supported values are: {names}."
    return Refusal(words, param, "unsupported_value")
