"""What servers of chat completions refuse, each rule after the strictest of them: OpenAI, Mistral, vLLM, DeepSeek.

A rule yields a refusal for each fault it finds; the first one of all is the answer.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING

from tests.fakes.strict_memory import Json, Question, Refusal
from tests.fakes.strict_refusals import fits, missing, unknown, unsupported_effort, wrong_type
from tests.fakes.strict_vendors import VENDOR_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOP: dict[str, type | tuple[type, ...]] = {
    "model": str,
    "messages": list,
    "stream": bool,
    "stream_options": dict,
    "max_tokens": int,
    "max_completion_tokens": int,
    "temperature": (int, float),
    "top_p": (int, float),
    "stop": (str, list),
    "tools": list,
    "tool_choice": (str, dict),
    "parallel_tool_calls": bool,
    "reasoning_effort": str,
    "response_format": dict,
}
_FIELDS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}
# what may stand after a role; the empty one is the beginning
_NEXT = {
    "": {"system", "user"},
    "system": {"user"},
    "user": {"assistant"},
    "assistant": {"user", "tool"},
    "tool": {"tool", "assistant", "user"},
}
_LONGEST_CALL_ID = 40


def judge(question: Question) -> Refusal | None:
    """Why the request is refused; None if it is not."""
    return next(chain.from_iterable(rule(question) for rule in chain(SHAPE_RULES, HISTORY_RULES)), None)


def top_level_fields(question: Question) -> Iterator[Refusal]:
    body = question.body
    yield from (_extra(["body", name]) for name in sorted(body.keys() - _TOP.keys()))
    yield from (missing(name) for name in ("model", "messages") if name not in body)
    yield from (wrong_type(name, value) for name, value in body.items() if not fits(value, _TOP[name]))


def fields_of_other_models(question: Question) -> Iterator[Refusal]:
    """What this model or server does not take, each in the words in which that is said."""
    for name in sorted(question.options.refuses & question.body.keys()):
        match name:
            case "max_tokens":
                words = "is not supported with this model. Use 'max_completion_tokens' instead."
                yield Refusal(f"Unsupported parameter: 'max_tokens' {words}", name, "unsupported_parameter")
            case "max_completion_tokens":
                yield Refusal(f"Unrecognized request argument supplied: {name}")
            case "temperature":
                value = question.body[name]
                words = f"does not support {value} with this model. Only the default (1) value is supported."
                yield Refusal(f"Unsupported value: 'temperature' {words}", name, "unsupported_value")
            case _:
                yield unknown(name)


def one_token_limit(question: Question) -> Iterator[Refusal]:
    if {"max_tokens", "max_completion_tokens"} <= question.body.keys():
        words = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
        yield Refusal(words, "max_tokens", "invalid_parameter_combination")
    for name in ("max_tokens", "max_completion_tokens"):
        if question.body.get(name, 1) < 1:
            words = f"integer below minimum value. Expected a value >= 1, but got {question.body[name]} instead."
            yield Refusal(f"Invalid '{name}': {words}", name, "integer_below_min_value")


def effort(question: Question) -> Iterator[Refusal]:
    level, levels = question.body.get("reasoning_effort"), question.options.efforts
    if level is not None and levels is not None and level not in levels:
        yield unsupported_effort("reasoning_effort", level, levels)


def tool_definitions(question: Question) -> Iterator[Refusal]:
    for place, tool in enumerate(question.body.get("tools", [])):
        function = tool.get("function", {})
        yield from (_extra(["body", "tools", place, name]) for name in sorted(tool.keys() - {"type", "function"}))
        for name in sorted(function.keys() - {"name", "description", "parameters", "strict"}):
            yield _extra(["body", "tools", place, "function", name])
        if tool.get("type") != "function" or not {"name", "parameters"} <= function.keys():
            yield missing(f"tools[{place}].function")


def message_fields(question: Question) -> Iterator[Refusal]:
    for place, message in enumerate(question.body["messages"]):
        where: list[str | int] = ["body", "messages", place]
        role = message.get("role") if isinstance(message, dict) else None
        if role not in _FIELDS:
            yield Refusal(f"Unexpected role '{role}'", f"messages[{place}].role")
            continue
        known = _FIELDS[role]
        if role == "assistant":
            known = known | ({"reasoning_content"} if question.options.wants_reasoning_content else set())
            known = known | ({"reasoning_details"} if question.options.seals_reasoning else set())
        yield from (_extra([*where, role, name]) for name in sorted(message.keys() - known))
        if role == "tool" and not fits(message.get("tool_call_id"), str):
            yield missing(f"messages[{place}].tool_call_id")
        for name in ("tool_calls", "reasoning_content"):
            if name in message and not message[name]:
                yield wrong_type(f"messages[{place}].{name}", message[name])


def system_role(question: Question) -> Iterator[Refusal]:
    for place, message in enumerate(question.body["messages"]):
        if message["role"] == "system" and not question.options.system_role:
            param = f"messages[{place}].role"
            words = f"Unsupported value: '{param}' does not support 'system' with this model."
            yield Refusal(words, param, "unsupported_value")


def roles_alternate(question: Question) -> Iterator[Refusal]:
    before = ""
    for message in question.body["messages"]:
        role = message["role"]
        if before == "tool" and role == "user" and not question.options.user_after_tool:
            yield Refusal("Unexpected role 'user' after role 'tool'", None, "3230", flat=True)
        if role not in _NEXT[before]:
            words = "After the optional system message, conversation roles must alternate user and assistant roles"
            yield Refusal(f"{words} except for tool calls and results. ({role} after {before})", flat=True)
        before = role
    if before not in ("user", "tool"):
        yield Refusal(
            f"Expected last role User or Tool (or Assistant with prefix True) for serving but got {before}", flat=True
        )


def content(question: Question) -> Iterator[Refusal]:
    """A text that says something; beside tool calls also none, spelled as this server has it."""
    for place, message in enumerate(question.body["messages"]):
        param, said = f"messages[{place}].content", message.get("content", ...)
        if message["role"] == "tool":
            allowed = isinstance(said, str)  # a tool may have nothing to say
        else:
            none = None if question.options.empty_content == "null" else ""
            allowed = "tool_calls" in message and said == none
        if allowed:
            continue
        if said is ...:
            yield missing(param)
        elif not isinstance(said, str):
            yield wrong_type(param, said)
        elif not said.strip():
            words = "empty string. Expected a string with minimum length 1, but got an empty string instead."
            yield Refusal(f"Invalid '{param}': {words}", param, "empty_string")


def tool_calls(question: Question) -> Iterator[Refusal]:
    for place, message in enumerate(question.body["messages"]):
        for index, call in enumerate(message.get("tool_calls", [])):
            where = f"messages[{place}].tool_calls[{index}]"
            match call:
                case {"id": str(call_id), "type": "function", "function": {"name": str(name), "arguments": str(it)}}:
                    yield from _call_faults(where, call_id, name, it)
                    known = {"id", "type", "function"} | ({"extra_content"} if question.options.signs_calls else set())
                    extra = (call.keys() - known) | (call["function"].keys() - {"name", "arguments"})
                    yield from (_extra(["body", "messages", place, "tool_calls", index, it]) for it in sorted(extra))
                case _:
                    yield missing(where)


def calls_are_answered(question: Question) -> Iterator[Refusal]:
    """Each call once, directly after the message that made it."""
    open_calls: list[str] = []
    for place, message in enumerate([*question.body["messages"], {"role": "end"}]):
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                words = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
                yield Refusal(f"Invalid parameter: {words}", f"messages[{place}].role")
            else:
                open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            words = "must be followed by tool messages responding to each 'tool_call_id'."
            ids = f"The following tool_call_ids did not have response messages: {', '.join(open_calls)}"
            yield Refusal(f"An assistant message with 'tool_calls' {words} {ids}", f"messages[{place}].role")
        open_calls = [call["id"] for call in message.get("tool_calls", [])]
        if len(set(open_calls)) < len(open_calls):
            yield Refusal("Duplicate value for 'tool_call_id'", f"messages[{place}].tool_calls")


def calls_are_ours(question: Question) -> Iterator[Refusal]:
    calls = {call["id"] for message in question.body["messages"] for call in message.get("tool_calls", [])}
    yield from (Refusal(f"{call_id} is no call of this server") for call_id in question.refuses_calls(calls))
    if calls and not question.body.get("tools"):
        yield Refusal("Requests with tool calls in their messages must define tools", "tools")


def _call_faults(where: str, call_id: str, name: str, arguments: str) -> Iterator[Refusal]:
    if not call_id or not name:
        yield Refusal(f"Invalid '{where}': empty string.", where, "empty_string")
    if len(call_id) > _LONGEST_CALL_ID:
        words = f"string too long. Expected a string with maximum length {_LONGEST_CALL_ID}, but got {len(call_id)}."
        yield Refusal(f"Invalid '{where}.id': {words}", f"{where}.id", "string_above_max_length")
    try:
        whole = isinstance(json.loads(arguments), dict)
    except ValueError:
        whole = False
    if not whole:
        yield Refusal(f"{where}.function.arguments: the arguments of a call must be a JSON object", flat=True)


def _extra(where: list[str | int]) -> Refusal:
    """A field that is not known. vLLM; Mistral says the same, with 422 and the list as an object."""
    fault: list[Json] = [{"type": "extra_forbidden", "loc": tuple(where), "msg": "Extra inputs are not permitted"}]
    return Refusal(str(fault), flat=True)


SHAPE_RULES = (
    top_level_fields,
    fields_of_other_models,
    one_token_limit,
    effort,
    tool_definitions,
    message_fields,
    system_role,
    tool_calls,
)
HISTORY_RULES = (
    roles_alternate,
    content,
    calls_are_answered,
    calls_are_ours,
    *VENDOR_RULES,
)
