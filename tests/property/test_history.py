from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from mewcode.llm.history import to_api
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
from mewcode.llm.pairing import OPENING, pair_tools

ORIGINS = [Origin("a", "", "m"), Origin("a", "", "n"), Origin("b", "http://h", "m")]
TEXTS = ("", " ", "\n", "\u3000\t", "a", "b c", " d\n", "\n\ne")
IDS = ("t1", "t2", "t3")
# drawn from lists, not built: an order of magnitude faster
BLOCKS = st.sampled_from(
    [
        *(TextBlock(text) for text in TEXTS),
        *(ThinkingBlock(text, sign) for text in ("", "hm", "so") for sign in (None, "sig")),
        *(ToolUseBlock(tool_id, "tool", {}) for tool_id in IDS),
        *(ToolResultBlock(tool_id, text, failed) for tool_id in IDS for text, failed in (("1", False), ("2", True))),
    ]
)
# beside blocks drawn freely, what stands in a conversation with tools
USUAL = st.sampled_from(
    [
        ("assistant", (TextBlock("x"), ToolUseBlock("t1", "tool", {}), ToolUseBlock("t2", "tool", {}))),
        ("tool", (ToolResultBlock("t1", "1"),)),
        ("tool", (ToolResultBlock("t2", "2"),)),
        ("user", (TextBlock("y"),)),
    ]
)
FREE = st.tuples(st.sampled_from(["user", "assistant", "system", "tool"]), st.lists(BLOCKS, max_size=4).map(tuple))
STATUSES = st.sampled_from(["complete", "complete", "complete", "streaming", "cancelled", "interrupted", "error"])


def message(said_by, status, origin):
    role, blocks = said_by
    written = Message(new_id(), role, blocks, status)
    if role != "assistant":
        return written
    return replace(written, provider=origin.provider, base_url=origin.base_url, model=origin.model)


HISTORIES = st.lists(st.builds(message, USUAL | FREE, STATUSES, st.sampled_from(ORIGINS)), max_size=8)
API = st.builds(ApiMessage, st.sampled_from(["user", "assistant"]), st.lists(BLOCKS, min_size=1, max_size=4).map(tuple))


def of(kind, message):
    return [block for block in message.blocks if isinstance(block, kind)]


def ids(blocks):
    return [block.tool_id for block in blocks]


def said(blocks):
    """The words of the text blocks, in order, whatever stands between the texts."""
    return "".join("".join(block.text.split()) for block in blocks if isinstance(block, TextBlock))


@given(HISTORIES)
@settings(max_examples=200, deadline=None)
def test_roles_alternate_from_the_user_on_and_every_message_says_something(history):
    sent = to_api(history)
    assert [message.role for message in sent] == ["user", "assistant"] * (len(sent) // 2) + ["user"] * (len(sent) % 2)
    for message in sent:
        assert any(not isinstance(block, ThinkingBlock) for block in message.blocks)
        assert all(block.text.strip() for block in of(TextBlock, message))


@given(HISTORIES)
@settings(max_examples=200, deadline=None)
def test_each_call_is_answered_by_the_next_message_and_each_result_was_called_for(history):
    sent = to_api(history)
    for message, following in pairwise([*sent, ApiMessage("user", ())]):
        calls = ids(of(ToolUseBlock, message))
        assert len(set(calls)) == len(calls)
        if message.role == "assistant":
            assert not of(ToolResultBlock, message)
            assert ids(of(ToolResultBlock, following)) == calls
            assert all(isinstance(block, ToolResultBlock) for block in following.blocks[: len(calls)])
        else:
            assert not calls
            assert not of(ThinkingBlock, message)
    assert not sent or not of(ToolResultBlock, sent[0])


@given(HISTORIES)
@settings(max_examples=200, deadline=None)
def test_no_word_of_a_complete_message_is_lost_or_moved(history):
    kept = [m for m in history if m.role != "system" and m.status in ("complete", "cancelled", "interrupted")]
    sent = to_api(history)
    opened = sent[:1] == [ApiMessage("user", (TextBlock(OPENING),))]
    for role in ("user", "assistant"):
        before = [b for m in kept if (m.role == "assistant") == (role == "assistant") for b in m.blocks]
        after = [b for m in sent[1 if opened else 0 :] if m.role == role for b in m.blocks]
        assert said(after) == said(before)


@given(HISTORIES)
@settings(max_examples=200, deadline=None)
def test_thinking_goes_back_only_under_the_origin_that_thought_it(history):
    thought: dict[Origin | None, list[ThinkingBlock]] = {}
    for message in history:
        for block in message.blocks:
            if isinstance(block, ThinkingBlock) and message.role == "assistant":
                thought.setdefault(message.origin, []).append(block)
    for message in to_api(history):
        assert all(block in thought.get(message.origin, []) for block in of(ThinkingBlock, message))


@given(HISTORIES)
@settings(max_examples=200, deadline=None)
def test_pairing_what_is_paired_changes_nothing(history):
    sent = to_api(history)
    assert pair_tools(sent) == sent


@given(st.lists(API, max_size=8))
@settings(max_examples=200, deadline=None)
def test_pairing_is_idempotent_for_any_messages(history):
    once = pair_tools(history)
    assert pair_tools(once) == once
