"""Turns of an agent with one tool, and what was sent in them."""

from __future__ import annotations

from typing import Any

from mewcode.llm.client import ToolSchema
from mewcode.llm.collect import collect
from mewcode.llm.messages import ToolResultBlock, ToolUseBlock
from tests.fakes.dialects import conversation

LOOK = ToolSchema("look", "Looks", {"type": "object", "properties": {}})


def answers(body):
    return [message for message in body["messages"] if message["role"] == "assistant"]


def called(*call_ids, text=None):
    """Hello, calls by nobody, and their results; then the user may say something."""
    spoken = conversation("Hello")
    spoken.add("assistant", [ToolUseBlock(it, "look", {}) for it in call_ids])
    spoken.add("tool", [ToolResultBlock(it, f"seen by {it}") for it in call_ids])
    if text:
        spoken.add("user", text)
    return spoken


def turn(client, spoken, origin=None):
    """One turn, whose answer is added."""
    message, _ = collect(client.stream(spoken, [LOOK]))
    spoken.add("assistant", message.blocks, origin=origin)
    return message


def bodies(server) -> list[Any]:
    return [heard.json for heard in server.heard]
