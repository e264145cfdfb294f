"""What servers refuse in a request, and the request without it: data for mewcode.providers._heal, by protocol.

Source: the refusals recorded from, or reported of, the servers named beside each remedy, 2026-11.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mewcode.llm.messages import ThinkingBlock
from mewcode.providers._heal import Remedy
from mewcode.providers._json import dig, text

if TYPE_CHECKING:
    from collections.abc import Callable

    from mewcode.llm.client import Request
    from mewcode.providers._heal import Body, Refusal

_NEVER_TAKEN = (
    r"unsupported|not (be )?support|unrecogni[sz]ed|unknown|unexpected|extra|not (permitted|allowed)|deprecated"
    r"|only the default|not available|removed"
)
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE | re.DOTALL)


def _refused(name: str) -> re.Pattern[str]:
    """The words name the field and say that it is not taken at all: a value out of range is the user's to mend."""
    named = rf"(?<![\w]){re.escape(name)}(?![\w])"
    return _pattern(rf"{named}.*({_NEVER_TAKEN})", rf"({_NEVER_TAKEN}).*{named}")


def _without(body: Body, *path: str) -> Body | None:
    """The body with one field less; None when it is not there. What it leaves empty goes too."""
    name, *rest = path
    if name not in body:
        return None
    others = {key: value for key, value in body.items() if key != name}
    if not rest:
        return others
    inner = _without(body[name], *rest) if isinstance(body[name], dict) else None
    if inner is None:
        return None
    return {**body, name: inner} if inner else others


def _dropping(*path: str, remark: str | None = None, says: re.Pattern[str] | None = None) -> Remedy:
    return Remedy(
        ".".join(path),
        says or _refused(path[-1]),
        lambda body, request, refusal: _without(body, *path),
        remark=lambda before, after, request: remark and f"{request.model} does not take {remark}: left out.",
    )


def _renaming(old: str, new: str) -> Remedy:
    def mend(body: Body, request: Request, refusal: Refusal) -> Body | None:
        if old not in body:
            return None
        return {new if name == old else name: value for name, value in body.items()}

    return Remedy("limit", _refused(old), mend)


# Anthropic; OpenAI; DeepSeek; Groq
_MOST = _pattern(
    r"tokens[^.]*?: \d+ > (\d+), which is the maximum",
    r"too large: \d+\. This model supports at most (\d+)",
    r"valid range of max_tokens is \[\d+, ?(\d+)\]",
    r"max_(?:completion_)?tokens\W+must be less than or equal to \W*(\d+)",
)
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def _lowered(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """The length of the answer as the server allows it: its own number is better than our table."""
    found = _MOST.search(refusal.said)
    if found is None:
        return None
    most = int(next(filter(None, found.groups())))
    lowered: Body = {name: most for name in _LIMITS if isinstance(body.get(name), int) and body[name] > most}
    if not lowered or most < 1:
        return None
    budget = dig(body, "thinking", "budget_tokens")
    if isinstance(budget, int) and budget >= most:
        lowered["thinking"] = {**body["thinking"], "budget_tokens": most // 2}
    return {**body, **lowered}


def _lowered_remark(before: Body, after: Body, request: Request) -> str | None:
    if request.max_output_tokens is None:
        return None
    return f"{request.model} writes at most {next(after[name] for name in _LIMITS if name in after)} tokens."


_LENGTH = Remedy("most", _MOST, _lowered, remark=_lowered_remark)


def _effort_at(*path: str) -> Remedy:
    """Another level where the server lists those that it knows, else none. OpenAI, Anthropic."""

    def mend(body: Body, request: Request, refusal: Refusal) -> Body | None:
        asked = text(body, *path)
        if not asked:
            return None
        levels = _supported(refusal.said, asked)
        if not levels:
            return _without(body, *path)
        nearest = min(levels, key=lambda level: abs(_EFFORTS.index(level) - _place(asked)))
        return _with(body, nearest, *path)

    def remark(before: Body, after: Body, request: Request) -> str | None:
        if request.effort is None:
            return None
        used = text(after, *path)
        instead = f"{used} was used" if used else "left out"
        return f"{request.model} does not know effort {text(before, *path)}: {instead}."

    return Remedy("effort", _pattern(r"\w*effort"), mend, remark=remark)


def _supported(said: str, asked: str) -> list[str]:
    listed = re.search(r"support(?:ed|s)[^.:]*:(.*)", said, re.IGNORECASE | re.DOTALL)
    words = re.findall(r"[a-z]+", listed[1].lower()) if listed else []
    return [level for level in _EFFORTS if level in words and level != asked]


def _place(level: str) -> int:
    return _EFFORTS.index(level) if level in _EFFORTS else _EFFORTS.index("high")


def _with(body: Body, value: Any, *path: str) -> Body:
    name, *rest = path
    return {**body, name: _with(body[name], value, *rest) if rest else value}


def _folded(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """The system prompt at the head of the first message. o1-mini; Gemma's template."""
    match body["messages"]:
        case [{"role": "system", "content": str(prompt)}, {"role": "user", "content": str(said)} as first, *rest]:
            return {**body, "messages": [{**first, "content": f"{prompt}\n\n{said}"}, *rest]}
    return None


def _with_reasoning(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """Thinking beside the calls that it led to. DeepSeek."""
    thoughts = iter(
        "".join(block.text for block in message.blocks if isinstance(block, ThinkingBlock))
        for message in request.messages
        if message.role == "assistant"
    )
    messages = [
        {**message, "reasoning_content": thought} if thought is not None and message.get("tool_calls") else message
        for message in body["messages"]
        for thought in [next(thoughts, "") if message["role"] == "assistant" else None]
    ]
    return {**body, "messages": messages} if messages != body["messages"] else None


def _with_empty_content(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """Text of no length beside calls, where null is refused."""
    messages = [
        {**message, "content": ""} if message.get("content", "") is None else message for message in body["messages"]
    ]
    return {**body, "messages": messages} if messages != body["messages"] else None


def _other_thinking(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """The other of Anthropic's two forms; a thinking that cannot be switched off stays on."""
    match body.get("thinking"):
        case {"type": "adaptive"} if body["max_tokens"] > 1024:
            return {**body, "thinking": {"type": "enabled", "budget_tokens": max(1024, body["max_tokens"] // 2)}}
        case {"type": "enabled"}:
            return {**body, "thinking": {"type": "adaptive", "display": "summarized"}}
        case {"type": _}:
            return _without(body, "thinking")
    return None


def _other_thinking_remark(before: Body, after: Body, request: Request) -> str | None:
    return None if "thinking" in after else f"{request.model} cannot be told whether to think."


def _unthought_messages(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """The history without thinking: it is always valid, as long as no tool's result is being waited for."""
    messages = []
    for message in body["messages"]:
        blocks = [block for block in message["content"] if block["type"] not in ("thinking", "redacted_thinking")]
        messages.append({**message, "content": blocks})
    return {**body, "messages": messages} if messages != body["messages"] else None


def _unthought_items(body: Body, request: Request, refusal: Refusal) -> Body | None:
    items = [item for item in body["input"] if item["type"] != "reasoning"]
    return {**body, "input": items} if items != body["input"] else None


def _once(field: str, says: re.Pattern[str], mend: Callable[[Body, Request, Refusal], Body | None]) -> Remedy:
    return Remedy(field, says, mend, lasting=False)


CHAT = (
    _LENGTH,
    Remedy("reasoning", _pattern(r"reasoning_content.*passed back"), _with_reasoning),  # DeepSeek
    _dropping("stream_options"),  # Azure's older versions
    _renaming("max_tokens", "max_completion_tokens"),  # OpenAI's reasoning models
    _renaming("max_completion_tokens", "max_tokens"),  # vLLM, TGI, Mistral
    _dropping("temperature", remark="a temperature"),  # OpenAI's reasoning models
    _effort_at("reasoning_effort"),
    Remedy("system", _pattern(rf"(system|developer|role).*({_NEVER_TAKEN})", r"system role"), _folded),
    Remedy("content", _pattern(r"content.*(null|none|string|empty|required|missing)"), _with_empty_content),
)
RESPONSES = (
    _LENGTH,
    _dropping("include", says=_pattern(r"encrypted.content is not supported", _refused("include").pattern)),
    # OpenAI: an item without the one it led to; sealed by another organisation
    _once("history", _pattern(r"required following item", r"encrypted.content", r"'rs_"), _unthought_items),
    _dropping("reasoning", "summary", says=_pattern(r"reasoning\W+summary", r"verified to generate reasoning summ")),
    _effort_at("reasoning", "effort"),
    _dropping("reasoning", remark="settings for its thinking"),
    _dropping("temperature", remark="a temperature"),
    _dropping("prompt_cache_key"),
    _dropping("max_output_tokens"),
)
MESSAGES = (
    _LENGTH,
    _once(
        "history", _pattern(r"thinking.*cannot be modified", r"signature", r"expected .?thinking"), _unthought_messages
    ),
    _dropping("cache_control"),  # older servers that speak the protocol
    _dropping("thinking", "display", says=_pattern(r"thinking\S*display")),
    _effort_at("output_config", "effort"),
    Remedy(
        "thinking",
        _pattern(r"thinking\.(type|adaptive|enabled|disabled)", r"adaptive", _refused("thinking").pattern),
        _other_thinking,
        remark=_other_thinking_remark,
    ),
)
