from __future__ import annotations

import pytest

from tests.torture.rows import ROWS
from tests.torture.tally import Share

# parts that take a few seconds each; every case is in `scripts/torture --full`
SAMPLES = {
    "R1": 0.015,
    "R2": 0.04,
    "R3": 0.1,
    "R4": 0.2,
    "R5": 1.0,
    "R6": 0.03,
    "R7": 0.07,
    "R8": 0.2,
    "R9": 0.15,
    "R10": 0.4,
    "R11": 1.0,
    "R12": 0.3,
    "R36": 0.05,
}


def test_there_is_a_sample_of_every_row():
    assert list(SAMPLES) == list(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_a_sample_of_every_row_keeps_its_promise(name):
    tally = ROWS[name](Share(SAMPLES[name], seed=11))
    assert tally.holds, "\n".join([tally.line(), *tally.examples])
