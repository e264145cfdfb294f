"""The smallest agent at a server that refuses whatever the vendors refuse: to the end, and nothing refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mewcode.llm.registry import create_client
from tests.fakes.agent import Agent
from tests.fakes.dialects import CHAT, MESSAGES, RESPONSES, each_dialect
from tests.fakes.strict_memory import Options
from tests.fakes.strict_plans import Answer, Call, Redacted, Said, Status, Thought
from tests.fakes.strict_server import strict

MODELS = {MESSAGES.protocol: "claude-opus-4-8", RESPONSES.protocol: "gpt-5", CHAT.protocol: "tiny"}
READ, ADD = Call("read_file", '{"path": "a.txt"}'), Call("add", '{"a": 1, "b": 2}')
DONE = Answer((Said("Done."),))


def agent_at(server, dialect, **settings):
    config = replace(dialect.config(server.url, MODELS[dialect.protocol]), prompt_cache=True, **settings)
    client = create_client(config, "Use the tools.")
    return client, Agent(client, {"a.txt": "What is in a."})


@each_dialect
@pytest.mark.parametrize("thinking", [None, True])
def test_an_agent_runs_its_tools_to_the_end_and_asks_on(dialect, thinking):
    rounds = [
        Answer((Thought("First the file."), Said("I look."), READ)),
        Answer((Thought("Then both."), Redacted(), READ, ADD)),
        DONE,
    ]
    with strict(*rounds, *rounds) as server:
        client, agent = agent_at(server, dialect, thinking=thinking)
        assert [agent.ask("q1"), agent.ask("q2")] == ["Done.", "Done."]
        client.close()
    assert server.refused == []
    assert [call.tool_name for call in agent.ran] == ["read_file", "read_file", "add"] * 2


@each_dialect
def test_a_tool_that_fails_or_is_not_there_is_told_to_the_model(dialect):
    calls = (Call("read_file", '{"path": "nowhere"}'), Call("fly", "{}"), Call("add", '{"a": "x"}'))
    with strict(Answer(calls), DONE) as server:
        client, agent = agent_at(server, dialect)
        assert agent.ask("q") == "Done."
        client.close()
    assert server.refused == []
    assert [call.tool_name for call in agent.ran] == ["read_file"]


@each_dialect
def test_a_server_that_is_busy_in_the_middle_is_waited_for(dialect):
    with strict(Answer((Thought("Hm."), READ)), Status(529, "busy", retry_after="0.05"), DONE) as server:
        client, agent = agent_at(server, dialect, max_retries=2)
        assert agent.ask("q") == "Done."
        client.close()
    assert server.refused == []
    assert len(server.accepted) == 3


def test_a_server_that_wants_the_reasoning_back_beside_the_calls_gets_it_from_the_second_request_on():
    rounds = [Answer((Thought("Hm."), READ)), Answer((Thought("So."), ADD)), DONE]
    with strict(*rounds, options=Options(wants_reasoning_content=True)) as server:
        client, agent = agent_at(server, CHAT)
        assert agent.ask("q") == "Done."
        client.close()
    assert len(server.refused) == 1
    assert "reasoning_content" in server.refused[0]
