from __future__ import annotations

import json
import os
import stat
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mewcode.tui.history import MOST, History, Walk
from mewcode.tui.search import Search

if TYPE_CHECKING:
    from pathlib import Path


def entries(path: Path) -> list[str]:
    return [*History(path).entries]


def lines(path: Path) -> list[str]:
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def filled(*texts: str, path: Path | None = None) -> History:
    history = History(path)
    for text in texts:
        history.add(text)
    return history


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "history"


def test_entries_are_as_sent_and_the_same_again_is_one():
    assert [*filled("a", "b\n\tc ", "b\n\tc ", "a").entries] == ["a", "b\n\tc ", "a"]


def test_a_history_without_a_file_writes_none(tmp_path):
    filled("a")
    assert [*tmp_path.iterdir()] == []


@settings(max_examples=50)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=8))
def test_the_file_gives_back_what_was_sent(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("h") / "history"
    history = filled(*texts, path=path)
    assert entries(path) == [*history.entries]


def test_the_file_is_private_and_holds_one_json_string_a_line(path):
    filled("a\nb", "猫", path=path)
    assert path.read_bytes() == b'"a\\nb"\n"\\u732b"\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_that_others_can_read_is_made_private(path):
    filled("a", path=path)
    path.chmod(0o644)
    filled("b", path=path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_damaged_lines_are_skipped(path):
    path.parent.mkdir()
    path.write_bytes(b'"a"\n{"b": 1}\n\xff\xfe\n"c\n12\n\n"\\ud800"\n' + b"[" * 100_000 + b'\n"d"\n"e')
    assert entries(path) == ["a", "d"]
    filled("f", path=path)
    assert entries(path) == ["a", "d", "f"]


def test_the_last_thousand_stay_and_the_file_never_holds_more(path):
    history = History(path)
    for number in range(MOST + 250):
        history.add(str(number))
        if number % 50 == 0:
            assert len(lines(path)) <= MOST
    assert len(history.entries) <= MOST
    assert len(lines(path)) <= MOST
    assert lines(path)[-1] == history.entries[-1] == str(MOST + 249)
    assert entries(path) == [*map(str, range(MOST + 250))][-len(entries(path)) :]
    assert len(entries(path)) >= MOST * 9 // 10


def test_a_file_that_holds_too_much_is_made_shorter(path):
    path.parent.mkdir()
    path.write_text("".join(f'"{number}"\n' for number in range(5000)), encoding="ascii")
    assert entries(path)[-1] == "4999"
    assert len(lines(path)) <= MOST


def test_a_very_long_entry_stays_in_memory_only(path):
    history = filled("a", "x" * 200_000, path=path)
    assert history.entries[-1] == "x" * 200_000
    assert entries(path) == ["a"]
    history.forget_last()
    assert (history.entries, entries(path)) == (["a"], ["a"])


def test_what_was_given_back_is_taken_out_once(path):
    history = filled("a", "b", path=path)
    history.forget_last()
    history.forget_last()
    assert ([*history.entries], entries(path)) == (["a"], ["a"])


def test_what_was_sent_before_as_well_is_not_taken_out(path):
    history = filled("a", "a", path=path)
    history.forget_last()
    assert ([*history.entries], entries(path)) == (["a"], ["a"])


def test_taking_out_leaves_what_another_chat_has_added(path):
    history = filled("a", "b", path=path)
    filled("c", path=path)
    history.forget_last()
    assert entries(path) == ["a", "c"]


def test_several_chats_lose_nothing(path):
    def chat(name: int) -> None:
        history = History(path)
        for number in range(50):
            history.add(f"{name}.{number}")
            if number % 10 == 9:
                history.forget_last()

    chats = [threading.Thread(target=chat, args=(name,)) for name in range(4)]
    for thread in chats:
        thread.start()
    for thread in chats:
        thread.join()
    assert sorted(entries(path)) == sorted(f"{name}.{n}" for name in range(4) for n in range(50) if n % 10 != 9)


@pytest.mark.parametrize("fault", ["directory", "link", "place"])
def test_a_file_that_cannot_be_used_stops_nobody(path, fault, tmp_path):
    path.parent.mkdir()
    if fault == "directory":
        path.mkdir()
    elif fault == "link":
        (tmp_path / "elsewhere").write_text("", encoding="ascii")
        path.symlink_to(tmp_path / "elsewhere")
    else:
        path = path.parent.parent / "file" / "history"
        path.parent.write_text("", encoding="ascii")
    history = filled("a", "b", path=path)
    history.forget_last()
    assert [*history.entries] == ["a"]
    assert fault != "link" or not os.stat(tmp_path / "elsewhere").st_size


def test_a_walk_comes_back_to_the_draft_and_keeps_what_was_changed():
    walk = Walk(filled("a", "b"), str.upper)
    assert [walk.step("draft", 1)] == [None]
    assert walk.step("draft", -1) == "B"
    assert walk.step("B!", -1) == "A"
    assert walk.step("A", -1) is None
    assert walk.step("A", 1) == "B!"
    assert walk.step("B?", 1) == "draft"
    assert walk.step("draft", -1) == "B?"
    walk.reset()
    assert walk.step("", -1) == "B"


def test_a_search_finds_small_letters_in_any_case_and_capitals_as_they_are():
    search = Search(["abc", "ABC", "Abc"])
    search.type("ab")
    assert search.found == "Abc"
    search.older()
    search.older()
    assert search.found == "abc"
    search.older()
    assert [search.found] == [None]
    search = Search(["abc", "ABC", "Abc"])
    search.type("AB")
    assert search.found == "ABC"


def test_a_search_passes_over_what_it_has_just_found():
    search = Search(["one", "same", "other", "same", "same"])
    search.type("e")
    search.older()
    assert search.found == "other"


def test_a_search_goes_on_after_it_has_failed():
    search = Search(["one", "two"])
    search.older()
    for letter in "onx":
        search.type(letter)
    assert [search.found] == [None]  # it will change
    search.erase()
    assert search.found == "one"
