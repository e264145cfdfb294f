"""Pieces of one call that came as calls of their own, or after a placeholder: what is not certain does not run."""

from __future__ import annotations

import json
import time

import pytest

from tests.fakes.translated import calls, chat
from tests.loopback.answers import chunk
from tests.unit.test_chat_calls import BERN, part

SPLIT = {
    "a new id with each piece": [
        part(0, "r1", "weather", ""),
        part(0, "r2", "weather", '{"city"'),
        part(0, "r3", "weather", ': "Bern"}'),
    ],
    "a new id with each piece, and one that says nothing at the end": [
        part(0, "r1", "weather", '{"city"'),
        part(0, "r2", "weather", ': "Bern"}'),
        part(0, "r3", "weather", ""),
    ],
    "a new id with each of two pieces": [part(0, "r1", "weather", ""), part(0, "r2", "weather", BERN)],
    "a new id with each piece, a placeholder first": [
        part(0, "r1", "weather", "{}"),
        part(0, "r2", "weather", '{"city": "B'),
        part(0, "r3", "weather", 'ern"}'),
    ],
    "no index, a new id with each piece": [
        part(tool_id="r1", name="weather", arguments=None),
        part(tool_id="r2", name="weather", arguments='{"city":'),
        part(tool_id="r3", name="weather", arguments=' "Bern"} '),
    ],
    "litellm#4537: an empty object first": [
        part(0, "r1", "weather", "{}"),
        part(0, arguments='{"city"'),
        part(0, arguments=': "Bern"}'),
    ],
    "litellm#4537: an empty object first, id and name in each piece": [
        part(0, "r1", "weather", "{}"),
        part(0, "r1", "weather", '{"city"'),
        part(0, "r1", "weather", ': "Bern"}'),
    ],
    "null first": [part(0, "r1", "weather", "null"), part(0, arguments=BERN)],
}


@pytest.mark.parametrize("parts", SPLIT.values(), ids=SPLIT)
def test_a_call_that_came_as_several_runs_once_with_all_of_its_arguments(parts):
    [call] = calls(chat(*(chunk(tool_calls=[part]) for part in parts), chunk("tool_calls")))
    assert (call.tool_name, call.arguments, call.error) == ("weather", {"city": "Bern"}, None)


UNCLEAR = {
    "a new id with each piece, the last one lost": [
        part(0, "r1", "weather", ""),
        part(0, "r2", "weather", '{"city"'),
        part(0, "r3", "weather", ': "Be'),
    ],
    "a new id with each piece, one lost in the middle": [
        part(0, "r1", "weather", ""),
        part(0, "r2", "weather", '{"city'),
        part(0, "r3", "weather", ': "Bern"}'),
    ],
    "two objects that do not end where a piece does": [
        part(0, "r1", "weather", '{"city": "Bern"}{"ci'),
        part(0, "r2", "weather", 'ty": "Oslo"}'),
    ],
    "together a text": [part(0, "r1", "weather", '"Be'), part(0, "r2", "weather", 'rn"')],
    "together one name twice": [part(0, "r1", "weather", '{"city": "Bern"'), part(0, "r2", "weather", ', "city": 1}')],
}


@pytest.mark.parametrize("parts", UNCLEAR.values(), ids=UNCLEAR)
def test_of_pieces_that_make_no_call_together_none_runs(parts):
    found = calls(chat(*(chunk(tool_calls=[part]) for part in parts), chunk("tool_calls")))
    assert found
    assert [call.arguments for call in found] == [None] * len(found)


def test_pieces_with_new_ids_make_as_many_calls_as_there_are_objects():
    pieces = ["", '{"city"', ': "Bern"}', "", '{"city": {"n": 1', "}", "}", ""]
    parts = [part(0, f"r{number}", "weather", piece) for number, piece in enumerate(pieces)]
    found = calls(chat(*(chunk(tool_calls=[part]) for part in parts), chunk("tool_calls")))
    assert [call.arguments for call in found] == [{"city": "Bern"}, {"city": {"n": 1}}]
    assert len({call.tool_id for call in found}) == 2


def test_calls_of_several_tools_without_arguments_all_run():
    parts = [
        part(0, "t1", "clock", ""),
        part(0, "t2", "clock", ""),
        part(0, "t3", "weather", ""),
        part(1, "t4", "clock"),
    ]
    found = calls(chat(*(chunk(tool_calls=[part]) for part in parts), chunk("tool_calls")))
    assert [(call.tool_id, call.arguments) for call in found] == [(it, {}) for it in ("t1", "t2", "t3", "t4")]


def test_of_pieces_that_were_cut_none_runs():
    parts = [part(0, "r1", "weather", ""), part(0, "r2", "weather", '{"city"'), part(0, "r3", "weather", "")]
    found = calls(chat(*(chunk(tool_calls=[part]) for part in parts), chunk("length")))
    assert [call.arguments for call in found] == [None, None]


def test_many_pieces_with_new_ids_are_put_together_at_once():
    raw = json.dumps({"text": "} {" * 20_000})
    pieces = [raw[at : at + 4] for at in range(0, len(raw), 4)]
    parts = [part(0, f"r{number}", "write", piece) for number, piece in enumerate(pieces)]
    started = time.monotonic()
    [call] = calls(chat(*(chunk(tool_calls=[part]) for part in parts), chunk("tool_calls")))
    assert call.arguments == json.loads(raw)
    assert time.monotonic() - started < 5
