"""A server's complaint, in the body that servers of its kind put around it."""

from __future__ import annotations

from typing import Any, TypeAlias

Json = dict[str, Any]
Refused: TypeAlias = tuple[int, Any]  # a status and a body


def openai(message: str, param: str | None = None, code: str | None = None) -> Refused:
    return 400, {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def anthropic(message: str) -> Refused:
    return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": message}}


def vllm(message: str) -> Refused:
    return 400, {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": 400}


def vllm_extra(field: str, given: object) -> Refused:
    words = {"type": "extra_forbidden", "loc": ("body", field), "msg": "Extra inputs are not permitted", "input": given}
    return vllm(f"[{words}]")


def extra(*path: str) -> Json:
    return {"type": "extra_forbidden", "loc": ["body", *path], "msg": "Extra inputs are not permitted", "input": 800}


def pydantic(*details: Json) -> Refused:
    return 422, {"detail": [*details]}


def mistral(*details: Json) -> Refused:
    return 422, {"object": "error", "message": {"detail": [*details]}, "type": "invalid_request_error", "code": None}


def litellm(message: str) -> Refused:
    return 400, {"error": {"message": f"litellm.{message}", "type": "None", "param": None, "code": "400"}}
