from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from mewcode.llm.models import (
    LOCAL_CONTEXT,
    always_thinks,
    context_window,
    max_output_tokens,
    resolve_model,
    thinking_mode,
)
from mewcode.providers import _llama

SHORT = {"anthropic": ["haiku", "sonnet", "opus", "fable", "mythos"], "openai": ["astra", "luna", "sol", "terra"]}


def known_to_the_sdk():
    """The ids in the type of `model`, from its source: importing the SDK takes a second."""
    package = find_spec("anthropic")
    assert package is not None
    assert package.origin is not None
    return re.findall(r'"(claude-[^"]+)"', (Path(package.origin).parent / "types" / "model.py").read_text())


@pytest.mark.parametrize(("vendor", "name"), [(vendor, name) for vendor, names in SHORT.items() for name in names])
def test_a_short_name_is_resolved_for_its_own_vendor_only(vendor, name):
    full = resolve_model(name, vendor)
    assert full != name
    assert name in full
    assert resolve_model(name) == full
    for other in {"anthropic", "openai", "openai-compat", "local"} - {vendor}:
        assert resolve_model(name, other) == name


@pytest.mark.parametrize("name", ["claude-opus-5-5", "gpt-6-luna", "qwen3:8b", "", "Sonnet-like", "org/sonnet"])
def test_any_other_name_stays_as_it_is(name):
    assert [resolve_model(name, protocol) for protocol in (None, "anthropic", "openai")] == [name] * 3


@pytest.mark.parametrize("name", SHORT["anthropic"])
def test_short_names_are_ids_that_the_sdk_knows(name):
    assert resolve_model(name, "anthropic") in known_to_the_sdk()


@pytest.mark.parametrize(
    "model",
    [
        *("claude-opus-4-9", "claude-opus-4-6", "claude-sonnet-4-7", "claude-haiku-4-6", "claude-opus-5-9"),
        *("claude-opus-6", "claude-sonnet-7-1-20290101", "claude-nova-1", "claude-haiku-10", "claude-x"),
        *("anthropic/claude-opus-9", "sonnet"),
    ],
)
def test_a_claude_that_nobody_knows_yet_decides_itself_how_to_think(model):
    assert thinking_mode(model) == "adaptive"


@pytest.mark.parametrize(
    "model",
    [
        *("claude-3-7-sonnet-latest", "claude-opus-4-20250514", "claude-opus-4-0", "claude-opus-4-1-20250805"),
        *("claude-sonnet-4-20250514", "claude-sonnet-4", "claude-opus-4-5", "claude-sonnet-4-5-20250929"),
        *("claude-haiku-4-5-20251001", "anthropic/claude-opus-4"),
    ],
)
def test_older_ones_think_within_a_number_of_tokens(model):
    assert thinking_mode(model) == "budgeted"


@pytest.mark.parametrize("model", ["claude-3-5-haiku-20241022", "gpt-4o", "gpt-5-chat-latest", "llama3", ""])
def test_others_do_not_think(model):
    assert thinking_mode(model) == "none"
    assert not always_thinks(model)


@pytest.mark.parametrize(("model", "always"), [("claude-fable-5-2", True), ("o3", True), ("sonnet", False)])
def test_some_refuse_to_have_it_switched_off(model, always):
    assert always_thinks(model) == always


def test_every_model_of_the_sdk_can_write_a_fair_number_of_tokens():
    assert len(known_to_the_sdk()) > 10
    assert {name: max_output_tokens(name) for name in known_to_the_sdk() if max_output_tokens(name) < 32_000} == {}


def test_an_unknown_model_is_not_trusted_with_more_than_any_can():
    assert max_output_tokens("qwen3:8b") == 8_192


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-3-5-haiku-20241022", 200_000),
        ("anthropic/claude-opus-4-1", 200_000),
        ("gpt-5", 400_000),
        ("gpt-5-chat-latest", 128_000),
        ("gpt-4.1-mini", 1_047_576),
        ("openai/gpt-oss-120b", 131_072),
        ("claude-sonnet-4-5", None),  # 200,000, or a million for whoever asks for it
        ("qwen3:8b", None),
    ],
)
def test_a_context_is_known_only_where_it_is_the_same_for_everybody(model, tokens):
    assert context_window(model) == tokens


def test_the_embedded_model_s_context_is_what_its_process_asks_for():
    assert LOCAL_CONTEXT == _llama.CONTEXT
