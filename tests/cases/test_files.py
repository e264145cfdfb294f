"""Files that the program writes: who may read them, and what a fault leaves of them. Here: exports and copies."""

from __future__ import annotations

import json
import os
import resource
import stat
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mewcode.export import save
from mewcode.llm.messages import Message, TextBlock
from mewcode.private import SaveError
from mewcode.tui.clipboard import copy
from tests.cases.case import Case

if TYPE_CHECKING:
    from collections.abc import Generator

TALK = [Message("1", "user", (TextBlock("x" * 500_000),))]
SHORT = [Message("1", "user", (TextBlock("hi"),))]
DISK = 256 * 1024


@contextmanager
def umask(value: str) -> Generator[None, None, None]:
    before = os.umask(int(value, 8))
    try:
        yield
    finally:
        os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    return {path.name: f"{stat.S_IMODE(path.lstat().st_mode):o}" for path in folder.rglob("*")}


def killed(folder: Path, rounds: int) -> list[dict[str, Any]]:
    """What each of so many saves left that were killed on the way."""
    command = [sys.executable, "-m", "tests.cases.killed", str(folder), str(rounds)]
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root}
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root, env=environment)
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("value", Case("C087").json("umasks.json"))
def test_c087_exports_and_copies_are_private_whatever_the_umask(folder, value, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    with umask(value):
        for name in ("a.md", "b.json", "c.txt"):
            save(name, SHORT)
        copy("hi", lambda data: None, {"TERM": "linux"})
    found = modes(folder)
    (copied,) = (name for name in found if name.startswith("mewcode-copy"))
    files = dict.fromkeys(("a.md", "b.json", "c.txt", copied), "600")
    assert found == {**files, "state": found["state"], "mewcode": "700"}


@pytest.mark.parametrize("value", Case("C087").json("umasks.json"))
def test_c087_a_file_that_others_could_read_is_narrowed_when_it_is_written_over(folder, value):
    Path("a.md").write_text("old")
    Path("a.md").chmod(0o644)
    with umask(value):
        save("a.md", SHORT, force=True)
    assert modes(folder) == {"a.md": "600"}


@pytest.mark.parametrize("value", Case("C087").json("umasks.json"))
def test_c087_a_file_is_private_while_it_is_written(folder, value):
    with umask(value):
        rounds = killed(folder, 20)
    assert {found["mode"] for found in rounds} == {"600"}
    assert {mode for found in rounds for mode in found["others"]} <= {"600"}


def test_c087_nothing_is_written_where_nobody_asked_for_it(folder, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    copy("hi", lambda data: None, {"TERM": "xterm"})
    with pytest.raises(SaveError):
        save("a.pdf", SHORT)
    assert os.listdir(folder) == []


def mounted(folder: Path, *options: str) -> bool:
    """Whether this machine lets its tests mount: else a limit stands in for the disk."""
    command = ["mount", "-t", "tmpfs", "-o", ",".join((f"size={DISK}", *options)), "none", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def small_disk(folder: Path) -> Generator[tuple[Path, str], None, None]:
    """A directory with room for 256 kB, and how a sentence calls the fault."""
    disk = folder / "disk"
    disk.mkdir()
    if mounted(disk):
        yield disk, "the disk is full; make room, or choose another place"
        subprocess.run(["umount", str(disk)], check=True)
        return
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (DISK, before[1]))
    yield disk, "a file may not be that large here; choose another place"
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_c088_a_disk_that_fills_is_said_at_once_and_the_old_file_stays_whole(small_disk, folder):
    disk, words = small_disk
    path = disk / "a.json"
    for _ in range(2):  # the first fault takes no room away
        with pytest.raises(SaveError) as caught:
            save(str(path), TALK)
        assert str(caught.value) == f"cannot write {path}: {words}"
        assert os.listdir(disk) == []
    save(str(path), SHORT)
    old = path.read_bytes()
    with pytest.raises(SaveError):
        save(str(path), TALK, force=True)
    assert path.read_bytes() == old
    assert os.listdir(disk) == ["a.json"]


def test_c088_after_a_fault_the_conversation_can_be_saved_elsewhere(small_disk, tmp_path_factory):
    with pytest.raises(SaveError):
        save(str(small_disk[0] / "a.json"), TALK)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    elsewhere = save(str(tmp_path_factory.mktemp("elsewhere") / "a.json"), TALK)
    assert json.loads(elsewhere.read_bytes())["messages"][0]["blocks"][0]["text"] == "x" * 500_000


def test_c088_a_place_that_takes_nothing_is_said_at_once(folder):
    disk = folder / "disk"
    disk.mkdir()
    is_mounted = mounted(disk, "ro")
    try:
        # /sys lets nobody make a file, root neither
        place, words = (
            (disk, "the file system is read-only") if is_mounted else (Path("/sys"), "you may not write there")
        )
        for force in (False, True):
            with pytest.raises(SaveError) as caught:
                save(str(place / "a.md"), TALK, force=force)
            assert str(caught.value) == f"cannot write {place}/a.md: {words}; choose another place"
    finally:
        if is_mounted:
            subprocess.run(["umount", str(disk)], check=True)


def test_c088_a_save_that_is_killed_anywhere_leaves_the_whole_old_file_or_the_whole_new_one(folder):
    rounds = killed(folder, 200)
    counts = Counter(found["file"] for found in rounds)
    assert counts["old"] + counts["new"] == len(rounds) == 200, counts
    assert max(len(found["others"]) for found in rounds) <= 1
    assert sum(len(found["others"]) for found in rounds) > 0  # some were killed while they wrote
    assert counts["new"] > 0  # and some had ended
