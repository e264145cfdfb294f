"""What OpenAI's Responses refuses of a client that stores nothing there.

A rule yields a refusal for each fault it finds; the first one of all is the answer. Where the vendor drops reasoning
in silence (another model, another history before it), the rule is ours: it may not be sent.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from tests.fakes.strict_memory import Json, Question, Refusal, canonical, parsed
from tests.fakes.strict_refusals import fits, missing, unknown, unsupported, unsupported_effort, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fakes.strict_memory import Given

_TOP: dict[str, type | tuple[type, ...]] = {
    "model": str,
    "input": list,
    "instructions": str,
    "stream": bool,
    "store": bool,
    "max_output_tokens": int,
    "temperature": (int, float),
    "top_p": (int, float),
    "tools": list,
    "tool_choice": (str, dict),
    "parallel_tool_calls": bool,
    "reasoning": dict,
    "include": list,
    "text": dict,
    "truncation": str,
    "stream_options": dict,
    "prompt_cache_key": str,
    "prompt_cache_options": dict,
    "safety_identifier": str,
    "service_tier": str,
    "metadata": dict,
}
_ITEMS: dict[str, dict[str, type]] = {
    "message": {"role": str, "content": list},
    "reasoning": {"id": str, "summary": list, "encrypted_content": str},
    "function_call": {"call_id": str, "name": str, "arguments": str},
    "function_call_output": {"call_id": str, "output": str},
}
_MORE: dict[str, dict[str, type]] = {
    "message": {"id": str, "status": str, "phase": str},
    "reasoning": {},
    "function_call": {"id": str, "status": str},
    "function_call_output": {"id": str, "status": str},
}
_PARTS = {"user": ("input_text",), "assistant": ("output_text", "refusal")}
_REASONING_MODELS = ("o1", "o3", "o4", "gpt-5", "gpt-6", "gpt-oss")
_LONGEST_CALL_ID = 64


def judge(question: Question) -> Refusal | None:
    """Why the request is refused; None if it is not."""
    return next(chain.from_iterable(rule(question) for rule in chain(SHAPE_RULES, HISTORY_RULES)), None)


def top_level_fields(question: Question) -> Iterator[Refusal]:
    body = question.body
    for name in sorted(body.keys() - _TOP.keys()):
        yield unknown(name)
    for name in sorted(question.options.refuses & body.keys()):
        yield unsupported(name)
    yield from (missing(name) for name in ("model", "input") if name not in body)
    yield from (wrong_type(name, value) for name, value in body.items() if not fits(value, _TOP[name]))


def nothing_is_stored(question: Question) -> Iterator[Refusal]:
    if question.body.get("store") is not False:
        yield Refusal("Store must be set to false", "store")


def token_limit(question: Question) -> Iterator[Refusal]:
    limit = question.body.get("max_output_tokens", 16)
    if limit < 16:
        words = f"integer below minimum value. Expected a value >= 16, but got {limit} instead."
        yield Refusal(f"Invalid 'max_output_tokens': {words}", "max_output_tokens", "integer_below_min_value")


def what_the_model_takes(question: Question) -> Iterator[Refusal]:
    body, model = question.body, question.body["model"]
    reasons = model.startswith(_REASONING_MODELS) and "chat" not in model
    for name in ("temperature", "top_p"):
        if reasons and name in body:
            yield unsupported(name)
    if not reasons and "reasoning.encrypted_content" in body.get("include", []):
        yield Refusal("Encrypted content is not supported with this model.", "include")


def reasoning_setting(question: Question) -> Iterator[Refusal]:
    setting, levels = question.body.get("reasoning", {}), question.options.efforts
    yield from (unknown(f"reasoning.{name}") for name in setting.keys() - {"effort", "summary", "context", "mode"})
    if levels is not None and setting.get("effort", levels[0]) not in levels:
        yield unsupported_effort("reasoning.effort", setting["effort"], levels)


def tool_definitions(question: Question) -> Iterator[Refusal]:
    for place, tool in enumerate(question.body.get("tools", [])):
        where = f"tools[{place}]"
        known = {"type", "name", "description", "parameters", "strict"}
        yield from (unknown(f"{where}.{name}") for name in sorted(tool.keys() - known))
        yield from (missing(f"{where}.{name}") for name in ("type", "name", "parameters") if name not in tool)


def item_fields(question: Question) -> Iterator[Refusal]:
    if not question.body["input"]:
        yield missing("input")
    for place, item in enumerate(question.body["input"]):
        where = f"input[{place}]"
        kind = item.get("type") if isinstance(item, dict) else None
        if kind is None:
            yield missing(f"{where}.type")
        elif kind not in _ITEMS:
            yield _invalid_value(f"{where}.type", kind, list(_ITEMS))
        elif kind == "reasoning" and not item.get("encrypted_content"):
            yield _not_found(item.get("id"))
        else:
            kinds = {"type": str, **_ITEMS[kind], **_MORE[kind]}
            yield from (unknown(f"{where}.{name}") for name in sorted(item.keys() - kinds.keys()))
            yield from (missing(f"{where}.{name}") for name in _ITEMS[kind] if name not in item)
            yield from (wrong_type(f"{where}.{it}", item[it]) for it in item if not fits(item[it], kinds[it]))


def message_parts(question: Question) -> Iterator[Refusal]:
    for place, item in _of_type(question, "message"):
        if item["role"] not in _PARTS:
            yield _invalid_value(f"input[{place}].role", item["role"], list(_PARTS))
        if not item["content"]:
            yield _empty(f"input[{place}].content", "array")
        for index, part in enumerate(item["content"]):
            where = f"input[{place}].content[{index}]"
            if part.get("type") not in _PARTS[item["role"]]:
                yield _invalid_value(where, str(part.get("type")), list(_PARTS[item["role"]]))
            elif not fits(part.get("text", part.get("refusal")), str):
                yield missing(f"{where}.text")
            elif not part.get("text", part.get("refusal")).strip():
                yield _empty(f"{where}.text", "string")
            yield from (unknown(f"{where}.{it}") for it in part.keys() - {"type", "text", "refusal", "annotations"})


def no_foreign_ids(question: Question) -> Iterator[Refusal]:
    """Without a store nothing but reasoning is known by its id."""
    for item in question.body["input"]:
        if item["type"] != "reasoning" and "id" in item:
            yield _not_found(item["id"])


def call_ids(question: Question) -> Iterator[Refusal]:
    calls = {item["call_id"]: place for place, item in _of_type(question, "function_call")}
    for call_id, place in calls.items():
        if len(call_id) > _LONGEST_CALL_ID:
            words = f"string too long. Expected a string with maximum length {_LONGEST_CALL_ID}"
            param = f"input[{place}].call_id"
            yield Refusal(f"Invalid '{param}': {words}.", param, "string_above_max_length")
    for call_id in question.refuses_calls(set(calls)):
        yield Refusal(f"{call_id} is no call of this server.", "input")


def calls_are_answered(question: Question) -> Iterator[Refusal]:
    """Each call once, and each output once, after its call."""
    called: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    for item in question.body["input"]:
        call_id = item.get("call_id", "")
        if item["type"] == "function_call":
            called[call_id] += 1
        elif item["type"] == "function_call_output":
            answered[call_id] += 1
            if not called[call_id]:
                yield Refusal(f"No tool call found for function call output with call_id {call_id}.", "input")
    for call_id in called:
        if not answered[call_id]:
            yield Refusal(f"No tool output found for function call {call_id}.", "input")
        if called[call_id] > 1 or answered[call_id] > 1:
            yield Refusal(f"Duplicate items found for function call {call_id}.", "input")


def reasoning_is_as_given(question: Question) -> Iterator[Refusal]:
    for place, item in _of_type(question, "reasoning"):
        found = question.memory.find("id", item["id"])
        if found is None:
            yield _not_found(item["id"])
        elif found[0].blocks[found[1]] != item or found[0].model != question.body["model"]:
            yield _unverified(item)
        else:
            yield from _place_faults(question, place, *found)


def ends_with_the_user(question: Question) -> Iterator[Refusal]:
    match question.body["input"][-1]:
        case {"type": "message", "role": "assistant"}:
            yield Refusal("Assistant response prefill is not supported: the last item must be the user's.", "input")


def _place_faults(question: Question, place: int, given: Given, at: int) -> Iterator[Refusal]:
    item, sent = question.body["input"][place], _plain(question.body["input"][place + 1 :])
    required = _plain(given.blocks[at + 1 :])
    if not sent or not required or sent[0] != required[0]:
        words = f"Item '{item['id']}' of type 'reasoning' was provided without its required following item."
        yield Refusal(words, "input")
    if _before(question.body["input"][:place], question.body) != _before(
        [*given.body["input"], *given.blocks[:at]], given.body
    ):
        yield _unverified(item, " What precedes it is not what it was made from.")


def _before(items: list[Json], body: Json) -> str:
    """All that stands before an item, as one string."""
    return canonical([body.get("instructions", ""), body.get("tools", []), _plain(items)])


def _plain(items: list[Json]) -> list[Json]:
    """Items without what a client may leave out, blank messages too, or spell in its own way."""
    return [item for item in map(_plain_item, items) if item.get("assistant", "-").strip()]


def _plain_item(item: Json) -> Json:
    match item:
        case {"type": "message"}:
            said = "".join(part.get("text", part.get("refusal")) for part in item["content"])
            return {item["role"]: said, "phase": item.get("phase")}
        case {"type": "function_call"}:
            return {"call": item["call_id"], "name": item["name"], "arguments": parsed(item["arguments"])}
        case {"type": "function_call_output"}:
            return {"result": item["call_id"], "output": item["output"]}
        case _:
            return item


def _of_type(question: Question, kind: str) -> list[tuple[int, Json]]:
    return [(place, item) for place, item in enumerate(question.body["input"]) if item["type"] == kind]


def _unverified(item: Json, more: str = "") -> Refusal:
    seal = item["encrypted_content"]
    words = f"The encrypted content {seal[:4]}...{seal[-4:]} could not be verified.{more}"
    return Refusal(words, None, "invalid_encrypted_content")


def _not_found(item_id: object) -> Refusal:
    return Refusal(
        f"Item with id '{item_id}' not found. Items are not persisted when `store` is set to false. "
        "Try again with `store` set to true, or remove this item from your input.",
        "input",
    )


def _invalid_value(param: str, value: str, supported: list[str]) -> Refusal:
    names = " and ".join(f"'{name}'" for name in supported)
    return Refusal(f"Invalid value: '{value}'. Supported values are: {names}.", param, "invalid_value")


def _empty(param: str, kind: str) -> Refusal:
    return Refusal(f"Invalid '{param}': empty {kind}. Expected a non-empty {kind}.", param, f"empty_{kind}")


SHAPE_RULES = (
    top_level_fields,
    nothing_is_stored,
    token_limit,
    what_the_model_takes,
    reasoning_setting,
    tool_definitions,
    item_fields,
    message_parts,
)
HISTORY_RULES = (
    no_foreign_ids,
    call_ids,
    calls_are_answered,
    reasoning_is_as_given,
    ends_with_the_user,
)
