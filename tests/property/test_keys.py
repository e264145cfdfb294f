from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mewcode.tui.paste import Pasted
from mewcode.tui.reader import Reader
from tests.property.keys import EDITOR, bytes_against_the_chat, keys_against_the_chat, random_bytes, read, settle

pytestmark = pytest.mark.usefixtures("folder", "_editor")


@pytest.fixture
def _editor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", EDITOR)


@pytest.mark.parametrize("seed", [1, 2])
def test_no_key_breaks_the_chat_and_what_is_typed_afterwards_is_what_is_typed(seed):
    tally = keys_against_the_chat(seed, 400)
    assert (tally["keys"], tally["typed"], tally["wrong"]) == (400, 2, 0)


@pytest.mark.parametrize("seed", [1, 2])
def test_no_bytes_break_the_chat_and_what_is_typed_afterwards_is_what_is_typed(seed):
    tally = bytes_against_the_chat(seed, 2000)
    assert (tally["bytes"], tally["typed"], tally["wrong"]) == (2000, 4, 0)


@settings(max_examples=200)
@given(data=st.binary(max_size=60), seed=st.integers(0, 5), encoding=st.sampled_from(["utf-8", "gbk", "iso8859-1"]))
def test_the_reader_settles_after_any_bytes(data, seed, encoding):
    reader = Reader(encoding)
    list(read(reader, data, random.Random(seed)))
    list(settle(reader))
    assert reader.wait is None
    assert reader.feed(b"abc") == ["a", "b", "c"]


@given(seed=st.integers(0, 1000))
@settings(max_examples=50)
def test_no_control_character_is_ever_a_letter(seed):
    rng = random.Random(seed)
    reader = Reader()
    for key in (*read(reader, random_bytes(rng, 300), rng), *settle(reader)):
        assert isinstance(key, Pasted) or len(key) != 1 or key[0].isprintable() or not key.isascii()
