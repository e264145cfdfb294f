"""An agent on the provider layer: calls, results and errors go back and forth on all three protocols."""

from __future__ import annotations

import pytest

from mewcode import errors
from tests.fakes.agent import TOOLS, Agent
from tests.fakes.dialects import MESSAGES, RESPONSES, connected, each_dialect
from tests.fakes.sse_server import Reply, serving
from tests.loopback import answers
from tests.loopback.answers import function_call, message_block, message_end, response_end, tool_use
from tests.loopback.rounds import FILES, calling, named, results, run


@each_dialect
def test_an_answer_without_calls_is_the_answer(dialect):
    outcome = run(dialect)
    assert (outcome.said, outcome.ran, len(outcome.bodies)) == ("Done.", [], 1)
    assert len(outcome.bodies[0]["tools"]) == len(TOOLS)


@each_dialect
def test_one_call_after_another_is_run_and_its_result_sent(dialect):
    first, second = ("t1", "read_file", '{"path": "a.txt"}'), ("t2", "add", '{"a": 1, "b": 2.5}')
    outcome = run(dialect, calling(dialect, first), calling(dialect, second))
    assert outcome.said == "Done."
    assert [(call.tool_name, call.arguments) for call in outcome.ran] == [
        ("read_file", {"path": "a.txt"}),
        ("add", {"a": 1, "b": 2.5}),
    ]
    assert [results(dialect, body) for body in outcome.bodies] == [
        [],
        [("t1", "Hello 你好")],
        [("t1", "Hello 你好"), ("t2", "3.5")],
    ]
    assert named(dialect, outcome.bodies[-1]) == [("t1", "read_file"), ("t2", "add")]


@each_dialect
def test_parallel_calls_are_all_run_and_answered_in_their_order(dialect):
    calls = [(f"t{number}", "add", f'{{"a": {number}, "b": 1}}') for number in range(4)]
    outcome = run(dialect, calling(dialect, *calls))
    assert results(dialect, outcome.bodies[1]) == [("t0", "1"), ("t1", "2"), ("t2", "3"), ("t3", "4")]
    assert named(dialect, outcome.bodies[1]) == [(f"t{number}", "add") for number in range(4)]


FAULTS = {
    "a file that is not there": ("read_file", '{"path": "b.txt"}', "There is no file b.txt.", 1),
    "a tool that is not there": ("rm", '{"path": "/"}', "There is no tool rm.", 0),
    "arguments of the wrong shape": ("add", '{"a": "1"}', "The arguments do not fit the tool; nothing was done.", 0),
}


@each_dialect
@pytest.mark.parametrize(("name", "raw", "told", "ran"), FAULTS.values(), ids=FAULTS)
def test_a_call_that_fails_is_answered_with_the_error_and_the_agent_goes_on(dialect, name, raw, told, ran):
    outcome = run(dialect, calling(dialect, ("t1", name, raw)))
    assert outcome.said == "Done."
    assert len(outcome.ran) == ran
    assert results(dialect, outcome.bodies[1]) == [("t1", told)]
    assert named(dialect, outcome.bodies[1]) == [("t1", name)]


@each_dialect
def test_calls_under_one_id_get_a_result_each(dialect):
    outcome = run(dialect, calling(dialect, ("t1", "add", '{"a": 1, "b": 1}'), ("t1", "add", '{"a": 2, "b": 2}')))
    told = results(dialect, outcome.bodies[1])
    assert [content for _, content in told] == ["2", "4"]
    assert [tool_id for tool_id, _ in told] == [tool_id for tool_id, _ in named(dialect, outcome.bodies[1])]
    assert len({tool_id for tool_id, _ in told}) == 2


@each_dialect
def test_an_id_of_an_earlier_answer_does_not_confuse_the_pairs(dialect):  # Bedrock Mantle
    add = '{"a": %d, "b": 0}'
    outcome = run(dialect, calling(dialect, ("t1", "add", add % 1)), calling(dialect, ("t1", "add", add % 2)))
    assert [content for _, content in results(dialect, outcome.bodies[2])] == ["1", "2"]


@each_dialect
@pytest.mark.parametrize("end", ["finish", "cut"])
def test_a_call_whose_stream_breaks_off_is_an_error_and_never_runs(dialect, end):
    begun = Reply(dialect.wire(*answers.CUT_CALL[dialect.protocol][:2]), end=end)
    with serving(begun) as server, connected(dialect.config(server.url)) as client:
        agent = Agent(client, FILES)
        with pytest.raises(errors.LLMError):
            agent.ask("Go on")
        assert agent.ran == []


SEALED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed=="}
THINKING = {"type": "thinking", "thinking": "Hm.", "signature": "sig=="}


def test_thinking_before_a_call_goes_back_with_it_on_messages():
    call = tool_use(1, "t1", "add", '{"a": 1, "b": 2}')
    thinks = MESSAGES.wire(*message_block(0, THINKING), *call, *message_end("tool_use"))
    outcome = run(MESSAGES, Reply(thinks))
    _, thought, told = outcome.bodies[1]["messages"]
    assert thought["content"][0] == THINKING
    assert thought["content"][1]["id"] == "t1"
    assert told["content"][0]["tool_use_id"] == "t1"


def test_reasoning_before_a_call_goes_back_with_it_on_responses():
    done = {"type": "response.output_item.done", "output_index": 0, "item": SEALED}
    call = function_call(1, "t1", "add", '{"a": 1, "b": 2}')
    outcome = run(RESPONSES, Reply(RESPONSES.wire(done, *call, response_end())))
    _, reasoning, called, told = outcome.bodies[1]["input"]
    assert reasoning == SEALED
    assert (called["call_id"], told["call_id"]) == ("t1", "t1")


def test_an_error_is_marked_as_one_where_the_protocol_has_a_mark():
    outcome = run(MESSAGES, calling(MESSAGES, ("t1", "rm", "{}"), ("t2", "add", '{"a": 1, "b": 2}')))
    told = outcome.bodies[1]["messages"][-1]["content"]
    assert [block.get("is_error", False) for block in told] == [True, False]
