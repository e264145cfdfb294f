from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mewcode.llm.messages import ApiMessage, Origin, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from mewcode.llm.thinking import own_thinking

MINE, OTHER = Origin("p", "u", "m"), Origin("p", "u", "n")
THOUGHT = ThinkingBlock("hm", "sig")


def user(said):
    return ApiMessage("user", (TextBlock(said),))


def answered(history: Any, origin=MINE, opening="system", thought=THOUGHT) -> Any:
    """The history and an answer to it, as it is kept."""
    _, prefix = own_thinking(history, origin, opening)
    return [*history, ApiMessage("assistant", (thought, TextBlock("a")), origin, prefix)]


def thoughts(history, origin=MINE, opening="system"):
    fitting, _ = own_thinking(history, origin, opening)
    return [sum(isinstance(block, ThinkingBlock) for block in message.blocks) for message in fitting]


@pytest.fixture
def history():
    """Two answers with thinking, and a third question."""
    return [*answered([*answered([user("q1")]), user("q2")]), user("q3")]


def test_thinking_goes_back_while_nothing_before_it_has_changed(history):
    assert thoughts(history) == [0, 1, 0, 1, 0]


def test_an_answer_without_fingerprint_is_trusted():
    assert thoughts([user("q"), ApiMessage("assistant", (THOUGHT, TextBlock("a")), MINE)]) == [0, 1]


def test_an_answer_of_nobody_or_of_another_model_keeps_no_thinking():
    for origin in (None, OTHER, Origin("p", "v", "m"), Origin("r", "u", "m")):
        assert thoughts([user("q"), ApiMessage("assistant", (THOUGHT, TextBlock("a")), origin)]) == [0, 0]


def test_an_edited_question_takes_all_later_thinking_with_it(history):
    assert thoughts([history[0], history[1], user("other"), *history[3:]]) == [0, 1, 0, 0, 0]
    assert thoughts([user("other"), *history[1:]]) == [0, 0, 0, 0, 0]


def test_another_system_prompt_or_another_tool_takes_all_thinking(history):
    assert thoughts(history, opening="system and a tool") == [0] * 5


def test_a_thought_that_is_left_out_takes_the_later_ones_with_it(history):
    without = replace(history[1], blocks=history[1].blocks[1:])
    assert thoughts([history[0], without, *history[2:]]) == [0, 0, 0, 0, 0]


def test_after_a_turn_of_another_model_each_gets_its_own_back(history):
    history = [*answered(history, OTHER), user("q4")]
    history = [*answered(history, MINE), user("q5")]
    assert thoughts(history, MINE) == [0, 1, 0, 1, 0, 0, 0, 1, 0]
    assert thoughts(history, OTHER) == [0, 0, 0, 0, 0, 1, 0, 0, 0]


def seals(history, origin=MINE, opening="system"):
    fitting, _ = own_thinking(history, origin, opening)
    return [block.extra for message in fitting for block in message.blocks if isinstance(block, ToolUseBlock)]


def test_a_seal_at_a_call_goes_where_its_thinking_goes():
    call = ToolUseBlock("t", "f", {}, extra="{}")
    history = answered([user("q1")], thought=call)
    assert seals(history) == ["{}"]
    assert seals([user("other"), *history[1:]]) == [None]
    assert seals(history, OTHER) == [None]
    assert seals(history, opening="system and a tool") == [None]


@pytest.mark.parametrize(
    "sealed",
    [ToolUseBlock("t", "f", {}, extra="{}"), ThinkingBlock("hm", "sig", details="[]")],
    ids=["call", "details"],
)
def test_a_seal_that_is_left_out_takes_the_later_thinking_with_it(sealed):
    history = [*answered([*answered([user("q1")], thought=sealed), user("q2")]), user("q3")]
    bare = replace(sealed, **({"extra": None} if isinstance(sealed, ToolUseBlock) else {"details": None}))
    bared = replace(history[1], blocks=(bare, *history[1].blocks[1:]))
    assert thoughts(history)[3] == 1
    assert thoughts([history[0], bared, *history[2:]])[3] == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TextBlock("ab"), TextBlock("b")),
        (ToolUseBlock("t", "f", {"x": 1}), ToolUseBlock("t", "f", {"x": 2})),
        (ToolUseBlock("t", "f", {}), ToolUseBlock("t", "f", None)),
        (ToolResultBlock("t", "1"), ToolResultBlock("t", "1", is_error=True)),
    ],
)
def test_every_part_of_a_message_counts(before, after):
    history = [*answered([user("q"), ApiMessage("user", (before,))]), user("q2")]
    assert thoughts(history) == [0, 0, 1, 0]
    assert thoughts([history[0], ApiMessage("user", (after,)), *history[2:]]) == [0, 0, 0, 0]


def test_where_a_text_ends_counts_too():
    one = [*answered([ApiMessage("user", (TextBlock("ab"), TextBlock("c")))]), user("q")]
    assert thoughts([ApiMessage("user", (TextBlock("a"), TextBlock("bc"))), *one[1:]]) == [0, 0, 0]
