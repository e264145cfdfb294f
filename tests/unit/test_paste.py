from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
import urwid
from hypothesis import given, settings
from hypothesis import strategies as st

from mewcode.tui.paste import Pasted, PasteFilter
from mewcode.tui.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Iterable

BEGIN, END = b"\x1b[200~", b"\x1b[201~"


class Reading(Screen):
    """Gets these bytes from its terminal, a piece at each read."""

    def __init__(self, reads: Iterable[bytes]) -> None:
        super().__init__()
        self._reads = iter(reads)

    def _get_input_codes(self) -> list[int]:
        return list(next(self._reads))


def typed(*reads: bytes) -> tuple[list[str], list[str]]:
    """What the program gets when these bytes come from the terminal, a read at a time: (pastes, keys)."""
    keys: list[object] = []
    paste, screen = PasteFilter(), Reading(reads)
    for _ in reads:
        found, raw = screen.parse_input(None, None, screen.get_available_raw_input())
        keys += paste([key for key in found if isinstance(key, str)], raw)
    return [key.text for key in keys if isinstance(key, Pasted)], [str(k) for k in keys if not isinstance(k, Pasted)]


def wait_after(read: bytes) -> float:
    """Seconds that an input which is not complete is held for the rest."""
    loop = urwid.SelectEventLoop()
    screen = Reading([read])
    screen.parse_input(loop, lambda keys, raw: None, screen.get_available_raw_input())
    screen.parse_input(loop, lambda keys, raw: None, [])  # it waits no more
    return screen.complete_wait


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
        (b"a\x1b[Ab\x03c\x7fd", "abcd"),
        (b"/exit\r", "/exit\n"),
        (b"", ""),
    ],
)
def test_a_paste_is_one_text(sent, text):
    assert typed(BEGIN + sent + END) == ([text], [])


def test_five_thousand_characters_are_one_text():
    text = "line of text\n" * 385
    assert typed(BEGIN + text.encode() + END) == ([text], [])


@settings(max_examples=100)
@given(
    text=st.text(st.sampled_from("ab \n\t猫🐱\u0301"), max_size=12),
    cuts=st.lists(st.integers(0, 60), max_size=6),
)
def test_a_paste_may_come_in_any_pieces(text, cuts):
    sent = BEGIN + text.replace("\n", "\r").encode() + END + b"x"
    ends = sorted({min(cut, len(sent)) for cut in cuts} | {0, len(sent)})
    # a lone ESC that stays one is the Esc key, so the marks are not cut behind their first byte
    ends = [end for end in ends if sent[end - 1 : end] != b"\x1b"]
    assert typed(*(sent[start:end] for start, end in pairwise(ends))) == ([text], ["x"])


def test_keys_around_a_paste_are_keys():
    assert typed(b"a" + BEGIN + b"b\r" + END + b"\r") == (["b\n"], ["a", "enter"])


def test_two_pastes_in_one_read_are_two():
    assert typed(BEGIN + b"a" + END + BEGIN + b"b" + END) == (["a", "b"], [])


def test_a_resize_within_a_paste_is_no_part_of_it():
    paste = PasteFilter()
    assert paste(["begin paste", "a"], []) == []
    assert paste(["window resize"], []) == ["window resize"]
    assert [getattr(key, "text", key) for key in paste(["b", "end paste"], [])] == ["ab"]


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        (b"\r", "enter"),
        (b"\n", "ctrl j"),
        (b"\x1b\r", "meta enter"),
        (b"\x1b\n", "meta enter"),
        (b"\x1b[13;2u", "shift enter"),
        (b"\x1b[27;2;13~", "shift enter"),
    ],
)
def test_enter_and_its_relatives_are_told_apart(sent, key):
    assert typed(sent) == ([], [key])


def test_marks_that_came_torn_and_too_slowly_hold_the_paste_together_all_the_same():
    keys: list[object] = []
    reads = (b"q\x1b", b"[200~a\rb\x1b", b"[201~x")
    paste, screen = PasteFilter(), Reading(reads)
    for _ in reads:  # nothing is held for the rest: each time the wait for it is over
        found, raw = screen.parse_input(None, None, screen.get_available_raw_input(), wait_for_more=False)
        keys += paste([key for key in found if isinstance(key, str)], raw)
    assert keys == ["q", "esc", "paste", "x"]
    assert [key.text for key in keys if isinstance(key, Pasted)] == ["a\nb"]


def test_a_paste_keeps_its_place_among_the_keys_of_one_read():
    keys = PasteFilter()(["a", "begin paste", "enter", "end paste", "ctrl c", "b"], [])
    assert keys == ["a", "paste", "ctrl c", "b"]


def test_ctrl_c_pressed_while_an_end_mark_is_missing_ends_the_paste_and_nothing_is_lost():
    times = iter((0.0, 0.1, 0.1, 0.8, 0.8, 0.9))
    paste = PasteFilter(lambda: next(times))
    assert paste(["begin paste", "a"], []) == []
    assert paste(["ctrl c"], []) == []  # as quick as this it is pasted
    assert [getattr(key, "text", key) for key in paste(["b", "ctrl c"], [])] == ["ab"]
    assert paste(["ctrl c"], []) == ["ctrl c"]


def test_a_second_paste_after_a_lost_end_mark_keeps_the_first():
    keys = PasteFilter()(["begin paste", "a", "begin paste", "b", "end paste", "c"], [])
    assert [getattr(key, "text", key) for key in keys] == ["a", "b", "c"]


def test_only_a_lone_esc_is_decided_at_once():
    assert wait_after(b"\x1b") < 0.1
    for cut in (b"\x1b[20", "猫".encode()[:2], "a🐱".encode()[:3]):
        assert wait_after(cut) >= 0.5
