from __future__ import annotations

import re

import pytest

from tests.property.inert import SAMPLE, WayOut, acted, report, strings, ways_out

with ways_out() as _ways:
    NAMES = tuple(_ways)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_text_acts_on_a_terminal(name):
    with ways_out() as ways:
        faults = [(pieces, through) for pieces in strings(SAMPLE) if (through := acted(ways[name], pieces))]
    assert faults == []


def test_a_way_out_that_lets_text_through_as_it_came_is_found():
    bare = WayOut("".join)
    found = [bool(acted(bare, pieces)) for pieces in strings(SAMPLE)]
    assert found.count(True) > 0.9 * SAMPLE
    hidden = WayOut(lambda pieces: "a\u202eb")
    assert acted(hidden, []) == "\u202e"


def test_the_strings_are_the_same_each_time_and_are_cut_everywhere():
    assert list(strings(50)) == list(strings(50))
    drawn = list(strings(SAMPLE))
    assert any(piece.endswith("\x1b") for pieces in drawn for piece in pieces[:-1])
    assert any(piece.endswith("\r") for pieces in drawn for piece in pieces[:-1])


def test_the_report_is_a_line_for_each_way_out(capsys):
    assert report(3) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [re.sub(": .*", "", line) for line in lines] == list(NAMES)
    assert {re.sub(".*: ", "", line) for line in lines} == {"0 of 3 strings let something through"}
