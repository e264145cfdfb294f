from __future__ import annotations

import io

import pytest

from mewcode.errors import LLMError, NetworkError
from mewcode.llm.events import StreamEnd, StreamError, TextDelta
from tests.torture.outcome import Outcome
from tests.torture.report import main, report
from tests.torture.tally import FULL, Share, Tally


def found(*events, row="R0"):
    tally = Tally(row, "a row", ("lost text",))
    tally.run("a case", Outcome(events, 0.1))
    return tally


def test_a_row_without_a_fault_holds():
    tally = found(TextDelta("a"), StreamEnd("end"))
    assert tally.holds
    promise = "0 crashes, 0 hangs, 0 no sentence, 0 lost text (promised: 0 of each): holds"
    assert tally.line() == f"R0  a row: 1 runs, {promise}"


def test_a_row_that_nothing_was_tried_of_does_not_hold():
    assert not Tally("R0", "a row", ()).holds


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        ([TextDelta("a")], "hangs"),
        ([StreamEnd("end"), TextDelta("a")], "crashes"),
        ([StreamEnd("end"), StreamEnd("end")], "crashes"),
        ([StreamError(LLMError("internal error (KeyError); the log has the details"))], "crashes"),
        ([TextDelta("\ud83d"), StreamEnd("end")], "crashes"),
        ([StreamError(NetworkError("one\ntwo\nthree\nfour"))], "no sentence"),
        ([StreamError(NetworkError("here: it ended.."))], "no sentence"),
    ],
)
def test_what_is_wrong_in_any_turn_is_counted(events, kind):
    tally = found(*events)
    assert {name for name, count in tally.faults.items() if count} == {kind}
    assert not tally.holds
    assert "DOES NOT HOLD" in tally.line()


def test_a_sample_is_the_same_each_time_and_keeps_the_order():
    cases = list(range(1000))
    some = Share(0.05).of(cases)
    assert some == Share(0.05).of(cases) == sorted(some)
    assert len(some) == 50
    assert some != Share(0.05, seed=2).of(cases)
    assert Share(0.001).of(cases[:3]) != []
    assert FULL.of(cases) == cases


def test_the_report_has_a_line_a_row_and_its_code_tells_whether_all_hold():
    rows = {"R0": lambda share: found(StreamEnd("end")), "R00": lambda share: found(TextDelta("a"), row="R00")}
    out = io.StringIO()
    assert report(["R0"], rows, FULL, out) == 0
    assert report(["R0", "R00"], rows, FULL, out) == 1
    first, second, third, example = out.getvalue().splitlines()
    assert first == second
    assert third.startswith("R00 a row: 1 runs, 0 crashes, 1 hangs")
    assert "a case" in example


def test_a_row_that_there_is_not_is_wrong_usage(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["R99"])
    assert ended.value.code == 2
    assert "R99" in capsys.readouterr().err
