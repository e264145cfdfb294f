from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mewcode.tui.paste import Key, Pasted
from mewcode.tui.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterable

REPLIES = [
    bytes.fromhex(line)
    for line in (Path(__file__).parents[1] / "cases/inputs/C094-terminal-answers-as-text/replies.hex")
    .read_text(encoding="ascii")
    .splitlines()
]
MORE = [
    b"\x1b[?1;2c",  # DA1
    b"\x1b[>41;351;0c",  # DA2
    b"\x1bP!|00000000\x1b\\",  # DA3
    b"\x1b[0n",
    b"\x1b[?997;1n",  # colour scheme
    b"\x1b[8;24;80t",
    b"\x1b]Ltitle \xe7\x8c\xab\x1b\\",
    b"\x1bP1+r524742=38\x1b\\",  # XTGETTCAP
    b"\x1b^private\x1b\\",
    b"\x1bXstart of string\x1b\\",
    b"\x1b[M !!",
    b"\x1b[<64;10;10M",
    b"\x1b[1 q",
    b"\x1b[?62;" + b"1;" * 200 + b"4c",
    b"\x1b]4;1;rgb:" + b"f" * 5000 + b"\x07",
    b"\x1bOI",
]
ALL = [*REPLIES, *MORE]
ENDLESS = [b"\x1b]11;rgb:0000", b"\x1bP>|xterm", b"\x1b_Gi=1", b"\x1b[?62;4", b"\x1b[<0;5", b"\x1b[M", b"\xe6\x97"]


def shown(keys: Iterable[Key]) -> list[object]:
    return [key.text if isinstance(key, Pasted) else key for key in keys]


def heard(*reads: bytes, settle: bool = True) -> list[object]:
    """The keys of these reads, and of the quiet after them; a paste is its text."""
    reader = Reader()
    keys = [key for read in reads for key in reader.feed(read)]
    return shown([*keys, *(quiet(reader) if settle else [])])


def quiet(reader: Reader) -> list[Key]:
    keys: list[Key] = []
    while reader.wait is not None:
        keys += reader.expire()
    return keys


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        (b"\r", "enter"),
        (b"\n", "ctrl j"),
        (b"\r\n", "enter"),
        (b"\x1b\r", "meta enter"),
        (b"\x1b\n", "meta enter"),
        (b"\x1b[13;2u", "shift enter"),
        (b"\x1b[27;2;13~", "shift enter"),
        (b"\x1b[106;5u", "ctrl j"),
        (b"\x1b", "esc"),
        (b"\x1b[A", "up"),
        (b"\x1bOA", "up"),
        (b"\x1b[1;5C", "ctrl right"),
        (b"\x1b\x1b[A", "meta up"),
        (b"\x1b[[A", "f1"),
        (b"\x1bOP", "f1"),
        (b"\x1b[3~", "delete"),
        (b"\x1b\x7f", "meta backspace"),
        (b"\x1bb", "meta b"),
        (b"\x1b\xc3\xa9", "meta é"),
        (b"\x1f", "ctrl _"),
        (b"\x08", "backspace"),
        (b"\t", "tab"),
        ("猫".encode(), "猫"),
    ],
)
def test_keys_are_told_apart_in_one_read_and_in_any_two(sent, key):
    assert heard(sent) == [key]
    for cut in range(1, len(sent)):
        assert heard(sent[:cut], sent[cut:]) == [key]


@pytest.mark.parametrize("reply", ALL, ids=repr)
def test_a_reply_is_no_key_however_it_is_cut(reply):
    for cut in range(len(reply)) if len(reply) < 100 else range(0, len(reply), 37):
        assert heard(b"ab" + reply[:cut], reply[cut:] + b"c") == ["a", "b", "c"]


@pytest.mark.parametrize("reply", ENDLESS, ids=repr)
@pytest.mark.parametrize("key", [b"\r", b"\x1b[A", b"\x03", b"\x7f"])
def test_a_reply_without_an_end_is_dropped_at_the_next_key(reply, key):
    assert heard(reply + key) == heard(key)
    assert heard(reply, key) == heard(key)


@pytest.mark.parametrize("reply", ENDLESS, ids=repr)
def test_a_reply_without_an_end_is_dropped_before_a_second_is_over(reply):
    reader = Reader()
    assert reader.feed(reply) == []
    waited = 0.0
    while reader.wait is not None:
        waited += reader.wait
        assert reader.expire() == []
    assert waited < 1.0
    assert shown([*reader.feed(b"abc"), *quiet(reader)]) == ["a", "b", "c"]


@pytest.mark.parametrize("cut", [b"\x1b]11;rgb:0000\x1b", b"\x1bP>|xterm\x1b"])
def test_half_an_end_is_no_esc_and_no_alt(cut):
    assert heard(cut) == []
    assert heard(cut, b"\\x") == ["x"]
    assert heard(cut, b"\r") == ["enter"]
    assert heard(cut, b"x") == ["x"]
    assert heard(cut, b"[A") == ["up"]


def test_an_esc_pressed_after_a_reply_without_an_end_is_the_key():
    reader = Reader()
    reader.feed(b"\x1b]11;rgb:0000")
    reader.expire()
    assert [*reader.feed(b"\x1b"), *quiet(reader)] == ["esc"]


@pytest.mark.parametrize("reply", ENDLESS[:-1], ids=repr)
@pytest.mark.parametrize("typed", ["x", "猫"])
def test_a_letter_typed_by_hand_after_a_reply_without_an_end_is_a_key(reply, typed):
    reader = Reader()
    reader.feed(reply)
    reader.expire()  # a moment has gone by
    assert [*reader.feed(typed.encode()), *quiet(reader)] == [typed]


@pytest.mark.parametrize("reply", ALL, ids=repr)
def test_a_reply_between_an_enter_and_the_quiet_after_it_is_no_more_input(reply):
    assert heard(b"a\r" + reply) == ["a", "enter"]
    assert heard(b"a\r", reply) == ["a", "enter"]


def test_reports_of_the_mouse_are_keys_while_they_are_wanted():
    reader = Reader()
    reader.mouse = True
    assert reader.feed(b"\x1b[<64;10;5M\x1b[M !!\x1b[<0;") == [("mouse press", 4, 9, 4), ("mouse press", 1, 0, 0)]
    assert reader.feed(b"1;1m") == [("mouse release", 1, 0, 0)]


@pytest.mark.parametrize("late", [b"[A", b"[1;5C", b"]11;rgb:0/0/0\x07", b"[?62;4c", b"P>|x\x1b\\"])
def test_the_rest_of_what_began_with_an_esc_is_not_typed(late):
    reader = Reader()
    reader.feed(b"\x1b")
    assert reader.expire() == ["esc"]
    assert shown([*reader.feed(late), *quiet(reader)]) == heard(b"\x1b" + late)


@pytest.mark.parametrize("text", [b"abc", b"[link](url)", b"]x", b"[A]"])
def test_what_is_typed_after_an_esc_has_settled_is_text(text):
    reader = Reader()
    reader.feed(b"\x1b")
    assert quiet(reader) == ["esc"]
    assert shown([*reader.feed(text), *quiet(reader)]) == [*text.decode()]


def test_broken_utf_8_is_dropped():
    assert heard(b"a\xff\xfe\xc3(\xe6\x97b\xed\xa0\x80c") == [*"a(bc"]


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40), st.lists(st.integers(0, 160), max_size=6))
@settings(max_examples=200)
def test_text_comes_whole_in_whatever_reads(text, cuts):
    data = text.replace("\ufffd", "").encode()
    places = sorted({0, len(data), *(min(cut, len(data)) for cut in cuts)})
    reads = [data[start:end] for start, end in pairwise(places)]
    assert "".join(map(str, heard(*reads))) == data.decode()


@pytest.mark.parametrize(("encoding", "sent"), [("gbk", "猫口 a"), ("iso8859-1", "é a"), ("ascii", "猫 a")])
def test_other_encodings(encoding, sent):
    data = sent.encode("utf-8" if encoding == "ascii" else encoding)
    reader = Reader(encoding)
    keys = [key for code in data for key in reader.feed(bytes([code]))]
    assert keys == [*sent]


def test_an_enter_with_more_input_after_it_is_a_line_end_of_a_paste():
    assert heard(b"one\rtwo") == ["one\ntwo"]
    assert heard(b"one", b"\r", b"two\r", b"three\r") == ["o", "n", "e", "\ntwo\nthree\n"]
    assert heard(b"a\r\rb") == ["a\n\nb"]
    assert heard(b"a\r\nb\r\n") == ["a\nb\n"]


def test_an_enter_after_which_nothing_comes_is_the_key():
    reader = Reader()
    assert reader.feed(b"hi\r") == ["h", "i"]
    assert reader.wait == pytest.approx(0.01)
    assert reader.expire() == ["enter"]
    assert reader.wait is None
    assert [*reader.feed(b"next\r"), *reader.expire()] == [*"next", "enter"]


def test_an_enter_before_another_key_is_the_key():
    assert heard(b"hi\r\x03") == ["h", "i", "enter", "ctrl c"]
    assert heard(b"hi\r", b"\x1b[A") == ["h", "i", "enter", "up"]


def test_much_text_at_once_is_a_paste():
    assert heard(b"x" * 4000) == ["x" * 4000]
    assert heard(b"x" * 100) == [*"x" * 100]


def test_nothing_is_awaited_when_nothing_is_open():
    reader = Reader()
    reader.feed(b"abc\x1b[A\x1b]0;x\x07\x1b[200~x\x1b[201~")
    assert reader.wait is None
