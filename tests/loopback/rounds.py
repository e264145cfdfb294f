"""Rounds of an agent with a scripted server: answers that call tools, and what the next request tells of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.fakes.agent import Agent
from tests.fakes.dialects import connected
from tests.fakes.sse_server import Reply, serving
from tests.loopback.answers import chunk, function_call, message_end, piece, response_end, tool_use

if TYPE_CHECKING:
    from mewcode.llm.messages import ToolUseBlock

FILES = {"a.txt": "Hello 你好"}


@dataclass(frozen=True, slots=True)
class Outcome:
    said: str
    ran: list[ToolUseBlock]
    bodies: list[Any]  # of the requests


def calling(dialect, *calls):
    """An answer that asks for these calls, each (id, name, arguments' JSON)."""
    match dialect.protocol:
        case "anthropic":
            blocks = [event for place, call in enumerate(calls) for event in tool_use(place, *call)]
            return Reply(dialect.wire(*blocks, *message_end("tool_use")))
        case "openai":
            items = [event for place, call in enumerate(calls) for event in function_call(place, *call)]
            return Reply(dialect.wire(*items, response_end()))
    pieces = [piece(place, raw, tool_id, name) for place, (tool_id, name, raw) in enumerate(calls)]
    return Reply(dialect.wire(*pieces, chunk("tool_calls"), "[DONE]"))


def run(dialect, *replies):
    with serving(*replies, dialect.answer("Done.")) as server, connected(dialect.config(server.url)) as client:
        agent = Agent(client, FILES)
        said = agent.ask("Go on")
        return Outcome(said, agent.ran, [server.requests.get_nowait().json for _ in range(server.requests.qsize())])


def results(dialect, body):
    """(id, content) of each result in a request, in order."""
    match dialect.protocol:
        case "anthropic":
            blocks = [block for message in body["messages"] for block in message["content"]]
            return [(block["tool_use_id"], block["content"]) for block in blocks if block["type"] == "tool_result"]
        case "openai":
            items = [item for item in body["input"] if item["type"] == "function_call_output"]
            return [(item["call_id"], item["output"].removeprefix("Error: ")) for item in items]
    told = [told for told in body["messages"] if told["role"] == "tool"]
    return [(result["tool_call_id"], result["content"].removeprefix("Error: ")) for result in told]


def named(dialect, body):
    """(id, name) of each call in a request, in order."""
    match dialect.protocol:
        case "anthropic":
            blocks = [block for message in body["messages"] for block in message["content"]]
            return [(block["id"], block["name"]) for block in blocks if block["type"] == "tool_use"]
        case "openai":
            return [(item["call_id"], item["name"]) for item in body["input"] if item["type"] == "function_call"]
    calls = [call for told in body["messages"] for call in told.get("tool_calls", [])]
    return [(call["id"], call["function"]["name"]) for call in calls]
