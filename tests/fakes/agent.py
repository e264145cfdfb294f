"""The smallest agent that can be built on the provider layer, using nothing but what it offers to everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewcode.llm.client import ToolSchema
from mewcode.llm.collect import collect
from mewcode.llm.conversation import Conversation
from mewcode.llm.messages import ToolResultBlock, ToolUseBlock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewcode.llm.client import LLMClient

_ROUNDS = 10
_PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
_NUMBERS = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]}
TOOLS = (ToolSchema("read_file", "Read a file.", _PATH), ToolSchema("add", "Add two numbers.", _NUMBERS))


class ToolError(Exception):
    """What the model is told instead of a result."""


class Agent:
    """Answers a question with the help of its tools. `ran` are the calls that were carried out."""

    def __init__(self, client: LLMClient, files: Mapping[str, str]) -> None:
        self._client = client
        self._files = files
        self.conversation = Conversation()
        self.ran: list[ToolUseBlock] = []

    def ask(self, question: str) -> str:
        self.conversation.add("user", question)
        for _ in range(_ROUNDS):
            message, _usage = collect(self._client.stream(self.conversation, TOOLS))
            self.conversation.add("assistant", message.blocks, origin=self._client.origin)
            calls = [block for block in message.blocks if isinstance(block, ToolUseBlock)]
            if not calls:
                return message.text
            self.conversation.add("tool", [self._answer(call) for call in calls])
        raise AssertionError(f"no answer after {_ROUNDS} rounds")

    def _answer(self, call: ToolUseBlock) -> ToolResultBlock:
        try:
            return ToolResultBlock(call.tool_id, self._run(call))
        except ToolError as error:
            return ToolResultBlock(call.tool_id, str(error), is_error=True)

    def _run(self, call: ToolUseBlock) -> str:
        match call.tool_name, call.arguments:
            case _, None:
                raise ToolError("The arguments are no valid JSON; nothing was done.")
            case "read_file", {"path": str(path)}:
                self.ran.append(call)
                if path not in self._files:
                    raise ToolError(f"There is no file {path}.")
                return self._files[path]
            case "add", {"a": int() | float() as a, "b": int() | float() as b}:
                self.ran.append(call)
                return str(a + b)
            case "read_file" | "add", _:
                raise ToolError("The arguments do not fit the tool; nothing was done.")
        raise ToolError(f"There is no tool {call.tool_name}.")
