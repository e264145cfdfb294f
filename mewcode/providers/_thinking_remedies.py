"""What servers refuse about thinking, in settings and in the history, and the request without it.

Source: the refusals recorded from, or reported of, the servers named beside each remedy, 2026-11.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from mewcode.llm.messages import TextBlock, ThinkingBlock, ToolResultBlock
from mewcode.llm.models import EFFORTS, LEAST_BUDGET
from mewcode.providers._edits import NEVER_TAKEN, REST, altered, complaint, pattern, without
from mewcode.providers._heal import Remedy
from mewcode.providers._json import dig, text, well_formed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewcode.llm.client import Request
    from mewcode.llm.messages import ApiMessage
    from mewcode.providers._heal import Body, Refusal
    from mewcode.providers._http import Json

_LEVELS = re.compile(
    r"(?:(?:supported|allowed|accepted|valid) [\w ]{1,40}[:\[]|supports[^.:]*:|one of|should be|must be)(.*)", re.DOTALL
)
NO_LEVEL = rf"{NEVER_TAKEN}|invalid|must be|should be|allowed values"


def effort_at(*path: str, says: str = complaint(r"effort", NO_LEVEL)) -> Remedy:
    """Another level where the server lists those that it knows, else none. OpenAI, Anthropic, xAI, Groq."""

    def mend(body: Body, request: Request, refusal: Refusal) -> Body | None:
        asked = text(body, *path)
        if not asked:
            return None
        levels = _supported(refusal.said, asked)
        nearest = min(levels, key=lambda level: abs(EFFORTS.index(level) - _place(asked)), default=None)
        return altered(body, nearest, *path) if nearest else without(body, *path)

    def remark(before: Body, after: Body, request: Request) -> str:
        used = text(after, *path)
        instead = f"{used} was used" if used else "left out"
        if request.effort is None and not used:
            return f"{request.model} does not take settings for its thinking: left out."
        if request.effort is None:
            return f"{request.model} cannot be told {'to' if request.thinking else 'not to'} think; effort: {instead}."
        return f"{request.model} does not know effort {text(before, *path)}: {instead}."

    return Remedy("effort", pattern(says), mend, remark=remark, asked=lambda body: dig(body, *path))


def _supported(said: str, asked: str) -> list[str]:
    """The levels that the server lists; `none` is no level but the end of thinking, and nobody asked for that."""
    listed = _LEVELS.search(said.lower())
    words = re.findall(r"[a-z]+", listed[1]) if listed else []
    return [level for level in EFFORTS if level in words and level not in (asked, "none")]


def _place(level: str) -> int:
    return EFFORTS.index(level) if level in EFFORTS else EFFORTS.index("high")


def _with_reasoning(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """Thinking in the answers that it led to; where tools were called, no answer without: a blank stands for none."""
    messages = [*body["messages"]]
    called = any(message.get("tool_calls") for message in messages)
    for place, thought in _thoughts(messages, request):
        if thought or called:
            messages[place] = {**messages[place], "reasoning_content": well_formed(thought) or _NO_REASONING}
    return {**body, "messages": messages} if messages != body["messages"] else None


def _thoughts(messages: list[Json], request: Request) -> Iterator[tuple[int, str]]:
    """The place of each answer in the body, and what was thought for it; nothing for one that a remedy put there."""
    spelled = deque(part for message in request.messages for part in _spelled(message))
    for place, message in enumerate(messages):
        role, thought = spelled[0] if spelled else ("", "")
        if message["role"] == role:
            spelled.popleft()
        if message["role"] == "assistant":
            yield place, thought if role == "assistant" else ""


def _spelled(message: ApiMessage) -> list[tuple[str, str]]:
    """The roles under which the protocol has this message, and the thinking of an answer."""
    if message.role == "assistant":
        return [("assistant", "".join(block.text for block in message.blocks if isinstance(block, ThinkingBlock)))]
    results = [("tool", "") for block in message.blocks if isinstance(block, ToolResultBlock)]
    said = any(isinstance(block, TextBlock) for block in message.blocks)
    return [*results, ("user", "")] if said else results


def _unreasoned(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """Some servers think unless they are told not to, and then want thinking before each call, whoever made it."""
    if dig(body, "thinking", "type") == "disabled":
        return None
    mended = {**body, "thinking": {"type": "disabled"}}
    return _unthought_messages(mended, request, refusal) or mended


_FORM = pattern(
    complaint(r"thinking\.(?:type|adaptive|enabled|disabled)\b(?!\S*(?:budget|display))", f"{NEVER_TAKEN}|must be"),
    complaint(r"\badaptive\b"),
    r"thinking: input tag \W(?:adaptive|enabled|disabled)",  # Bedrock
    rf"thinking{REST}(?:cannot|can't|may not) be (?:disabled|switched off|turned off)",
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
            return without(body, "thinking")
    return None


def _asked_thinking(body: Body) -> object:
    """Whether thinking may be switched off depends on the effort."""
    return dig(body, "thinking", "type"), dig(body, "output_config", "effort")


def _other_thinking_remark(before: Body, after: Body, request: Request) -> str | None:
    return None if "thinking" in after else f"{request.model} cannot be told whether to think."


def _thoughtless(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """Where thinking has to come before a tool's result and is not there any more: this answer does without."""
    mended = without(body, "thinking")
    return mended and (_unthought_messages(mended, request, refusal) or mended)


def _thoughtless_remark(before: Body, after: Body, request: Request) -> str:
    return f"{request.model} answers this without thinking."


_UNSEALED = pattern(r"thinking.*cannot be modified", r"signature.*thinking", r"thinking.*signature")
NO_THINKING = pattern(complaint(r"(?<!adaptive )(?<!\w)(?<!\d\.)thinking(?!\w|\.\w)"))  # Ollama, older servers


def _unthought_messages(body: Body, request: Request, refusal: Refusal) -> Body | None:
    """The history without thinking: it is always valid, as long as no tool's result is being waited for."""
    messages = []
    for message in body["messages"]:
        blocks = [block for block in message["content"] if block["type"] not in ("thinking", "redacted_thinking")]
        messages.append({**message, "content": blocks})
    return {**body, "messages": messages} if messages != body["messages"] else None


# OpenAI: an item without the one it led to; sealed by another organisation
_LOST = pattern(r"required following item", r"encrypted.content", r"'rs_", complaint(r"type\W{1,4}reasoning\b"))


def _unthought_items(body: Body, request: Request, refusal: Refusal) -> Body | None:
    items = [item for item in body["input"] if item["type"] != "reasoning"]
    return {**body, "input": items} if items != body["input"] else None


# DeepSeek, Kimi, MiMo; over Messages, too
_NO_REASONING = " "  # Kimi takes no text of no length
_WANTS_REASONING = pattern(r"reasoning_content.*(passed back|missing|required)")
REASONING = Remedy("reasoning", _WANTS_REASONING, _with_reasoning)
UNSEALED = Remedy("history", _UNSEALED, _unthought_messages, lasting=False)
UNTHOUGHT = Remedy("answer", pattern(r"expected .?thinking"), _thoughtless, lasting=False, remark=_thoughtless_remark)
UNREASONED = Remedy("answer", _WANTS_REASONING, _unreasoned, lasting=False, remark=_thoughtless_remark)
FORM = Remedy("form of thinking", _FORM, _other_thinking, remark=_other_thinking_remark, asked=_asked_thinking)
LOST = Remedy("history", _LOST, _unthought_items, lasting=False)
