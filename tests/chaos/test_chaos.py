"""Faults as others imagine them, and their verdict on how we cope: llmock grades the client's requests.

What it wants after text was shown, the same request once more, is what we never do: there our own rule is tested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mewcode import errors
from mewcode.llm.client import ProviderConfig, ToolSchema
from mewcode.llm.conversation import Conversation
from mewcode.llm.events import Retrying, StreamEnd, StreamError, TextDelta, ToolCallComplete
from mewcode.llm.registry import create_client
from mewcode.secret import Secret
from mewcode.session import Session
from tests.fakes.agent import Agent
from tests.fakes.dialects import CHAT, each_dialect
from tests.fakes.scripted import PATIENCE, Wakes
from tests.fakes.sse_server import json_error, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from llmock.pytest_plugin import LLMock

    from mewcode.llm.client import LLMClient
    from mewcode.llm.events import Event

REPLY = "one two three four five six seven eight nine ten"
IDLE = 0.5  # seconds
ADD = ToolSchema("add", "adds", {"type": "object", "properties": {"a": {"type": "integer"}}})
BEFORE_TEXT: dict[str, Callable[[LLMock], Any]] = {
    "429 with Retry-After": lambda llmock: llmock.rate_limit(times=2, retry_after=0.2),
    "503": lambda llmock: llmock.fail(503, times=2, retry_after=0.1),
    "500": lambda llmock: llmock.fail(500, times=1),
    "disconnect": lambda llmock: llmock.disconnect(after_chunks=1),
    "truncate": lambda llmock: llmock.truncate(after_chunks=1),
    "corrupt": lambda llmock: llmock.corrupt(after_chunks=1),
    "stall": lambda llmock: llmock.stall(after_chunks=1, seconds=3.0),
    "slow first token": lambda llmock: llmock.slow_first_token(3.0),
}
AFTER_TEXT: dict[str, Callable[[LLMock, int], Any]] = {
    "disconnect": lambda llmock, chunks: llmock.disconnect(after_chunks=chunks),
    "truncate": lambda llmock, chunks: llmock.truncate(after_chunks=chunks),
    "corrupt": lambda llmock, chunks: llmock.corrupt(after_chunks=chunks),
    "stall": lambda llmock, chunks: llmock.stall(after_chunks=chunks, seconds=3.0),
}


def client_of(llmock: LLMock, protocol: str, max_retries: int = 3) -> LLMClient:
    base_url = llmock.base_url("anthropic" if protocol == "anthropic" else "openai")
    return create_client(
        ProviderConfig(
            "chaos", protocol, "gpt-4o", Secret("llmock-test-key"), base_url=base_url, idle_timeout=IDLE,
            max_retries=max_retries,
        ),
        "Be brief.",
    )  # fmt: skip


def answered(client: LLMClient, *tools: ToolSchema) -> list[Event]:
    conversation = Conversation()
    conversation.add("user", "Hello")
    try:
        return list(client.stream(conversation, tools))
    finally:
        client.close()


def text(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@each_dialect
@pytest.mark.parametrize("fault", BEFORE_TEXT)
def test_a_fault_before_any_text_is_overcome(faults, dialect, fault):
    faults.reply(REPLY, times=None)
    BEFORE_TEXT[fault](faults)
    events = answered(client_of(faults, dialect.protocol))
    assert text(events) == REPLY
    assert isinstance(events[-1], StreamEnd)
    assert any(isinstance(event, Retrying) for event in events)
    faults.assert_resilient(strict=True)


@each_dialect
def test_a_rate_limit_that_names_no_time_is_overcome_by_backing_off(dialect):
    busy = json_error(429, {"error": {"type": "rate_limit_error", "message": "Slow down."}})
    with serving(busy, busy, dialect.answer("Hello")) as server:
        client = create_client(dialect.config(server.url, max_retries=3), "Be brief.")
        events = answered(client)
    waits = [event.delay for event in events if isinstance(event, Retrying)]
    assert len(waits) == 2
    assert 0.4 <= waits[0] <= 0.6 < 0.8 <= waits[1] <= 1.2
    assert text(events) == "Hello"


@each_dialect
def test_an_outage_ends_after_the_attempts_there_are(faults, dialect):
    faults.fail(503, times=None, retry_after=0.1)
    events = answered(client_of(faults, dialect.protocol, max_retries=2))
    assert isinstance(events[-1], StreamError)
    assert type(events[-1].error) in (errors.ServerError, errors.Overloaded)
    assert len(faults.requests) == 3
    faults.assert_resilient(strict=True)


@each_dialect
def test_a_context_that_overflows_is_never_sent_again(faults, dialect):
    faults.context_overflow(times=None)
    events = answered(client_of(faults, dialect.protocol))
    assert isinstance(events[-1], StreamError)
    assert type(events[-1].error) is errors.ContextTooLong
    assert len(faults.requests) == 1
    faults.assert_resilient(strict=True)


@each_dialect
@pytest.mark.parametrize("fault", AFTER_TEXT)
def test_a_fault_after_text_keeps_it_asks_once_and_is_cleared_by_a_retry(faults, dialect, fault):
    faults.reply(REPLY, times=None)
    AFTER_TEXT[fault](faults, 4 if dialect is CHAT else 7)
    wakes = Wakes()
    session = Session(client_of(faults, dialect.protocol), wakes)
    answer = session.ask("Hello")
    follow(session, wakes)
    kept, error = session.answer().text, session.failure(answer)
    assert isinstance(error, errors.StreamInterrupted)
    assert error.partial == kept
    assert REPLY.startswith(kept)
    assert kept
    assert session.answer().status == "interrupted"
    assert len(faults.requests) == 1
    session.retry()
    follow(session, wakes)
    assert (session.answer().text, session.answer().status) == (REPLY, "complete")
    assert len(faults.requests) == 2
    session.close(PATIENCE)


def follow(session: Session, wakes: Wakes) -> None:
    """Apply the running answer to its end."""
    seen = 0
    while session.running:
        assert wakes.wait_for(seen + 1)
        seen = wakes.count
        session.pump()


@each_dialect
def test_arguments_that_are_no_json_are_named_and_nothing_runs(faults, dialect):
    faults.call_tool("add", {"a": 1})
    faults.break_tool_call("malformed_arguments")
    events = answered(client_of(faults, dialect.protocol), ADD)
    [call] = [event for event in events if isinstance(event, ToolCallComplete)]
    assert call.arguments is None
    assert isinstance(call.error, errors.ToolArgumentsError)
    assert len(faults.requests) == 1


@each_dialect
def test_a_tool_that_was_not_offered_is_passed_on_by_its_name(faults, dialect):
    faults.call_tool("add", {"a": 1})
    faults.break_tool_call("unknown_tool")
    events = answered(client_of(faults, dialect.protocol), ADD)
    [call] = [event for event in events if isinstance(event, ToolCallComplete)]
    assert call.tool_name != "add"
    assert len(faults.requests) == 1


@each_dialect
def test_an_agent_comes_to_its_end_through_faults(faults, dialect):
    faults.tool_mode("off")
    faults.call_tool("add", {"a": 1, "b": 2}, times=3)  # two of the streams that call it break
    faults.call_tool("read_file", {"path": "a.txt"}).reply(REPLY, times=None)
    faults.rate_limit(retry_after=0.1).disconnect(after_chunks=1).fail(503, retry_after=0.1).truncate(after_chunks=1)
    client = client_of(faults, dialect.protocol, max_retries=5)
    agent = Agent(client, {"a.txt": "What is in a."})
    try:
        assert agent.ask("Add, and read.") == REPLY
    finally:
        client.close()
    assert [call.tool_name for call in agent.ran] == ["add", "read_file"]
    assert len(faults.requests) == 7
    faults.assert_resilient(strict=True)
