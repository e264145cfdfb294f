"""What a strict server refuses of a request's shape and history: empty texts, roles in a row, loose tool calls, …

The rules are those of the strict servers in tests/fakes, without what only the server that gave an answer could know.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any

from tests.fakes import strict_chat, strict_messages, strict_responses
from tests.fakes.strict_memory import Memory, Options, Question

if TYPE_CHECKING:
    from tests.fakes.case_server import Heard

_OPTIONS = Options(same_system=False)
_RULES: dict[str, Any] = {
    "/chat/completions": (strict_chat.SHAPE_RULES, strict_chat.HISTORY_RULES),
    "/messages": (strict_messages.SHAPE_RULES, strict_messages.HISTORY_RULES),
    "/responses": (strict_responses.SHAPE_RULES, strict_responses.HISTORY_RULES),
}


def strict(heard: Heard) -> str | None:
    """The sentence with which a strict server refuses a request; None where it does not."""
    rules = next((rules for ending, rules in _RULES.items() if heard.path.endswith(ending)), ((), ()))
    question = Question(heard.json, Memory(), _OPTIONS)
    faults = (fault for rule in chain(*rules) for fault in rule(question))
    found = next(faults, None)
    return None if found is None else found if isinstance(found, str) else str(found.message)


def said(heard: Heard) -> list[tuple[str, str]]:
    """Role and text of each message of a request, whatever its protocol; the system prompt is left out."""
    messages = heard.json.get("messages") or heard.json.get("input", [])
    return [(m["role"], _text(m["content"])) for m in messages if m.get("role") in ("user", "assistant")]


def _text(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part["type"] in ("text", "input_text", "output_text"))


def nulls(value: object) -> list[str]:
    """Where a request's body says null."""
    match value:
        case None:
            return [""]
        case dict():
            return [f".{name}{rest}" for name, inner in value.items() for rest in nulls(inner)]
        case list():
            return [f"[{place}]{rest}" for place, inner in enumerate(value) for rest in nulls(inner)]
    return []


def canonical(body: object) -> str:
    return json.dumps(body, ensure_ascii=False)
