"""How far a conversation is over a model's limit, from what the server says of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mewcode.providers._json import number

_N = r"([0-9][0-9,]{0,14})(?![0-9])"
_MOST = 10**12  # tokens; a larger number is none
# Each names what its groups are. Source: the servers named, 2026-11.
_PATTERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (rf"{_N} tokens? > {_N}", ("requested", "limit")),  # Anthropic
    (rf"context limit: {_N} \+ {_N} > {_N}", ("input", "answer", "limit")),  # Anthropic, with max_tokens
    (rf"\({_N} tokens\) exceeds the available context size \({_N} tokens", ("requested", "limit")),  # llama.cpp
    (rf"maximum context length is {_N}", ("limit",)),  # OpenAI, DeepSeek, vLLM, OpenRouter, LiteLLM
    (rf"you requested (?:about )?{_N}", ("requested",)),  # the same
    (rf"(?:messages resulted in|your request has) {_N}", ("requested",)),  # OpenAI, newer vLLM
    (rf"limit {_N}, (?:used {_N}, )?requested {_N}", ("limit", "used", "requested")),  # OpenAI, Groq: per minute
    (rf"input tokens exceeds? {_N} tokens", ("limit",)),  # Perplexity
    (rf"token count \({_N}\) exceeds [^(]{{0,60}}\({_N}\)", ("requested", "limit")),  # Gemini
    (rf"model token limit: {_N}(?: \(requested: {_N}\))?", ("limit", "requested")),  # Kimi
    (rf"input length should be \[1, {_N}\]", ("limit",)),  # Qwen
    (rf"contains {_N} tokens.{{0,60}} with {_N} maximum", ("requested", "limit")),  # Mistral
    (rf"context length by {_N} tokens", ("over",)),  # Ollama
)


@dataclass(frozen=True, slots=True)
class Size:
    """In tokens; None where the server did not say."""

    limit: int | None = None
    requested: int | None = None
    over: int | None = None


def read_size(body: object, words: str) -> Size:
    """The numbers of a refusal: llama.cpp has fields for them, the others say them in words."""
    found = {"limit": number(body, "error", "n_ctx"), "requested": number(body, "error", "n_prompt_tokens")}
    known = {name: count for name, count in found.items() if count is not None and 0 < count < _MOST}
    for pattern, names in _PATTERNS:
        if match := re.search(pattern, words, re.IGNORECASE):
            for name, digits in zip(names, match.groups(), strict=True):
                if digits:
                    known.setdefault(name, int(digits.replace(",", "")))
    limit, requested = known.get("limit"), known.get("requested")
    over = requested - limit if limit is not None and requested is not None else known.get("over")
    return Size(limit, requested, over if over is not None and over > 0 else None)
