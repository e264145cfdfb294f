"""Calls with broken arguments reach an agent as calls that must not run, and the model hears of it."""

from __future__ import annotations

import pytest

from tests.fakes.dialects import each_dialect
from tests.fakes.sse_server import Reply
from tests.loopback import answers
from tests.loopback.rounds import calling, named, results, run

BROKEN = {
    "arguments that were cut": ("add", '{"a": 1, "b'),
    "no object": ("add", "[1, 2]"),
    "NaN": ("add", '{"a": 1, "b": NaN}'),
    "a number that is said twice": ("add", '{"a": 1, "a": 2, "b": 1}'),
    "no name": ("", '{"a": 1, "b": 2}'),
}


@each_dialect
@pytest.mark.parametrize(("name", "raw"), BROKEN.values(), ids=BROKEN)
def test_a_broken_call_is_answered_with_the_error_and_the_agent_goes_on(dialect, name, raw):
    outcome = run(dialect, calling(dialect, ("t1", name, raw)))
    assert (outcome.said, outcome.ran) == ("Done.", [])
    [(answered, said)], [(called, sent)] = results(dialect, outcome.bodies[1]), named(dialect, outcome.bodies[1])
    assert said == "The arguments are no valid JSON; nothing was done."
    assert (answered, sent) == (called, name or "unknown_tool")


@each_dialect
def test_a_broken_call_does_not_keep_the_one_beside_it_from_running(dialect):
    outcome = run(dialect, calling(dialect, ("t1", "add", '{"a": 1'), ("t2", "add", '{"a": 1, "b": 2}')))
    assert [call.tool_id for call in outcome.ran] == ["t2"]
    assert results(dialect, outcome.bodies[1])[1] == ("t2", "3")


@each_dialect
def test_a_call_that_the_token_limit_cut_is_answered_and_never_runs(dialect):
    cut = answers.cut(dialect.protocol, answers.LIMITS[dialect.protocol], '{"a": 1, "b": ')
    outcome = run(dialect, Reply(dialect.wire(*cut)))
    assert (outcome.said, outcome.ran) == ("Done.", [])
    assert len(results(dialect, outcome.bodies[1])) == 1
