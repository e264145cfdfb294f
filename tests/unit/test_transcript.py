from __future__ import annotations

import re
from dataclasses import replace

import pytest
import urwid
from hypothesis import given, settings
from hypothesis import strategies as st
from urwid.testing import render_text

from mewcode.tui.transcript import Transcript

SIZE = (20, 5)


class Lines:
    """An entry with a row for each text."""

    def __init__(self, *texts, speaks=False):
        self.texts = list(texts)
        self.speaks = speaks
        self.source = "\n".join(texts)
        self.made = 0

    def rows(self, look):
        self.made += 1
        return [urwid.Text(text) for text in self.texts]


def numbered(name, count, **more):
    return Lines(*(f"{name} {number}" for number in range(count)), **more)


@pytest.fixture
def transcript():
    return Transcript()


def shown(transcript, size=SIZE):
    return render_text(transcript, size, strip=True)


def filled(transcript, *entries):
    for entry in entries:
        transcript.add(entry)
    shown(transcript)
    return transcript


def test_what_does_not_fill_the_view_begins_at_its_top(transcript):
    filled(transcript, numbered("old", 2), numbered("new", 1))
    assert shown(transcript) == ["old 0", "old 1", "new 0", "", ""]
    assert transcript.following


def test_nothing_at_all_is_an_empty_view(transcript):
    assert shown(transcript) == [""] * 5
    transcript.scroll(-1)
    transcript.to_start()
    transcript.to_message(-1)
    assert transcript.following


def test_it_follows_the_newest_line(transcript):
    filled(transcript, numbered("old", 9), numbered("new", 9))
    assert shown(transcript) == [f"new {number}" for number in range(4, 9)]


def test_a_tall_row_is_shown_from_its_end(transcript):
    filled(transcript, Lines("x" * 200 + "end"))
    assert shown(transcript)[-1].endswith("end")


def test_a_reader_who_scrolled_up_stays_while_rows_come_and_change(transcript):
    last = numbered("new", 9)
    filled(transcript, numbered("old", 9), last)
    transcript.page(-1)
    before = shown(transcript)
    last.texts += ["more"] * 40
    transcript.last_changed()
    assert shown(transcript) == before
    assert transcript.new_lines() == 40
    transcript.add(numbered("newest", 3))
    assert shown(transcript) == before
    assert transcript.new_lines() == 43


def test_what_is_put_above_the_answer_that_runs_does_not_move_its_reader(transcript):
    filled(transcript, numbered("old", 3), numbered("new", 30))
    transcript.scroll(-3)
    before = shown(transcript)
    transcript.add_before_last(numbered("note", 2))
    assert shown(transcript) == before


def test_a_reader_of_rows_that_are_gone_sees_what_is_left(transcript):
    last = numbered("new", 40)
    filled(transcript, numbered("old", 9), last)
    transcript.page(-1)
    del last.texts[2:]
    transcript.last_changed()
    assert shown(transcript)[-1] == "new 1"
    transcript.drop_from(1)
    assert shown(transcript)[-1] == "old 8"
    transcript.clear()
    assert shown(transcript) == [""] * 5


def test_both_ends_are_reached_and_the_last_line_is_followed_again(transcript):
    filled(transcript, numbered("old", 30))
    transcript.to_start()
    assert shown(transcript)[0] == "old 0"
    transcript.scroll(-1)
    assert shown(transcript)[0] == "old 0"
    transcript.page(99)
    assert shown(transcript)[-1] == "old 29"
    assert transcript.following


def test_the_keys_from_message_to_message_stop_at_their_heads(transcript):
    entries = [numbered("a", 9, speaks=True), numbered("note", 9), numbered("b", 9, speaks=True), numbered("c", 9)]
    filled(transcript, *entries)
    heads = []
    for step in (-1, -1, -1, 1, 1):
        transcript.to_message(step)
        heads.append(shown(transcript)[0])
    assert heads == ["b 0", "a 0", "a 0", "b 0", "c 4"]


def test_at_another_width_the_last_text_in_view_stays_at_the_foot(transcript):
    words = " ".join(f"word{number}" for number in range(200))
    filled(transcript, Lines("first", words, "last"))
    transcript.scroll(-60)
    foot = shown(transcript)[-1].split()[0]
    for width in (60, 11, 33, 20):
        assert foot in shown(transcript, (width, 5))[-1].split()


@settings(max_examples=60)
@given(
    entries=st.lists(st.lists(st.text("ab \n", max_size=60), max_size=4), min_size=1, max_size=6),
    moves=st.lists(st.tuples(st.sampled_from(["scroll", "page", "to_message"]), st.integers(-9, 9)), max_size=12),
    sizes=st.lists(st.tuples(st.integers(2, 40), st.integers(1, 9)), min_size=1, max_size=4),
)
def test_whatever_is_pressed_the_view_is_a_part_of_all_lines(entries, moves, sizes):
    transcript = Transcript()
    for texts in entries:
        transcript.add(Lines(*texts))
    for size in sizes:
        whole = [line for texts in entries for text in texts for line in render_text(urwid.Text(text), size[:1])]
        for name, by in moves:
            shown(transcript, size)
            getattr(transcript, name)(by)
        view = render_text(transcript, size)
        rows = view[: len(whole)]
        assert any(whole[at : at + len(rows)] == rows for at in range(len(whole) - len(rows) + 1))
        assert all(not row.strip() for row in view[len(whole) :])


def test_rows_are_made_only_of_what_is_seen(transcript):
    entries = [numbered("x", 10) for _ in range(1000)]
    filled(transcript, *entries)
    assert sum(entry.made for entry in entries) < 5
    transcript.to_start()
    shown(transcript)
    assert sum(entry.made for entry in entries) < 10


def test_what_is_looked_for_is_marked_in_every_row_that_is_made(transcript):
    filled(transcript, Lines("a needle in hay", "no"))
    transcript.look = replace(transcript.look, found=re.compile("needle"))
    canvas = transcript.render(SIZE)
    styled = [(style, text.decode()) for row in canvas.content() for style, _, text in row]
    assert ("found", "needle") in styled
    transcript.look = replace(transcript.look, found=None)
    assert "found" not in {style for row in transcript.render(SIZE).content() for style, _, _ in row}
