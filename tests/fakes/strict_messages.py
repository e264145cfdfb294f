"""What Anthropic's Messages refuses about a request's shape and its tools; strict_thinking.py has the rest.

A rule yields a sentence for each fault it finds; the first one of all is the answer. Where the vendor merges or
forgives but we promise better (roles alternate), the rule is ours. Source: API version 2026-10-21; 400s quoted in
public reports.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from tests.fakes.strict_memory import Json, Question, Refusal, canonical
from tests.fakes.strict_thinking import THINKING_RULES, bare

if TYPE_CHECKING:
    from collections.abc import Iterator

_REQUIRED: dict[str, type] = {"model": str, "max_tokens": int, "messages": list}
_OPTIONAL: dict[str, type | tuple[type, ...]] = {
    "system": (str, list),
    "thinking": dict,
    "output_config": dict,
    "tools": list,
    "tool_choice": dict,
    "stop_sequences": list,
    "cache_control": dict,
    "metadata": dict,
    "service_tier": str,
    "stream": bool,
    "diagnostics": dict,
    "inference_geo": str,
}
_BLOCKS: dict[str, dict[str, type]] = {
    "text": {"text": str},
    "thinking": {"thinking": str, "signature": str},
    "redacted_thinking": {"data": str},
    "tool_use": {"id": str, "name": str, "input": dict},
    "tool_result": {"tool_use_id": str},
}
_MORE: dict[str, dict[str, type | tuple[type, ...]]] = {
    "text": {"cache_control": dict},
    "tool_use": {"cache_control": dict},
    "tool_result": {"cache_control": dict, "content": (str, list), "is_error": bool},
}
_OF_ROLE = {"user": {"text", "tool_result"}, "assistant": {"text", "thinking", "redacted_thinking", "tool_use"}}
_EXTRA = "Extra inputs are not permitted"


def judge(question: Question) -> Refusal | None:
    """Why the request is refused; None if it is not."""
    rules = chain(SHAPE_RULES, HISTORY_RULES, THINKING_RULES)
    sentence = next((sentence for rule in rules for sentence in rule(question)), None)
    return Refusal(sentence) if sentence else None


def error_body(status: int, refusal: Refusal) -> Json:
    kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
    kind = kinds.get(status, "api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": refusal.message}, "request_id": "req_strict"}


def remember(question: Question) -> None:
    """Note the system prompt of the conversation, which is known by its first message."""
    body = question.body
    question.memory.systems.setdefault(canonical(bare(blocks_of(body["messages"][0]))), canonical(body.get("system")))


def blocks_of(message: Json) -> list[Json]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def top_level_fields(question: Question) -> Iterator[str]:
    body, kinds = question.body, _REQUIRED | _OPTIONAL
    for name in sorted(body.keys() - kinds.keys() | (question.options.refuses & body.keys())):
        yield f"{name}: {_EXTRA}"
    for name in _REQUIRED.keys() - body.keys():
        yield f"{name}: Field required"
    for name, value in body.items():
        if not isinstance(value, kinds[name]) or (isinstance(value, bool) and name == "max_tokens"):
            yield f"{name}: Input should be a valid {_named(kinds[name])}"


def max_tokens(question: Question) -> Iterator[str]:
    if question.body["max_tokens"] < 1:
        yield "max_tokens: Input should be greater than or equal to 1"


def message_fields(question: Question) -> Iterator[str]:
    if not question.body["messages"]:
        yield "messages: at least one message is required"
    for place, message in enumerate(question.body["messages"]):
        if not isinstance(message, dict):
            yield f"messages.{place}: Input should be a valid dictionary"
        elif message.get("role") not in _OF_ROLE:
            yield (
                f'messages: Unexpected role "{message.get("role")}". The Messages API accepts a top-level `system` '
                'parameter, not "system" as an input message role.'
            )
        elif not isinstance(message.get("content"), str | list):
            yield f"messages.{place}.content: Field required"
        yield from (f"messages.{place}.{name}: {_EXTRA}" for name in sorted(message.keys() - {"role", "content"}))


def block_fields(question: Question) -> Iterator[str]:
    for where, role, block in _blocks(question):
        kind = block.get("type") if isinstance(block, dict) else None
        if kind not in _BLOCKS:
            tags = ", ".join(f"'{tag}'" for tag in _BLOCKS)
            yield f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}"
            continue
        if kind not in _OF_ROLE[role]:
            other = "assistant" if role == "user" else "user"
            yield f"{where.partition('.content')[0]}: `{kind}` blocks can only be in `{other}` messages"
        kinds = {"type": str, **_BLOCKS[kind], **_MORE.get(kind, {})}
        yield from (f"{where}.{kind}.{name}: Field required" for name in _BLOCKS[kind].keys() - block.keys())
        for name, value in block.items():
            if name not in kinds:
                yield f"{where}.{kind}.{name}: {_EXTRA}"
            elif not isinstance(value, kinds[name]):
                yield f"{where}.{kind}.{name}: Input should be a valid {_named(kinds[name])}"


def system_blocks(question: Question) -> Iterator[str]:
    system = question.body.get("system", "-")
    for block in [{"text": system}] if isinstance(system, str) else system:
        if not block.get("text", "").strip():
            yield "system: text content blocks must be non-empty"


def tool_definitions(question: Question) -> Iterator[str]:
    tools = question.body.get("tools", [])
    for place, tool in enumerate(tools):
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", tool.get("name", "")):
            yield f"tools.{place}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
        if tool.get("input_schema", {}).get("type") != "object":
            yield f"tools.{place}.custom.input_schema.type: Input should be 'object'"
        known = {"type", "name", "description", "input_schema", "strict", "cache_control", "eager_input_streaming"}
        yield from (f"tools.{place}.custom.{name}: {_EXTRA}" for name in sorted(tool.keys() - known))
    if len({tool["name"] for tool in tools}) < len(tools):
        yield "tools: Tool names must be unique."


def cache_marks(question: Question) -> Iterator[str]:
    body = question.body
    system = body["system"] if isinstance(body.get("system"), list) else []
    holders = [body, *system, *body.get("tools", []), *(block for _, _, block in _blocks(question))]
    marks = [holder["cache_control"] for holder in holders if "cache_control" in holder]
    for mark in marks:
        if mark.get("type") != "ephemeral" or mark.get("ttl", "5m") not in ("5m", "1h"):
            yield "cache_control: Input should be {'type': 'ephemeral'} with a ttl of '5m' or '1h'"
    if len(marks) > 4:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}."


def roles_alternate(question: Question) -> Iterator[str]:
    roles = [message["role"] for message in question.body["messages"]]
    if roles[0] != "user":
        yield 'messages: first message must use the "user" role'
    for role, following in pairwise(roles):
        if role == following:
            yield (
                'messages: roles must alternate between "user" and "assistant", '
                f'but found multiple "{role}" roles in a row'
            )


def nothing_is_empty(question: Question) -> Iterator[str]:
    for place, message in enumerate(question.body["messages"]):
        if not message["content"]:
            yield f"messages.{place}: {message['role']} messages must have non-empty content"
    for _, _, block in _blocks(question):
        match block:
            case {"type": "text", "text": ""}:
                yield "messages: text content blocks must be non-empty"
            case {"type": "text", "text": text} if not text.strip():
                yield "messages: text content blocks must contain non-whitespace text"


def ends_with_the_user(question: Question) -> Iterator[str]:
    last = question.body["messages"][-1]
    if last["role"] == "assistant":
        text = blocks_of(last)[-1].get("text", "")
        if text != text.rstrip():
            yield "messages: final assistant content cannot end with trailing whitespace"
        yield ("This model does not support assistant message prefill. The conversation must end with a user message.")


def system_stays(question: Question) -> Iterator[str]:
    key, system = canonical(bare(blocks_of(question.body["messages"][0]))), canonical(question.body.get("system"))
    if question.options.same_system and question.memory.systems.get(key, system) != system:
        yield "system: differs from that of the earlier requests of this conversation"


def calls_are_answered(question: Question) -> Iterator[str]:
    messages = question.body["messages"]
    for place, message in enumerate(messages):
        calls = [block["id"] for block in blocks_of(message) if block["type"] == "tool_use"]
        answers = _leading_results(messages[place + 1]) if place + 1 < len(messages) else []
        if len(set(calls)) < len(calls):
            yield "messages: `tool_use` ids must be unique"
        if missing := [call for call in calls if call not in answers]:
            yield (
                f"messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
                "next message."
            )


def results_have_calls(question: Question) -> Iterator[str]:
    calls: list[str] = []
    for place, message in enumerate(question.body["messages"]):
        results = [block.get("tool_use_id") for block in blocks_of(message)]
        for index, tool_id in enumerate(results):
            if tool_id and tool_id not in calls:
                yield (
                    f"messages.{place}.content.{index}: unexpected `tool_use_id` found in `tool_result` blocks: "
                    f"{tool_id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous "
                    "message."
                )
            if tool_id and tool_id in results[:index]:
                yield (
                    f"messages.{place}.content.{index}: each tool_use must have a single result. Found multiple "
                    f"`tool_result` blocks with id: {tool_id}"
                )
        calls = [block["id"] for block in blocks_of(message) if block["type"] == "tool_use"]


def call_ids(question: Question) -> Iterator[str]:
    calls = {block["id"]: where for where, _, block in _blocks(question) if block["type"] == "tool_use"}
    for tool_id, where in calls.items():
        if not re.fullmatch(r"[a-zA-Z0-9_-]+", tool_id):
            yield f"{where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
    for tool_id in question.refuses_calls(set(calls)):
        yield f"{calls[tool_id]}.tool_use.id: {tool_id} is no call of this server"
    if calls and not question.body.get("tools"):
        yield "tools: Requests which have `tool_use` or `tool_result` blocks must define tools"


def _leading_results(message: Json) -> list[str]:
    kinds = [block["type"] for block in blocks_of(message)]
    first = next((place for place, kind in enumerate(kinds) if kind != "tool_result"), len(kinds))
    return [block["tool_use_id"] for block in blocks_of(message)[:first]]


def _blocks(question: Question) -> Iterator[tuple[str, str, Json]]:
    for place, message in enumerate(question.body["messages"]):
        for index, block in enumerate(blocks_of(message)):
            yield f"messages.{place}.content.{index}", message["role"], block


def _named(kind: Any) -> str:
    names = {str: "string", int: "integer", dict: "dictionary", bool: "boolean"}
    return names.get(kind, "list")


SHAPE_RULES = (
    top_level_fields,
    max_tokens,
    message_fields,
    block_fields,
    system_blocks,
    tool_definitions,
    cache_marks,
)
HISTORY_RULES = (
    roles_alternate,
    nothing_is_empty,
    system_stays,
    calls_are_answered,
    results_have_calls,
    call_ids,
    ends_with_the_user,
)
