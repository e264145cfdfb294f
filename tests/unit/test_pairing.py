from __future__ import annotations

import pytest

from mewcode.llm.history import to_api, tools_as_text
from mewcode.llm.messages import (
    ApiMessage,
    Message,
    Origin,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    new_id,
)
from mewcode.llm.pairing import NOT_RUN, OPENING, UNKNOWN_TOOL, pair_tools, respell_calls

A, B = Origin("a", "", "m"), Origin("b", "", "m")


def user(*blocks):
    return ApiMessage("user", tuple(TextBlock(block) if isinstance(block, str) else block for block in blocks))


def assistant(*blocks):
    return ApiMessage("assistant", user(*blocks).blocks)


def said(role, *blocks, status="complete", origin=None):
    where = origin or (None, None, None)
    blocks = user(*blocks).blocks
    return Message(new_id(), role, blocks, status, provider=where[0], base_url=where[1], model=where[2])


def call(tool_id, name="tool"):
    return ToolUseBlock(tool_id, name, {"a": 1} if name == "tool" else {})


def result(tool_id, content="done", *, failed=False):
    return ToolResultBlock(tool_id, content, failed)


def not_run(tool_id):
    return result(tool_id, NOT_RUN, failed=True)


@pytest.mark.parametrize(
    ("history", "paired"),
    [
        ([], []),
        ([user("a"), assistant("b")], [user("a"), assistant("b")]),
        (
            [user("a"), assistant("b", call("1")), user(result("1")), assistant("c")],
            [user("a"), assistant("b", call("1")), user(result("1")), assistant("c")],
        ),
        ([user("a"), assistant(call("1"))], [user("a"), assistant(call("1")), user(not_run("1"))]),
        (
            [user("a"), assistant(call("1")), assistant("b")],
            [user("a"), assistant(call("1")), user(not_run("1")), assistant("b")],
        ),
        (
            [user("a"), assistant(call("1")), user("never mind")],
            [user("a"), assistant(call("1")), user(not_run("1"), "never mind")],
        ),
        (
            [user("a"), assistant(call("1"), call("2")), user("x", result("2"), "y", result("1"))],
            [user("a"), assistant(call("1"), call("2")), user(result("1"), result("2"), "x", "y")],
        ),
        (
            [user("a"), assistant(call("1"), call("2")), user(result("2"))],
            [user("a"), assistant(call("1"), call("2")), user(not_run("1"), result("2"))],
        ),
        (
            [user("a"), assistant("b"), user(result("9"))],
            [user("a"), assistant("b", call("9", UNKNOWN_TOOL)), user(result("9"))],
        ),
        ([user(result("9"))], [user(OPENING), assistant(call("9", UNKNOWN_TOOL)), user(result("9"))]),
        (
            [user("a"), user(result("9"))],
            [user("a"), assistant(call("9", UNKNOWN_TOOL)), user(result("9"))],
        ),
        (
            [user("a"), assistant(call("1")), user(result("1", "first"), result("1", "second"))],
            [user("a"), assistant(call("1")), user(result("1", "first"))],
        ),
        (
            [user("a"), assistant(call("1"), call("1")), user(result("1"))],
            [user("a"), assistant(call("1")), user(result("1"))],
        ),
        (
            [user("a"), assistant(call("1")), user("x"), assistant("y"), user(result("1"))],
            [
                user("a"),
                assistant(call("1")),
                user(not_run("1"), "x"),
                assistant("y", call("1", UNKNOWN_TOOL)),
                user(result("1")),
            ],
        ),
    ],
)
def test_calls_and_results_are_paired(history, paired):
    assert pair_tools(history) == paired


def test_what_was_not_said_to_the_model_is_not_sent():
    history = [
        said("system", "model changed"),
        said("user", "a"),
        said("assistant", status="error"),
        said("assistant", "half", status="error"),
        said("user", " \n"),
        said("assistant", "", ThinkingBlock("hm")),
        said("assistant", "going on", status="streaming"),
    ]
    assert to_api(history) == [user("a")]


@pytest.mark.parametrize("status", ["cancelled", "interrupted"])
def test_an_answer_that_broke_off_is_sent_without_its_loose_thinking(status):
    history = [said("user", "a"), said("assistant", ThinkingBlock("hm"), "half", status=status)]
    assert to_api(history) == [user("a"), assistant("half")]


def test_an_answer_that_broke_off_in_a_call_keeps_the_thinking_that_led_to_it():
    blocks = (ThinkingBlock("hm", "sig"), call("1"))
    history = [said("user", "a"), said("assistant", *blocks, status="cancelled")]
    assert to_api(history) == [user("a"), assistant(*blocks), user(not_run("1"))]


def test_neighbours_of_one_role_become_one_message_with_a_blank_line_between():
    history = [said("user", "a"), said("assistant", status="error"), said("user", "b"), said("assistant", "c")]
    assert to_api(history) == [user("a\n\nb"), assistant("c")]


def test_results_of_tools_belong_to_the_user():
    history = [said("user", "a"), said("assistant", call("1")), said("tool", result("1")), said("user", "b")]
    assert to_api(history) == [user("a"), assistant(call("1")), user(result("1"), "b")]


def test_a_history_that_an_answer_begins_gets_an_opening():
    assert to_api([said("assistant", "a")]) == [user(OPENING), assistant("a")]


def test_text_is_sent_as_it_was_with_the_blanks_in_and_around_it():
    art = "  +--+\n  |  |\t\n  +--+  \n"
    assert to_api([said("user", art), said("assistant", art)]) == [user(art), assistant(art)]


def test_thinking_of_one_origin_stays_verbatim_where_it_stood():
    blocks = (ThinkingBlock("", "sig", "redacted"), TextBlock("b"), ThinkingBlock("hm", "s2"), TextBlock("c"))
    [_, answer] = to_api([said("user", "a"), said("assistant", *blocks, origin=A)])
    assert (answer.blocks, answer.origin) == (blocks, A)


def test_neighbours_of_two_origins_lose_their_thinking_and_their_origin():
    history = [
        said("user", "a"),
        said("assistant", ThinkingBlock("x"), "b", origin=A),
        said("assistant", ThinkingBlock("y"), "c", origin=B),
    ]
    assert to_api(history) == [user("a"), assistant("b\n\nc")]


def extras(messages):
    return [block.extra for message in messages for block in message.blocks if isinstance(block, ToolUseBlock)]


def test_a_seal_at_a_call_stays_with_the_call():
    sealed = ToolUseBlock("1", "tool", {}, extra="{}")
    history = [said("user", "a"), said("assistant", sealed, origin=A), said("tool", result("1"))]
    assert extras(to_api(history)) == ["{}"]
    assert extras(respell_calls(to_api(history), B, {"tool"})) == ["{}"]


def test_a_seal_of_nobodys_does_not_join_the_answer_before_it():
    sealed = [ToolUseBlock(it, "tool", {}, extra=it) for it in ("1", "2")]
    answers = [said("assistant", sealed[0], origin=A), said("assistant", sealed[1])]
    assert extras(to_api([said("user", "a"), *answers])) == ["1", None]


def test_blocks_that_a_role_cannot_say_are_left_out():
    history = [
        said("user", "a", call("1"), ThinkingBlock("hm")),
        said("assistant", "b", result("2")),
        said("assistant", result("3")),
    ]
    assert to_api(history) == [user("a"), assistant("b")]


def test_a_request_without_tools_tells_of_calls_in_words_and_leaves_their_thinking_out():
    history = [
        ApiMessage("user", (TextBlock("What is 1+1?"),)),
        ApiMessage(
            "assistant", (ThinkingBlock("hm", "sig"), TextBlock("Let me see."), ToolUseBlock("1", "add", {"a": 1}))
        ),
        ApiMessage("user", (ToolResultBlock("1", "2"), ToolResultBlock("2", "no", is_error=True), TextBlock("Well?"))),
    ]
    assert tools_as_text(history) == [
        history[0],
        ApiMessage("assistant", (TextBlock("Let me see."), TextBlock('[called add with {"a": 1}]'))),
        ApiMessage("user", (TextBlock("[result: 2]"), TextBlock("[error: no]"), TextBlock("Well?"))),
    ]


def test_a_history_without_calls_needs_no_words_for_them():
    history = [
        ApiMessage("user", (TextBlock("q"),)),
        ApiMessage("assistant", (ThinkingBlock("hm", "s"), TextBlock("a"))),
    ]
    assert tools_as_text(history) == history
