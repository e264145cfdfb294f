"""What servers refuse in a request, and the request without it: data for mewcode.providers._heal, by protocol.

Source: the refusals recorded from, or reported of, the servers named beside each remedy, 2026-11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewcode.llm.models import LEAST_BUDGET
from mewcode.providers._edits import altered, complaint, dropping, pattern, refused, without
from mewcode.providers._heal import Remedy
from mewcode.providers._history_remedies import BROKEN_SEALS, CALL_IDS, ORDER, SEALS, SIGNATURES
from mewcode.providers._json import dig
from mewcode.providers._thinking_remedies import (
    FORM,
    LOST,
    NO_LEVEL,
    NO_THINKING,
    REASONING,
    UNREASONED,
    UNSEALED,
    UNTHOUGHT,
    effort_at,
)

if TYPE_CHECKING:
    from mewcode.llm.client import Request
    from mewcode.providers._heal import Body, Refusal


def _renaming(old: str, new: str) -> Remedy:
    def mend(body: Body, request: Request, refusal: Refusal) -> Body | None:
        if old not in body:
            return None
        return {new if name == old else name: value for name, value in body.items()}

    return Remedy("limit", pattern(refused(old)), mend)


# Anthropic; OpenAI; DeepSeek; Groq
_MOST = pattern(
    r"tokens[^.]*?: \d+ > (\d+), which is the maximum",
    r"too large: \d+\. This model supports at most (\d+)",
    r"valid range of max_tokens is \[\d+, ?(\d+)\]",
    r"max_(?:completion_)?tokens\b.{0,100}?must be less than or equal to \W*(\d+)",
)
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def _lowered(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """The length of the answer as the server allows it: its own number is better than our table."""
    found = _MOST.search(refusal.said)
    most = int(next(filter(None, found.groups()))) if found else 0
    lowered = {name: most for name in _LIMITS if isinstance(body.get(name), int) and body[name] > most > 0}
    return _budgeted({**body, **lowered}, most) if lowered else None


def _budgeted(body: Body, limit: int) -> Body | None:
    """The body with a thinking budget below its limit; without thinking where there is no room for it."""
    budget = dig(body, "thinking", "budget_tokens")
    if not isinstance(budget, int) or budget < limit:
        return body
    if limit <= LEAST_BUDGET:
        return without(body, "thinking")
    return altered(body, max(LEAST_BUDGET, limit // 2), "thinking", "budget_tokens")


def _lowered_remark(before: Body, after: Body, request: Request) -> str | None:
    most = next(after[name] for name in _LIMITS if name in after)
    return f"{request.model} writes at most {most:,} tokens." if request.max_output_tokens else None


_LENGTH = Remedy("most", _MOST, _lowered, remark=_lowered_remark)

_NO_SYSTEM = pattern(
    r"not support\W{1,4}(?:the )?system\b",  # o1-mini
    r"system[\w ]{0,20} (?:role|message|prompt)s?\W[^.;]{0,30}not[^.;]{0,20}(?:support|allow)",  # Gemma's template
    r"developer instruction is not enabled",  # Gemma at Gemini's endpoint
    r"(?:unexpected|unsupported|invalid|unknown) role\W{1,4}system",
    r"only user and assistant roles",
    r"roles must alternate user",  # ours do, but for the system prompt; old Mistral's template
)


def _folded(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """The system prompt at the head of the first message."""
    match body["messages"]:
        case [{"role": "system", "content": str(prompt)}, {"role": "user", "content": str(said)} as first, *rest]:
            return {**body, "messages": [{**first, "content": f"{prompt}\n\n{said}"}, *rest]}
    return None


_NO_NULL = pattern(
    r"content\b.{0,80}(?:\bnull\b|<?\bnil\b|\bnone(?:type)?\b|valid string|a string\b|is empty|is required|missing)",
    r"'?content'? is a required",
)


def _with_empty_content(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """Text of no length beside calls, where null is refused."""
    messages = [
        {**message, "content": ""} if message.get("content", "") is None else message for message in body["messages"]
    ]
    return {**body, "messages": messages} if messages != body["messages"] else None


CHAT = (
    _LENGTH,
    REASONING,
    ORDER,  # before the system prompt, which the same sentence may be about
    CALL_IDS,
    SIGNATURES,
    SEALS,
    BROKEN_SEALS,
    dropping("stream_options"),  # Azure's older versions
    _renaming("max_tokens", "max_completion_tokens"),  # OpenAI's reasoning models
    _renaming("max_completion_tokens", "max_tokens"),  # vLLM, TGI, Mistral
    dropping("temperature", remark="a temperature"),  # OpenAI's reasoning models
    effort_at("reasoning_effort"),
    dropping("reasoning_effort", remark="settings for its thinking", says=NO_THINKING),
    Remedy("system", _NO_SYSTEM, _folded),
    Remedy("content", _NO_NULL, _with_empty_content),
)
RESPONSES = (
    _LENGTH,
    dropping("include", says=pattern(r"encrypted.content is not supported", complaint(r"(?:['\"`.]|\A)include\b"))),
    LOST,
    dropping("reasoning", "summary", says=pattern(r"reasoning\W+summary", r"verified to generate reasoning summ")),
    effort_at("reasoning", "effort"),
    dropping("reasoning", remark="settings for its thinking", says=pattern(refused("reasoning"), NO_THINKING.pattern)),
    dropping("temperature", remark="a temperature"),
    dropping("prompt_cache_key"),
    dropping("max_output_tokens", remark="a limit of its answer"),
)
MESSAGES = (
    _LENGTH,
    UNSEALED,
    UNTHOUGHT,
    UNREASONED,
    dropping("cache_control"),  # older servers that speak the protocol
    dropping("thinking", "display", says=pattern(r"thinking\S*display")),
    FORM,  # before effort, which the same sentence names as the other way
    effort_at("output_config", "effort", says=rf"{complaint('effort', NO_LEVEL)}|{refused('output_config')}"),
    dropping("thinking", remark="settings for its thinking", says=NO_THINKING),
)
