"""Arguments of tool calls: whole and sound, or the call does not run. The same on all three protocols."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewcode.errors import ToolArgumentsError
from mewcode.llm.events import StreamEnd
from mewcode.providers._calls import CallIds, complete_call
from tests.fakes.dialects import each_dialect
from tests.fakes.translated import calls, translated
from tests.loopback import answers
from tests.loopback.answers import chunk, function_call, message_end, piece, response_end, tool_use

BROKEN = {
    "cut in a text": ('{"city": "Be', "Unterminated string"),
    "cut in a name": ('{"ci', "Unterminated string"),
    "cut before the end": ('{"city": "Bern"', "delimiter"),
    "two objects": ('{"a": 1}{"b": 2}', "Extra data"),
    "no JSON": ("city=Bern", "Expecting value"),
    "single quotes": ("{'city': 'Bern'}", "Expecting property name"),
    "a raw line end in a text": ('{"a": "b\nc"}', "Invalid control character"),
    "a list": ("[1]", "not an object"),
    "a text": ('"Bern"', "not an object"),
    "a number": ("7", "not an object"),
    "NaN": ('{"a": NaN}', "NaN in them is no JSON"),
    "Infinity": ('{"a": [Infinity]}', "Infinity in them is no JSON"),
    "-Infinity": ('{"a": {"b": -Infinity}}', "-Infinity in them is no JSON"),
    "a number beyond all numbers": ('{"a": 1e999}', "too large"),
    "a number of 5,000 digits": ('{"a": ' + "9" * 5000 + "}", "too long"),
    "one name twice": ('{"path": "a", "path": "b"}', "comes twice"),
    "one name twice, deeper": ('{"a": [{"b": 1, "b": 1}]}', "comes twice"),
    "too deep for a parser": ('{"a": ' + "[" * 100_000, "nested too deeply"),
    "too deep for anybody": ('{"a": ' * 200 + "1" + "}" * 200, "nested too deeply"),
    "too many lists": ('{"a": ' + "[" * 200 + "]" * 200 + "}", "nested too deeply"),
}


@each_dialect
@pytest.mark.parametrize(("raw", "reason"), BROKEN.values(), ids=BROKEN)
def test_broken_arguments_are_none_and_say_why(dialect, raw, reason):
    [call] = calls(translated(dialect.protocol, *answers.call(dialect.protocol, raw)))
    assert call.arguments is None
    assert isinstance(call.error, ToolArgumentsError)
    assert call.error.raw == raw
    assert reason in call.error.reason


SOUND = {
    "nothing": ("", {}),
    "blanks": (" \n", {}),
    "null": ("null", {}),
    "an empty object": ("{}", {}),
    "blanks around it": (' {"a": 1}\n', {"a": 1}),
    "other scripts": ('{"城市": "伯尔尼 🐻"}', {"城市": "伯尔尼 🐻"}),
    "a pair of surrogates": ('{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
    "half a pair": ('{"a": ["x\\ud83d", {"\\ude00": "\\ud83d"}]}', {"a": ["x\ufffd", {"\ufffd": "\ufffd"}]}),
    "every type": (
        '{"a": null, "b": true, "c": -1.5e3, "d": [], "e": {}, "f": 9007199254740993}',
        {"a": None, "b": True, "c": -1500.0, "d": [], "e": {}, "f": 9007199254740993},
    ),
    "NaN in a text": ('{"NaN": "NaN"}', {"NaN": "NaN"}),
    "one name in two objects": ('{"a": {"x": 1}, "b": {"x": 2}}', {"a": {"x": 1}, "b": {"x": 2}}),
    "as deep as any tool asks": ('{"a": ' * 50 + "1" + "}" * 50, json.loads('{"a": ' * 50 + "1" + "}" * 50)),
}


@each_dialect
@pytest.mark.parametrize(("raw", "arguments"), SOUND.values(), ids=SOUND)
def test_sound_arguments_come_as_they_were_sent(dialect, raw, arguments):
    [call] = calls(translated(dialect.protocol, *answers.call(dialect.protocol, raw)))
    assert (call.arguments, call.error) == (arguments, None)
    json.dumps(call.arguments, ensure_ascii=False, allow_nan=False).encode()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), _JSON, max_size=4), st.data())
def test_whatever_is_an_object_comes_whole_and_no_beginning_of_it_does(arguments, data):
    raw = json.dumps(arguments)
    assert complete_call("t1", "f", raw).arguments == arguments
    beginning = raw[: data.draw(st.integers(0, len(raw) - 1))]
    assert complete_call("t1", "f", beginning, cut=True).arguments is None


@pytest.mark.parametrize("raw", ["", " ", '{"path": "a", "tex', '{"path": "/"'])
@pytest.mark.parametrize(("dialect", "why"), answers.CUTS)
def test_a_call_that_was_cut_never_runs(dialect, why, raw):
    [call] = calls(translated(dialect.protocol, *answers.cut(dialect.protocol, why, raw)))
    assert (call.tool_id, call.tool_name, call.arguments) == ("t1", "weather", None)
    assert call.error is not None
    assert call.error.reason == "they were cut off"
    assert call.error.raw == raw


@each_dialect
def test_a_stream_that_broke_off_has_no_end_and_no_call_that_was_not_finished(dialect):
    whole = answers.call(dialect.protocol, '{"path": "a"}')
    for stop in range(len(whole)):
        events = translated(dialect.protocol, *whole[:stop], done=False)
        assert not any(isinstance(event, StreamEnd) for event in events)
        finished = [event for event in whole[:stop] if event.get("type") == "response.output_item.done"]
        assert len(calls(events)) == len(finished)


@each_dialect
def test_a_call_without_a_name_cannot_run(dialect):
    nameless = {
        "anthropic": [*tool_use(0, "t1", "", "{}"), *message_end("tool_use")],
        "openai": [*function_call(0, "t1", "", "{}"), response_end()],
        "openai-compat": [piece(0, "{}", "t1", ""), chunk("tool_calls")],
    }
    [call] = calls(translated(dialect.protocol, *nameless[dialect.protocol]))
    assert (call.tool_id, call.tool_name, call.arguments) == ("t1", "unknown_tool", None)
    assert call.error is not None
    assert call.error.reason == "the call names no tool"


@each_dialect
@pytest.mark.parametrize(("first", "second"), [("t1", "t1"), ("", ""), ("t1", ""), (" ", "t1")])
def test_two_calls_never_have_one_id(dialect, first, second):
    both = {
        "anthropic": [
            *tool_use(0, first, "f", '{"n": 1}'),
            *tool_use(1, second, "f", '{"n": 2}'),
            *message_end("tool_use"),
        ],
        "openai": [
            *function_call(0, first, "f", '{"n": 1}'),
            *function_call(1, second, "f", '{"n": 2}'),
            response_end(),
        ],
        "openai-compat": [piece(0, '{"n": 1}', first, "f"), piece(1, '{"n": 2}', second, "f"), chunk("tool_calls")],
    }
    found = calls(translated(dialect.protocol, *both[dialect.protocol]))
    assert [call.arguments for call in found] == [{"n": 1}, {"n": 2}]
    ids = [call.tool_id for call in found]
    assert len(set(ids)) == 2
    assert all(tool_id.strip() for tool_id in ids)
    assert {given for given in (first, second) if given.strip()} <= set(ids)


def test_an_id_that_is_made_up_is_one_that_every_service_takes():
    made = CallIds().take("")
    assert made.replace("_", "").isalnum()
    assert made.isascii()
    assert len(made) <= 64


UNFINISHED = {
    "anthropic": [*tool_use(0, "t1", "weather", "")[:-1], *message_end("max_tokens")],
    "openai": [
        *function_call(0, "t1", "weather", "")[:-1],
        response_end("incomplete", incomplete_details={"reason": "max_output_tokens"}),
    ],
    "openai-compat": [piece(0, "", "t1", "weather"), chunk("length")],
}


@each_dialect
def test_a_call_without_arguments_that_no_event_finished_was_cut(dialect):
    [call] = calls(translated(dialect.protocol, *UNFINISHED[dialect.protocol]))
    assert (call.tool_name, call.arguments) == ("weather", None)
