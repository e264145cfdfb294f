"""What chat servers refuse about the history, and the same history in the form that they take.

A remedy spells one history always in one way, and a longer one begins with it. Source: the refusals recorded from, or
reported of, the servers named beside each remedy, 2026-11.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING

from mewcode.llm.pairing import UNANSWERED
from mewcode.providers._edits import complaint, pattern
from mewcode.providers._heal import Remedy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewcode.llm.client import Request
    from mewcode.providers._heal import Body, Refusal
    from mewcode.providers._http import Json


def _changed(body: Body, messages: list[Json]) -> Body | None:
    return {**body, "messages": messages} if messages != body["messages"] else None


_ORDER = pattern(
    r"unexpected role\W{1,4}user\W{1,4}after role\W{1,4}tool\b",  # Mistral
    r"roles must alternate",  # templates that do not count a call and its result: Mistral's at vLLM and llama.cpp
)


def _answered(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """An answer between a tool's result and the user, who spoke before the model did."""
    messages: list[Json] = []
    for message in body["messages"]:
        if message["role"] == "user" and messages and messages[-1]["role"] == "tool":
            messages.append({"role": "assistant", "content": UNANSWERED})
        messages.append(message)
    return _changed(body, messages)


_CALL_ID = pattern(r"call ids?\b.{0,300}\b(?:length (?:of )?9|9 char)")
_NINE = re.compile(r"[a-zA-Z0-9]{9}")


def _with_short_ids(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """Calls and results under ids of nine letters; what fits stays."""
    ids = _short_ids(call["id"] for message in body["messages"] for call in message.get("tool_calls", []))
    return _changed(body, [_under(ids, message) for message in body["messages"]])


def _short_ids(given: Iterable[str]) -> dict[str, str]:
    """No two share one: each depends on itself and on those before it."""
    short: dict[str, str] = {}
    taken: set[str] = set()
    for call_id in dict.fromkeys(given):
        spelled, number = call_id, 0
        while spelled in taken or not _NINE.fullmatch(spelled):
            number += 1
            spelled = blake2b(f"{call_id} {number}".encode(), digest_size=5).hexdigest()[:9]
        short[call_id] = spelled
        taken.add(spelled)
    return short


def _under(ids: dict[str, str], message: Json) -> Json:
    match message:
        case {"tool_calls": list(calls)}:
            return {**message, "tool_calls": [{**call, "id": ids[call["id"]]} for call in calls]}
        case {"tool_call_id": str(call_id)}:
            return {**message, "tool_call_id": ids.get(call_id, call_id)}
    return message


_UNSIGNED = pattern(r"missing a \W?thought_signature")
_NO_SIGNATURE = "skip_thought_signature_validator"  # Google's own word for calls that another model made


def _signed(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """Each message's first call with a signature, or with the word that stands for none."""
    messages = []
    for message in body["messages"]:
        match message:
            case {"tool_calls": [first, *others]} if "thought_signature" not in str(first.get("extra_content")):
                extra = {"google": {"thought_signature": _NO_SIGNATURE}}
                messages.append({**message, "tool_calls": [{**first, "extra_content": extra}, *others]})
            case _:
                messages.append(message)
    return _changed(body, messages)


_SEALS = ("extra_content", "reasoning_details")
_NO_SEALS = pattern(*(complaint(name) for name in _SEALS))
_BROKEN_SEALS = pattern(complaint(r"(?:thought.signature|thinking\b)", r"not valid|invalid|corrupt|cannot be modified"))


def _unsealed(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """Without what the server itself had put there: a gateway may lead to another one the next time."""
    messages = []
    for message in body["messages"]:
        calls = [{name: value for name, value in call.items() if name not in _SEALS} for call in _calls(message)]
        plain = {name: value for name, value in message.items() if name not in _SEALS}
        messages.append({**plain, "tool_calls": calls} if calls else plain)
    return _changed(body, messages)


def _calls(message: Json) -> list[Json]:
    found: list[Json] = message.get("tool_calls", [])
    return found


ORDER = Remedy("order of messages", _ORDER, _answered)
CALL_IDS = Remedy("ids of calls", _CALL_ID, _with_short_ids)  # Mistral
SIGNATURES = Remedy("signatures", _UNSIGNED, _signed)  # Gemini
SEALS = Remedy("signatures", _NO_SEALS, _unsealed)
BROKEN_SEALS = Remedy("history", _BROKEN_SEALS, _unsealed, lasting=False)  # Anthropic and Gemini behind gateways
