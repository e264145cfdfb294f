"""Fields of a type that no server should send: passed over or named, never a crash. Gateways do send them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mewcode import errors
from mewcode.llm.events import (
    StreamEnd,
    TextDelta,
    ThinkingComplete,
    ThinkingDelta,
    ToolCallComplete,
    ToolCallDelta,
    ToolCallStart,
)
from mewcode.llm.messages import ThinkingBlock, Usage
from mewcode.providers._errors import read_fault, to_error
from mewcode.providers._stream import Heard, InStreamError
from tests.fakes.dialects import ALL, CHAT
from tests.fakes.translated import TRANSLATE
from tests.loopback import answers
from tests.loopback.faults import FAULTS

if TYPE_CHECKING:
    from collections.abc import Iterator

ODD: list[Any] = [None, 7, -1, 1e999, True, "x", "", [], [None], [7], {}, {"x": 7}]
TABLES = (answers.CALLS, answers.CUT_CALL, answers.THINKING, answers.REFUSAL, answers.RARE)


def mutants(whole: Any) -> Iterator[Any]:
    """Copies of a value with one place inside it replaced, each in turn."""
    for path in places(whole):
        for odd in ODD:
            yield replaced(whole, path, odd)


def replaced(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    first, *rest = path
    changed = value.copy()
    changed[first] = replaced(value[first], tuple(rest), odd) if rest else odd
    return changed


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in items:
        yield (key,)
        for rest in places(held):
            yield (key, *rest)


def streams(dialect):
    yield from (table[dialect.protocol] for table in TABLES)
    yield [*dialect.opening, dialect.delta("Hi"), *(event for event in dialect.closing if event != "[DONE]")]
    yield from (answers.counted(dialect.protocol, usage) for one, usage, _ in answers.USAGES if one is dialect)
    yield [dialect.failure]


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.protocol)
def test_no_field_of_an_odd_type_crashes_a_reply(dialect):
    for whole in streams(dialect):
        for events in mutants(list(whole)):
            heard = Heard()
            try:
                for event in TRANSLATE[dialect.protocol](heard.listen(events), heard):
                    check(event)
            except InStreamError as failed:
                check_refusal(200, failed.body)


def check(event: Any) -> None:
    """Every field of the event has the type that its class promises."""
    match event:
        case TextDelta(text) | ThinkingDelta(text):
            assert isinstance(text, str)
        case ThinkingComplete(ThinkingBlock(text, signature, data)):
            assert isinstance(text, str)
            assert {type(signature), type(data)} <= {str, type(None)}
        case ToolCallStart(tool_id, text) | ToolCallDelta(tool_id, text):
            assert (type(tool_id), type(text)) == (str, str)
            assert tool_id.strip()
        case ToolCallComplete(tool_id, tool_name, arguments, error):
            assert (type(tool_id), type(tool_name)) == (str, str)
            assert tool_id.strip()
            assert tool_name.strip()
            assert isinstance(arguments, dict) == (error is None)
        case StreamEnd(_, raw, usage):
            assert {type(raw)} <= {str, type(None)}
            assert isinstance(usage, Usage)


def test_no_field_of_an_odd_type_crashes_a_refusal():
    for _, status, body, _ in FAULTS:
        for mutant in mutants([body]):
            check_refusal(status, mutant[0])


def check_refusal(status: int, body: Any) -> None:
    error = to_error(read_fault(status, body, {}), CHAT.config("http://x"), "http://x")
    assert isinstance(error, errors.LLMError)
    assert str(error)
