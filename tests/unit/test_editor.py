from __future__ import annotations

import contextlib
import os
import signal
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from mewcode.tui.editor import EditorError, edited

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


class Paused:
    """Notes the order of things."""

    def __init__(self) -> None:
        self.log: list[str] = []

    @contextlib.contextmanager
    def __call__(self) -> Generator[None, None, None]:
        self.log.append("paused")
        yield
        self.log.append("on")


@pytest.fixture
def paused() -> Paused:
    return Paused()


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()


def using(folder: Path, **environ: str) -> dict[str, str]:
    return {"TMPDIR": str(folder / "tmp"), **environ}


def editor(folder: Path, script: str) -> str:
    """A command that runs Python with `file`, the path to edit."""
    path = folder / "an editor.py"
    path.write_text(f"import os, pathlib, signal, sys\nfile = pathlib.Path(sys.argv[-1])\n{script}\n", encoding="utf-8")
    return f"{sys.executable} '{path}' --wait"


def left(folder: Path) -> list[Path]:
    return [*(folder / "tmp").iterdir()]


def test_the_editor_gets_the_text_and_gives_it_back(tmp_path, paused):
    command = editor(tmp_path, "file.write_text(file.read_text('utf-8').upper() + ' 猫', 'utf-8')")
    assert edited("a\nbé", paused, using(tmp_path, EDITOR=command)) == "A\nBÉ 猫"
    assert paused.log == ["paused", "on"]
    assert left(tmp_path) == []


def test_the_file_is_private_and_so_is_its_directory(tmp_path, paused):
    command = editor(tmp_path, "file.write_text(f'{file.stat().st_mode:o} {file.parent.stat().st_mode:o}')")
    file, folder = (stat.S_IMODE(int(mode, 8)) for mode in edited("", paused, using(tmp_path, EDITOR=command)).split())
    assert (file, folder) == (0o600, 0o700)


def test_visual_goes_before_editor_and_an_empty_one_counts_for_nothing(tmp_path, paused):
    one = editor(tmp_path, "file.write_text('visual')")
    assert edited("", paused, using(tmp_path, VISUAL=one, EDITOR="false")) == "visual"
    assert edited("", paused, using(tmp_path, VISUAL=" ", EDITOR=one)) == "visual"


@pytest.mark.parametrize("there", [["nano", "vi"], ["vi"]])
def test_without_either_the_first_usual_editor_is_taken(tmp_path, paused, there):
    for name in there:
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} > "$1"\n', encoding="utf-8")
        (tmp_path / name).chmod(0o700)
    assert edited("", paused, using(tmp_path, PATH=str(tmp_path))) == there[0]


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [("a", "a\n", "a"), ("a\n", "a\n", "a\n"), ("a", "b\n\n", "b\n"), ("a", "", ""), ("a", "b\r\nc\r\n", "b\nc")],
)
def test_a_new_line_that_the_editor_added_is_dropped(tmp_path, paused, before, after, text):
    command = editor(tmp_path, f"file.write_bytes({after!r}.encode())")
    assert edited(before, paused, using(tmp_path, EDITOR=command)) == text


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("false", "the editor false ended with exit code 1; the prompt is as it was"),
        ("sh -c 'kill -9 $$'", "the editor sh was ended by signal 9; the prompt is as it was"),
        ("/nowhere/ed", "cannot start the editor /nowhere/ed: no such file or directory; set $VISUAL or $EDITOR"),
        ("/", "cannot start the editor /: permission denied; set $VISUAL or $EDITOR"),
        ("vi 'x", "$EDITOR has a quote without an end: vi 'x"),
        ("", "there is no editor: neither nano nor vi is installed; set $VISUAL or $EDITOR"),
    ],
)
def test_a_failing_editor_is_one_sentence(tmp_path, paused, command, told):
    with pytest.raises(EditorError) as caught:
        edited("draft", paused, using(tmp_path, EDITOR=command, PATH=str(tmp_path)))
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)
    assert paused.log in ([], ["paused", "on"], ["paused"])
    assert left(tmp_path) == []


def test_what_is_not_utf_8_is_kept_and_its_place_named(tmp_path, paused):
    command = editor(tmp_path, "file.write_bytes(b'\\xff\\xfe')")
    with pytest.raises(EditorError) as caught:
        edited("draft", paused, using(tmp_path, EDITOR=command))
    (folder,) = left(tmp_path)
    assert str(folder / "prompt.md") in str(caught.value)
    assert (folder / "prompt.md").read_bytes() == b"\xff\xfe"


def test_a_full_disk_is_one_sentence(tmp_path, paused):
    (tmp_path / "tmp").rmdir()
    with pytest.raises(EditorError, match="cannot make a file to edit: no such file or directory"):
        edited("draft", paused, using(tmp_path, EDITOR="true"))


def test_ctrl_c_in_the_editor_is_the_editors(tmp_path, paused):
    script = "os.kill(os.getppid(), signal.SIGINT); file.write_text(str(signal.getsignal(signal.SIGINT)))"
    before = signal.getsignal(signal.SIGINT)
    assert "default_int_handler" in edited("", paused, using(tmp_path, EDITOR=editor(tmp_path, script)))
    assert signal.getsignal(signal.SIGINT) is before


def test_the_editor_has_the_environment(tmp_path, paused, monkeypatch):
    monkeypatch.setenv("MEWCODE_TEST", "here")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("EDITOR", editor(tmp_path, "file.write_text(os.environ['MEWCODE_TEST'])"))
    monkeypatch.delenv("VISUAL", raising=False)
    assert edited("", paused) == "here"
    assert os.environ["MEWCODE_TEST"] == "here"
