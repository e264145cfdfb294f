"""What is known of models: short names, the form of thinking they take, how much they can read and write.

The one place to edit when a model is released. Source: anthropic 2.14 and openai 3.57 (types of `model`), and the
vendors' pages of 2026-11.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")  # from the least to the most
LOCAL_CONTEXT = 4096  # tokens that the embedded model's conversations may have, whichever file it is
LEAST_BUDGET = 1024  # tokens of thinking that Anthropic asks for at least, where there is a budget

ThinkingMode: TypeAlias = Literal["adaptive", "budgeted", "none"]

_SHORT = {
    "anthropic": {
        "fable": "claude-fable-5-2",
        "haiku": "claude-haiku-5-5",
        "mythos": "claude-mythos-5-2",
        "opus": "claude-opus-5-5",
        "sonnet": "claude-sonnet-5-5",
    },
    "openai": {
        "astra": "gpt-6.2-astra",
        "luna": "gpt-6-luna",
        "sol": "gpt-6.2-sol",
        "terra": "gpt-6.1-terra",
    },
}


class _Family(NamedTuple):
    prefix: str  # of the id; `$` is its end
    thinking: ThinkingMode
    always_thinks: bool = False  # refuses to have its thinking switched off
    max_output: int | None = None  # tokens, thinking included
    context: int | None = None  # tokens of a whole conversation; None where the vendor has changed it within the family


# The first prefix that fits decides, so the exact ones stand before the general.
_FAMILIES = (
    _Family("claude-3-7", "budgeted", max_output=64_000, context=200_000),
    _Family("claude-3", "none", max_output=8_192, context=200_000),
    _Family("claude-opus-4-5", "budgeted", max_output=64_000, context=200_000),
    _Family("claude-sonnet-4-5", "budgeted", max_output=64_000),
    _Family("claude-haiku-4-5", "budgeted", max_output=64_000, context=200_000),
    _Family("claude-opus-4-6", "adaptive", max_output=128_000),
    _Family("claude-opus-4-7", "adaptive", max_output=128_000),
    _Family("claude-opus-4-8", "adaptive", max_output=128_000),
    _Family("claude-sonnet-4-6", "adaptive", max_output=64_000),
    _Family("claude-opus-4$", "budgeted", max_output=32_000, context=200_000),
    _Family("claude-opus-4-0", "budgeted", max_output=32_000, context=200_000),
    _Family("claude-opus-4-1", "budgeted", max_output=32_000, context=200_000),
    _Family("claude-opus-4-2025", "budgeted", max_output=32_000, context=200_000),
    _Family("claude-sonnet-4$", "budgeted", max_output=64_000),
    _Family("claude-sonnet-4-0", "budgeted", max_output=64_000),
    _Family("claude-sonnet-4-2025", "budgeted", max_output=64_000),
    _Family("claude-fable", "adaptive", always_thinks=True, max_output=64_000),
    _Family("claude-mythos", "adaptive", always_thinks=True, max_output=64_000),
    _Family("claude-opus-5-5", "adaptive", always_thinks=True, max_output=64_000),
    _Family("claude-", "adaptive", max_output=64_000),
    _Family("gpt-5-chat", "none", context=128_000),
    _Family("gpt-5$", "adaptive", context=400_000),
    _Family("gpt-5", "adaptive"),
    _Family("gpt-6", "adaptive"),
    _Family("gpt-oss", "adaptive", always_thinks=True, context=131_072),
    _Family("gpt-4o", "none", context=128_000),
    _Family("gpt-4-turbo", "none", context=128_000),
    _Family("gpt-4.1", "none", context=1_047_576),
    _Family("gpt-", "none"),
    _Family("o1", "adaptive", always_thinks=True, context=200_000),
    _Family("o3", "adaptive", always_thinks=True, context=200_000),
    _Family("o4", "adaptive", always_thinks=True, context=200_000),
)
_UNKNOWN = _Family("", "none", max_output=8_192)


def resolve_model(name: str, protocol: str | None = None) -> str:
    """The full id of a short name; any other name as it is. A protocol limits the short names to its own vendor's."""
    tables = _SHORT.values() if protocol is None else [_SHORT.get(protocol, {})]
    return next((table[name] for table in tables if name in table), name)


def thinking_mode(model: str) -> ThinkingMode:
    """How the model is asked to think: it decides (adaptive), within a number of tokens (budgeted), or not at all."""
    return _family(model).thinking


def is_known(model: str) -> bool:
    """Whether the answers here are about this model; of any other they are what is safe for most."""
    return _family(model) is not _UNKNOWN


def always_thinks(model: str) -> bool:
    """Whether the model refuses a request that switches its thinking off."""
    return _family(model).always_thinks


def max_output_tokens(model: str) -> int:
    """The most the model can write in one answer, thinking included; 8,192 when it is not known."""
    return _family(model).max_output or 8_192


def context_window(model: str) -> int | None:
    """The most tokens that a conversation may have, question and answer together; None when it is not known."""
    return _family(model).context


def _family(model: str) -> _Family:
    name = resolve_model(model).rpartition("/")[2]  # gateways write vendor/model
    return next((family for family in _FAMILIES if f"{name}$".startswith(family.prefix)), _UNKNOWN)
