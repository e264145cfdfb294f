from __future__ import annotations

import pytest

from tests.property.drawn import WAYS
from tests.property.escapes import SAMPLE, strangers, written_by


@pytest.mark.parametrize("way", WAYS)
def test_nothing_reaches_a_terminal_that_the_program_did_not_make_itself(way):
    written = written_by(way, SAMPLE, seed=57)
    assert len(written) > 40 * SAMPLE
    assert strangers(way, written) == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "payload",
    [
        *("\x1b[2J", "\x1b[H", "\x1b[31m", "\x1b[6n", "\x1b[?1003h", "\x1b[3J", "\x1b[5;9r", "\x1bc", "\x1b]0;x\x07"),
        *("\x1b]52;c;eA==\x1b\\", "\x1bP$qm\x1b\\", "\x1b_x\x1b\\", "\x9b2J", "\x07", "\x08", "\x7f", "\x05", "\u202e"),
        *("\u200b", "\x1b", "\x1b[", "\x1b[?2026h", "\x1b[38;5;1m", "\x1b[0;31m"),
    ],
)
def test_what_is_not_ours_is_found(way, payload):
    assert strangers(way, f"before{payload}after".encode()) == [f"before{payload}after"]


def test_what_is_ours_is_not():
    frame = b"\x1b[?25l\x1b[0;39;49m\x1b[H\x1b[1;1Ha\xc3\xa9\xe2\x90\x9b[2J\x1b[K\x1b[0;38;5;30;1;49mb"
    assert strangers("screen", frame) == []
