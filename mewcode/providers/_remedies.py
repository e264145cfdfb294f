"""What servers refuse in a request, and the request without it: data for mewcode.providers._heal, by protocol.

Source: the refusals recorded from, or reported of, the servers named beside each remedy, 2026-11.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mewcode.llm.messages import ThinkingBlock
from mewcode.llm.models import EFFORTS, LEAST_BUDGET
from mewcode.providers._heal import Remedy
from mewcode.providers._json import dig, text, well_formed

if TYPE_CHECKING:
    from mewcode.llm.client import Request
    from mewcode.providers._heal import Body, Refusal

_NEVER_TAKEN = (
    r"unsupported|(?:not|n't) (?:be )?support|unrecogni[sz]ed|unknown(?!_error)|deprecated|removed|additional propert"
    r"|unexpected (?:keyword|argument|parameter|field|property)|extra (?:inputs?|fields?|param)|extra_forbidden"
    r"|not (?:permitted|allowed|available)|not a valid (?:parameter|field|argument)"
    r"|only the default|only \S{1,40} is (?:allowed|supported)|only be set to|不支持"
)
_REST = r"(?:(?![.;!] |[}。；]).){0,200}?"  # of the same sentence: the next one speaks of another field


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE | re.DOTALL)


def _complaint(named: str, verbs: str = _NEVER_TAKEN) -> str:
    return rf"{named}{_REST}(?:{verbs})|(?:{verbs}){_REST}{named}"


def _refused(name: str) -> str:
    """The words name the field and say that it is not taken at all: a value out of range is the user's to mend."""
    return _complaint(rf"(?<!\w){re.escape(name)}(?!\w)")


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
        says or _pattern(_refused(path[-1])),
        lambda body, request, refusal: _without(body, *path),
        remark=lambda before, after, request: remark and f"{request.model} does not take {remark}: left out.",
    )


def _renaming(old: str, new: str) -> Remedy:
    def mend(body: Body, request: Request, refusal: Refusal) -> Body | None:
        if old not in body:
            return None
        return {new if name == old else name: value for name, value in body.items()}

    return Remedy("limit", _pattern(_refused(old)), mend)


# Anthropic; OpenAI; DeepSeek; Groq
_MOST = _pattern(
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
        return _without(body, "thinking")
    return _with(body, max(LEAST_BUDGET, limit // 2), "thinking", "budget_tokens")


def _lowered_remark(before: Body, after: Body, request: Request) -> str | None:
    most = next(after[name] for name in _LIMITS if name in after)
    return f"{request.model} writes at most {most:,} tokens." if request.max_output_tokens else None


_LENGTH = Remedy("most", _MOST, _lowered, remark=_lowered_remark)

_LEVELS = re.compile(
    r"(?:(?:supported|allowed|accepted|valid) [\w ]{1,40}[:\[]|supports[^.:]*:|one of|should be|must be)(.*)", re.DOTALL
)
_NO_LEVEL = rf"{_NEVER_TAKEN}|invalid|must be|should be|allowed values"


def _effort_at(*path: str, says: str = _complaint(r"effort", _NO_LEVEL)) -> Remedy:
    """Another level where the server lists those that it knows, else none. OpenAI, Anthropic, xAI, Groq."""

    def mend(body: Body, request: Request, refusal: Refusal) -> Body | None:
        asked = text(body, *path)
        if not asked:
            return None
        levels = _supported(refusal.said, asked)
        nearest = min(levels, key=lambda level: abs(EFFORTS.index(level) - _place(asked)), default=None)
        return _with(body, nearest, *path) if nearest else _without(body, *path)

    def remark(before: Body, after: Body, request: Request) -> str:
        used = text(after, *path)
        instead = f"{used} was used" if used else "left out"
        if request.effort is None:
            return f"{request.model} cannot be told not to think; effort: {instead}."
        return f"{request.model} does not know effort {text(before, *path)}: {instead}."

    return Remedy("effort", _pattern(says), mend, remark=remark, asked=lambda body: dig(body, *path))


def _supported(said: str, asked: str) -> list[str]:
    """The levels that the server lists; `none` is no level but the end of thinking, and nobody asked for that."""
    listed = _LEVELS.search(said.lower())
    words = re.findall(r"[a-z]+", listed[1]) if listed else []
    return [level for level in EFFORTS if level in words and level not in (asked, "none")]


def _place(level: str) -> int:
    return EFFORTS.index(level) if level in EFFORTS else EFFORTS.index("high")


def _with(body: Body, value: Any, *path: str) -> Body:
    name, *rest = path
    return {**body, name: _with(body[name], value, *rest) if rest else value}


_NO_SYSTEM = _pattern(
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


def _with_reasoning(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """Thinking beside the calls that it led to. DeepSeek."""
    thoughts = iter(
        "".join(block.text for block in message.blocks if isinstance(block, ThinkingBlock))
        for message in request.messages
        if message.role == "assistant"
    )
    messages = [
        {**message, "reasoning_content": well_formed(thought)}
        if thought is not None and message.get("tool_calls")
        else message
        for message in body["messages"]
        for thought in [next(thoughts, "") if message["role"] == "assistant" else None]
    ]
    return {**body, "messages": messages} if messages != body["messages"] else None


_NO_NULL = _pattern(
    r"content\b.{0,80}(?:\bnull\b|<?\bnil\b|\bnone(?:type)?\b|valid string|a string\b|is empty|is required|missing)",
    r"'?content'? is a required",
)


def _with_empty_content(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """Text of no length beside calls, where null is refused."""
    messages = [
        {**message, "content": ""} if message.get("content", "") is None else message for message in body["messages"]
    ]
    return {**body, "messages": messages} if messages != body["messages"] else None


_FORM = _pattern(
    _complaint(r"thinking\.(?:type|adaptive|enabled|disabled)\b(?!\S*(?:budget|display))", f"{_NEVER_TAKEN}|must be"),
    _complaint(r"\badaptive\b"),
    r"thinking: input tag \W(?:adaptive|enabled|disabled)",  # Bedrock
    rf"thinking{_REST}(?:cannot|can't|may not) be (?:disabled|switched off|turned off)",
)


def _other_thinking(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """The other of Anthropic's two forms; a thinking that cannot be switched off stays on."""
    match body.get("thinking"):
        case {"type": "adaptive"} if body["max_tokens"] > LEAST_BUDGET:
            budget = max(LEAST_BUDGET, body["max_tokens"] // 2)
            return {**body, "thinking": {"type": "enabled", "budget_tokens": budget}}
        case {"type": "enabled"}:
            return {**body, "thinking": {"type": "adaptive", "display": "summarized"}}
        case {"type": _}:
            return _without(body, "thinking")
    return None


def _asked_thinking(body: Body) -> object:
    """Whether thinking may be switched off depends on the effort."""
    return dig(body, "thinking", "type"), dig(body, "output_config", "effort")


def _other_thinking_remark(before: Body, after: Body, request: Request) -> str | None:
    return None if "thinking" in after else f"{request.model} cannot be told whether to think."


def _thoughtless(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """Where thinking has to come before a tool's result and is not there any more: this answer does without."""
    without = _without(body, "thinking")
    return without and (_unthought_messages(without, request, refusal) or without)


def _thoughtless_remark(before: Body, after: Body, request: Request) -> str:
    return f"{request.model} answers this without thinking."


_UNSEALED = _pattern(r"thinking.*cannot be modified", r"signature.*thinking", r"thinking.*signature")
_THINKING = _pattern(_complaint(r"(?<!adaptive )(?<!\w)(?<!\d\.)thinking(?!\w|\.\w)"))  # Ollama, older servers


def _unthought_messages(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """The history without thinking: it is always valid, as long as no tool's result is being waited for."""
    messages = []
    for message in body["messages"]:
        blocks = [block for block in message["content"] if block["type"] not in ("thinking", "redacted_thinking")]
        messages.append({**message, "content": blocks})
    return {**body, "messages": messages} if messages != body["messages"] else None


# OpenAI: an item without the one it led to; sealed by another organisation
_LOST = _pattern(r"required following item", r"encrypted.content", r"'rs_", _complaint(r"type\W{1,4}reasoning\b"))


def _unthought_items(body: Body, request: Request, refusal: Refusal) -> Body | None:
    items = [item for item in body["input"] if item["type"] != "reasoning"]
    return {**body, "input": items} if items != body["input"] else None


CHAT = (
    _LENGTH,
    Remedy(
        "reasoning", _pattern(r"reasoning_content.*(passed back|missing|required)"), _with_reasoning
    ),  # DeepSeek, Kimi
    _dropping("stream_options"),  # Azure's older versions
    _renaming("max_tokens", "max_completion_tokens"),  # OpenAI's reasoning models
    _renaming("max_completion_tokens", "max_tokens"),  # vLLM, TGI, Mistral
    _dropping("temperature", remark="a temperature"),  # OpenAI's reasoning models
    _effort_at("reasoning_effort"),
    Remedy("system", _NO_SYSTEM, _folded),
    Remedy("content", _NO_NULL, _with_empty_content),
)
RESPONSES = (
    _LENGTH,
    _dropping("include", says=_pattern(r"encrypted.content is not supported", _complaint(r"(?:['\"`.]|\A)include\b"))),
    Remedy("history", _LOST, _unthought_items, lasting=False),
    _dropping("reasoning", "summary", says=_pattern(r"reasoning\W+summary", r"verified to generate reasoning summ")),
    _effort_at("reasoning", "effort"),
    _dropping("reasoning", remark="settings for its thinking"),
    _dropping("temperature", remark="a temperature"),
    _dropping("prompt_cache_key"),
    _dropping("max_output_tokens", remark="a limit of its answer"),
)
MESSAGES = (
    _LENGTH,
    Remedy("history", _UNSEALED, _unthought_messages, lasting=False),
    Remedy("answer", _pattern(r"expected .?thinking"), _thoughtless, lasting=False, remark=_thoughtless_remark),
    _dropping("cache_control"),  # older servers that speak the protocol
    _dropping("thinking", "display", says=_pattern(r"thinking\S*display")),
    # before effort, which the same sentence names as the other way
    Remedy("form of thinking", _FORM, _other_thinking, remark=_other_thinking_remark, asked=_asked_thinking),
    _effort_at("output_config", "effort", says=rf"{_complaint('effort', _NO_LEVEL)}|{_refused('output_config')}"),
    _dropping("thinking", remark="settings for its thinking", says=_THINKING),
)
