from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mewcode.tui.paste import Pasted, PasteFilter, line_ends
from mewcode.tui.reader import Reader
from tests.unit.test_input import heard, quiet, shown

BEGIN, END = b"\x1b[200~", b"\x1b[201~"


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        (b"a\rb", "a\nb"),
        (b"a\nb", "a\nb"),
        (b"a\r\nb", "a\nb"),
        (b"a\r\rb\n\nc\r\n\r\nd", "a\n\nb\n\nc\n\nd"),
        (b"a\n\rb", "a\n\nb"),
        (b"\tif x:\r\t\ty  ", "\tif x:\n\t\ty  "),
        ("猫🐱 e\u0301 👨‍👩‍👧".encode(), "猫🐱 e\u0301 👨‍👩‍👧"),
        (b"end paste, begin paste", "end paste, begin paste"),
        (b"a\x1b[Ab\x03c\x7fd\x1b[2", "a\x1b[Ab\x03c\x7fd\x1b[2"),
        (b"\x1b]0;title\x07", "\x1b]0;title\x07"),
        (b"/exit\r", "/exit\n"),
        (b"a\xffb", "a\ufffdb"),
        (b"", ""),
    ],
)
def test_a_paste_is_one_text(sent, text):
    assert heard(BEGIN + sent + END) == [text]


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ("one\r\rtwo\r\r\r\rthree", "one\ntwo\n\nthree"),  # CR LF, with a blank line
        ("one\r\rtwo\r\r", "one\ntwo\n"),  # CR LF, with its last line ended
        ("one\r\rtwo", "one\n\ntwo"),  # either: blank lines stay
        ("one\r\r", "one\n\n"),
        ("one\r\rtwo\rthree", "one\n\ntwo\nthree"),  # LF
        ("one\r\r\r\rtwo\rthree\r\r", "one\n\n\n\ntwo\nthree\n\n"),
        ("one\r\n\r\ntwo\r\n", "one\n\ntwo\n"),
        ("one\r\r\n", "one\n\n"),
    ],
)
def test_two_returns_are_one_line_end_where_they_must_have_been_one(sent, text):
    assert line_ends(sent) == text


@given(st.lists(st.text("ab ", max_size=3), min_size=1, max_size=12))
def test_a_text_whose_lines_end_in_cr_lf_is_itself_again_through_tmux(lines):
    lines = [*lines, "end", "", "last"]  # somewhere a blank line
    assert line_ends("\r\n".join(lines)) == "\n".join(lines)
    assert line_ends("\r\r".join(lines)) == "\n".join(lines)


@given(st.lists(st.text("ab ", max_size=3), min_size=1, max_size=12))
def test_a_text_with_a_simple_line_end_keeps_every_blank_line(lines):
    lines = ["a", "b", *lines] if not lines[0].startswith("\n") else lines
    text = "\n".join(["x", "y z", *lines])
    if "\n\n\n" not in text:
        assert line_ends(text.replace("\n", "\r")) == text


@settings(max_examples=100)
@given(
    text=st.text(st.sampled_from("ab \n\t猫🐱\u0301\x1b[201"), max_size=12),
    cuts=st.lists(st.integers(0, 60), max_size=6),
)
def test_a_paste_may_come_in_any_pieces(text, cuts):
    sent = BEGIN + text.encode() + END + b"x"
    ends = sorted({min(cut, len(sent)) for cut in cuts} | {0, len(sent)})
    reads = [sent[start:end] for start, end in pairwise(ends)]
    assert heard(*reads) == [text, "x"]


def test_keys_around_a_paste_are_keys():
    assert heard(b"a" + BEGIN + b"b\r" + END + b"\r") == ["a", "b\n", "enter"]


def test_two_pastes_in_one_read_are_two():
    assert heard(BEGIN + b"a" + END + BEGIN + b"b" + END) == ["a", "b"]


def test_a_second_paste_after_a_lost_end_mark_keeps_the_first():
    assert heard(BEGIN + b"a" + BEGIN + b"b" + END + b"c") == ["a", "b", "c"]


@pytest.mark.parametrize("cut", [1, 3, 5])
def test_a_begin_mark_that_came_torn_and_too_slowly_begins_the_paste_all_the_same(cut):
    reader = Reader()
    keys = [*reader.feed(b"q\x1b"), *reader.expire(), *reader.feed(b"[200~a\rb" + END[:cut])]
    assert shown([*keys, *reader.feed(END[cut:] + b"x")]) == ["q", "esc", "a\nb", "x"]


def test_a_paste_that_stalls_is_shown_and_goes_on():
    reader = Reader()
    keys = [*reader.feed(BEGIN + "one\rtwo 猫".encode()[:-1] + b""), *reader.expire()]
    assert shown(keys) == ["one\ntwo "]
    assert shown(reader.feed("猫".encode()[-1:] + b"\rthree" + END + b"x")) == ["猫\nthree", "x"]


def test_an_enter_in_a_paste_that_has_stalled_does_not_send():
    reader = Reader()
    keys = [*reader.feed(BEGIN + b"a\r"), *reader.expire(), *reader.feed(b"\r"), *reader.feed(END)]
    assert shown(keys) == ["a", "\n\n"]


@pytest.mark.parametrize("key", [b"\x03", b"\x1b"])
def test_a_key_pressed_while_an_end_mark_is_missing_ends_the_paste_and_nothing_is_lost(key):
    reader = Reader()
    assert shown([*reader.feed(BEGIN + b"a"), *reader.feed(key), *reader.feed(b"b")]) == []  # as quick it is pasted
    assert shown(reader.expire()) == [f"a{key.decode()}b"]
    assert shown(reader.feed(key)) == [""]
    assert shown([*reader.feed(b"\x03"), *quiet(reader)]) == ["ctrl c"]


@pytest.mark.parametrize(
    ("sent", "within"), [(b"x" * 79 + b"\r", 1.0), (b"x" * 1_000_000, 1.0), (b"x" * 5_000_000, 3.0)]
)
@pytest.mark.parametrize("marks", [(BEGIN, END), (b"", b"")], ids=["bracketed", "bare"])
def test_a_large_paste_is_read_quickly(sent, within, marks):
    text = sent if len(sent) > 100 else sent * 2000
    data = marks[0] + text + marks[1]
    reader, started = Reader(), time.monotonic()
    keys = [key for at in range(0, len(data), 4096) for key in reader.feed(data[at : at + 4096])]
    keys += quiet(reader)
    assert time.monotonic() - started < within
    assert "".join(map(str, shown(keys))) == text.decode().replace("\r", "\n")


def test_a_screen_that_gives_a_paste_key_by_key_is_filtered():
    keys = PasteFilter()(["a", "begin paste", "enter", "tab", "ctrl j", "up", "end paste", "ctrl c", "b"], [])
    assert keys == ["a", "paste", "ctrl c", "b"]
    assert shown(keys) == ["a", "\n\t\n", "ctrl c", "b"]


def test_a_resize_within_a_paste_is_no_part_of_it():
    paste = PasteFilter()
    assert paste(["begin paste", "a"], []) == []
    assert paste(["window resize"], []) == ["window resize"]
    assert shown(paste(["b", "end paste"], [])) == ["ab"]


def test_a_paste_is_a_key_that_no_other_is():
    assert Pasted("x") == "paste"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a\r\nb\r\nc", "a\nb\nc"),
        ("a\n\nb\n\nc", "a\n\nb\n\nc"),
        ("another\r\none", "a\n\nb\n\nc"),
        (None, "a\n\nb\n\nc"),
    ],
)
def test_where_it_is_known_what_was_pasted_two_returns_are_what_they_were(source, text):
    assert line_ends("a\r\rb\r\rc", lambda: source) == text


def test_what_was_pasted_is_only_asked_where_it_is_in_doubt():
    def source():
        raise AssertionError

    assert line_ends("a\rb\r\rc\r\nd", source) == "a\nb\n\nc\nd"
