from __future__ import annotations

import contextlib
import os
import resource
import stat
import threading
from typing import TYPE_CHECKING

import pytest

from mewcode.private import AlreadyThere, SaveError, shown, write_private

if TYPE_CHECKING:
    from pathlib import Path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def refusal(path: Path, data: bytes = b"new", *, force: bool = False) -> str:
    with pytest.raises(SaveError) as caught:
        write_private(path, data, force=force)
    assert caught.value.__cause__ is None
    return str(caught.value)


def test_a_file_is_whole_and_nothing_is_left_beside_it(folder):
    write_private(folder / "a", b"one\r\n\x00")
    assert (folder / "a").read_bytes() == b"one\r\n\x00"
    assert os.listdir(folder) == ["a"]


def test_a_file_that_is_there_is_left_alone_unless_it_is_forced_and_is_then_private(folder):
    (folder / "a").write_text("old")
    (folder / "a").chmod(0o644)
    assert refusal(folder / "a") == f"{folder}/a is there already; choose another name"
    assert ((folder / "a").read_text(), mode(folder / "a")) == ("old", 0o644)
    write_private(folder / "a", b"new", force=True)
    assert ((folder / "a").read_text(), mode(folder / "a")) == ("new", 0o600)
    assert os.listdir(folder) == ["a"]


def test_a_link_is_replaced_and_not_followed(folder):
    (folder / "target").write_text("old")
    (folder / "link").symlink_to("target")
    (folder / "dangling").symlink_to("nowhere")
    for name in ("link", "dangling"):
        with pytest.raises(AlreadyThere):
            write_private(folder / name, b"new")
        write_private(folder / name, b"new", force=True)
        assert not (folder / name).is_symlink()
    assert (folder / "target").read_text() == "old"


@pytest.mark.parametrize("force", [False, True])
def test_what_is_no_file_is_never_replaced(folder, force):
    (folder / "d").mkdir()
    os.mkfifo(folder / "pipe")
    for name in ("d", "pipe"):
        assert refusal(folder / name, force=force).endswith(f"{name}: it is no ordinary file; choose another name")
    assert sorted(os.listdir(folder)) == ["d", "pipe"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no/a.md", "its directory is not there; make it first, or choose another place"),
        ("file/a.md", "its directory is not there; make it first, or choose another place"),
        ("n" * 300, "the name is too long; choose a shorter one"),
        ("zero\0", "no file can have that name; choose another"),
    ],
)
def test_a_name_that_cannot_be_is_one_sentence_with_the_way_out(folder, name, words):
    (folder / "file").write_text("")
    sentence = refusal(folder / name)
    assert sentence.startswith("cannot write ")
    assert sentence.endswith(words)
    assert os.listdir(folder) == ["file"]


def test_a_file_that_may_not_be_so_large_leaves_the_old_one_and_nothing_beside_it(folder):
    (folder / "a").write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        sentence = refusal(folder / "a", b"x" * 20_000, force=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert sentence == f"cannot write {folder}/a: a file may not be that large here; choose another place"
    assert (folder / "a").read_text() == "old"
    assert os.listdir(folder) == ["a"]


def winners(path: Path, number: int) -> list[int]:
    """Which of so many threads, all at once, wrote the file."""
    together = threading.Barrier(number)
    wrote: list[int] = []

    def attempt(mine: int) -> None:
        together.wait()
        with contextlib.suppress(AlreadyThere):
            write_private(path, b"%d" % mine * 1000)
            wrote.append(mine)

    threads = [threading.Thread(target=attempt, args=(mine,)) for mine in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrote


def test_of_many_who_write_one_name_at_once_one_wins(folder):
    for name in map(str, range(20)):
        (winner,) = winners(folder / name, 6)
        assert (folder / name).read_bytes() == b"%d" % winner * 1000
    assert len(os.listdir(folder)) == 20


def test_a_path_in_a_sentence_cannot_act_on_the_terminal_and_is_not_endless():
    assert shown("a\x1b[2J\nb") == "a␛[2J␊b"
    assert shown("a" * 201) == "a" * 199 + "…"
