from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urwid.testing import render_text

from mewcode.desk import model_label
from mewcode.errors import Overloaded
from mewcode.llm.events import Retrying
from mewcode.tui.status import StatusBar, activity, reason


def bar(provider: str = "claude", model: str = "opus", note: str = "", away: bool = False, width: int = 40) -> str:
    status = StatusBar()
    status.show(provider, model)
    status.note(note)
    status.away(3 if away else None)
    (row,) = render_text(status, (width,))
    return row


def test_provider_is_left_and_model_right():
    assert bar() == "claude" + " " * 30 + "opus"


def test_a_note_stands_between_them():
    assert bar(note="working") == "claude           working            opus"


def test_a_note_takes_the_models_place_where_room_is_short():
    assert bar(note="Ctrl+C again quits", width=26) == "claude  Ctrl+C again quits"
    assert bar(note="Ctrl+C again quits", width=20) == "Ctrl+C again quits  "


def test_away_from_the_end_it_says_how_to_get_back_unless_there_is_a_note():
    assert "3 new lines ↓ End" in bar(away=True)
    assert "↓ End" in bar(model="a-model-with-a-long-name", away=True, width=30)
    assert "↓ End" not in bar(note="working", away=True)


def test_names_that_do_not_fit_are_cut_at_the_right():
    assert bar("provider-a", "model-b", width=14) == "provider-a mo…"


def test_wide_names_are_measured_in_columns():
    assert bar("家猫", "模型", width=12) == "家猫    模型"


def test_names_of_others_cannot_act_on_the_terminal():
    assert "\x1b" not in bar("a\x1b[2J", "b\nc\u202e")


@given(st.text(max_size=50), st.text(max_size=50), st.text(max_size=30), st.booleans(), st.integers(1, 120))
def test_it_is_one_row_whatever_it_shows(provider, model, note, away, width):
    assert bar(provider, model, note, away, width) is not None


@pytest.mark.parametrize(
    ("model", "shown"),
    [("claude-opus-5", "claude-opus-5"), ("/models/a.b.gguf", "a.b"), ("vendor/model:free", "vendor/model:free")],
)
def test_the_model_of_a_file_is_its_stem(model, shown):
    assert model_label(model) == shown


class Doing:
    """What of a session says what its answer does."""

    def __init__(self, phase, elapsed, *, connecting=False, silence=0.0, retry=None, retry_in=0.0):
        self.phase, self.elapsed, self.connecting, self.silence = phase, elapsed, connecting, silence
        self.retry_note, self.retry_in = retry, retry_in


RETRYING = Retrying(2, 10, 14.0, Overloaded("nobody is free"))


@pytest.mark.parametrize(
    ("doing", "words"),
    [
        (Doing("waiting", 0.2, connecting=True), "Imagining… (0s) · connecting"),
        (Doing("waiting", 3.0, silence=3.0), "Imagining… (3s) · waiting"),
        (Doing("waiting", 12.9, silence=12.9), "Imagining… (12s) · waiting · silent for 12 s"),
        (Doing("thinking", 12.9), "Imagining… (12s) · thinking"),
        (Doing("writing", 12.9, silence=9.9), "Imagining… (12s)"),
        (Doing("writing", 30.0, silence=11.0), "Imagining… (30s) · silent for 11 s"),
        (
            Doing("retrying", 3.0, retry=RETRYING, retry_in=13.2),
            "Imagining… (3s) · retrying 2/10 in 14 s",
        ),
        (Doing("waiting", 17.0, retry=RETRYING), "Imagining… (17s) · waiting"),
    ],
)
def test_the_activity_says_what_is_done_and_for_how_long(doing: Any, words):
    assert activity(doing) == words
    assert reason(doing) == ("nobody is free" if "retrying" in words else "")


def test_facts_are_shown_where_there_is_room_and_nothing_else_to_say():
    status = StatusBar()
    status.show("claude", "opus")
    status.facts("1,234 in · 56 out")
    assert "1,234 in" in render_text(status, (40,))[0]
    assert render_text(status, (20,)) == ["claude          opus"]
    status.facts("1,234 in · 56 out", "$0.02", "context 85% full")
    assert "1,234 in · 56 out · $0.02 · context 85% full" in render_text(status, (80,))[0]
    assert "$0.02 · context 85% full" in render_text(status, (40,))[0]
    status.note("working")
    assert "1,234 in" not in render_text(status, (40,))[0]
