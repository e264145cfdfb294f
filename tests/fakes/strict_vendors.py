"""What single vendors of chat completions refuse about a history, where their options are on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.fakes.strict_memory import Question, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fakes.strict_memory import Given

_SHORT = re.compile(r"[a-zA-Z0-9]{9}")
_ANYBODYS = "skip_thought_signature_validator"


def call_ids(question: Question) -> Iterator[Refusal]:
    for message in question.body["messages"] if question.options.short_call_ids else []:
        for call in message.get("tool_calls", []):
            if not _SHORT.fullmatch(call["id"]):
                words = "but must be a-z, A-Z, 0-9, with a length of 9."
                yield Refusal(f"Tool call id was {call['id']} {words}", None, "3280", flat=True)


def reasoning_comes_back(question: Question) -> Iterator[Refusal]:
    """In each answer of a history with calls: what it was, or a blank for what is not there any more."""
    messages = question.body["messages"] if question.options.wants_reasoning_content else []
    if not any(message.get("tool_calls") for message in messages):
        return
    for message in messages:
        if message["role"] != "assistant":
            continue
        founds = [question.memory.find("id", call["id"]) for call in message.get("tool_calls", [])]
        thoughts = {_thought(found[0]) for found in founds if found}
        said = message.get("reasoning_content", "")
        if not said or (thoughts and said not in (" ", *thoughts)):
            yield Refusal("The `reasoning_content` in the thinking mode must be passed back to the API.")


def _thought(given: Given) -> str:
    return "".join(block["text"] for block in given.blocks if block["type"] == "reasoning")


def signatures_come_back(question: Question) -> Iterator[Refusal]:
    """At the first call of each answer since the user last spoke; for a call of somebody else's a word stands there."""
    messages = question.body["messages"] if question.options.signs_calls else []
    spoke = max((place for place, message in enumerate(messages) if message["role"] == "user"), default=0)
    for place, message in enumerate(messages):
        for index, call in enumerate(message.get("tool_calls", [])):
            signature = call.get("extra_content", {}).get("google", {}).get("thought_signature")
            found = question.memory.find("extra_content", call.get("extra_content"))
            if signature is None and index == 0 and place > spoke:
                words = "This is required for tools to work correctly, and missing thought_signature may lead to "
                words += "degraded model performance. Additional data, function call "
                where = f"`default_api:{call['function']['name']}`, position {place}."
                yield Refusal(f"Function call is missing a thought_signature in functionCall parts. {words}{where}")
            elif signature not in (None, _ANYBODYS) and (found is None or found[0].model != question.body["model"]):
                yield Refusal("Thought signature is not valid.")


def details_are_as_given(question: Question) -> Iterator[Refusal]:
    """All that was sealed for one answer of this model, which nothing else may precede than what preceded it."""
    for place, message in enumerate(question.body["messages"]):
        for detail in message.get("reasoning_details", []):
            found = question.memory.find("detail", detail)
            if (
                found is None
                or found[0].body["messages"] != question.body["messages"][:place]
                or found[0].body.get("tools") != question.body.get("tools")
                or found[0].model != question.body["model"]
            ):
                yield Refusal(f"messages.{place}.content.0: Invalid `signature` in `thinking` block")


VENDOR_RULES = (call_ids, reasoning_comes_back, signatures_come_back, details_are_as_given)
