from __future__ import annotations

import contextlib
import fcntl
import locale
import os
import threading
import time
import tty
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mewcode.farewell import leave, transcript
from mewcode.llm.messages import Message, Role, Status, TextBlock, ThinkingBlock

if TYPE_CHECKING:
    from collections.abc import Generator


def said(role: Role, text: str, status: Status = "complete", elapsed: float | None = 1.0) -> Message:
    return Message(f"{role}-{status}", role, (ThinkingBlock("hm"), TextBlock(text)), status, elapsed=elapsed)


TALK = [
    said("user", "Say “hi”\nto me"),
    said("assistant", "# Hi\n\n- *you*\n"),
    said("user", "more"),
    said("assistant", "so\x1b[2J \u202emu", "cancelled", 2.5),
    said("user", "again"),
    said("assistant", "", "error", None),
]
REASONS = {"assistant-error": "claude refused the key (401)."}


@pytest.fixture
def _utf8() -> Generator[None, None, None]:
    """Tests run in any locale; here it is the encoding that decides."""
    before = locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    yield
    locale.setlocale(locale.LC_CTYPE, before)


@pytest.mark.usefixtures("_utf8")
def test_prompts_and_answers_stand_as_their_source_and_ends_are_marked():
    assert transcript(TALK, REASONS).decode() == (
        "❯ Say “hi”\nto me\n\n# Hi\n\n- *you*\n\n❯ more\n\nso␛[2J <U+202E>mu\n\n[Cancelled after 2.5 s]\n\n"
        "❯ again\n\n[Failed: claude refused the key (401).]\n"
    )


@pytest.mark.parametrize(("encoding", "first"), [("gbk", "> Say “hi”"), ("ascii", "> Say ?hi?")])
def test_a_terminal_without_utf_8_gets_ascii_marks_and_what_it_can_show(encoding, first):
    written = transcript([*TALK, said("user", "é 日 😀")], REASONS, encoding).decode(encoding)
    assert written.startswith(first)
    assert "so^[[2J <U+202E>mu" in written
    assert written.endswith("> é 日 ?\n" if encoding == "gbk" else "> ? ? ?\n")


def test_a_chat_without_a_word_leaves_nothing():
    assert transcript([]) == b""


def test_nothing_is_cut_however_long(folder):
    text = transcript([said("user", "x" * 3_000_000)])
    with Path("out").open("wb") as file:
        assert leave(text, file.fileno())
    assert Path("out").read_bytes() == text


@pytest.fixture
def pty() -> Generator[tuple[int, int], None, None]:
    master, slave = os.openpty()
    tty.setraw(slave)
    yield master, slave
    for descriptor in (master, slave):
        with contextlib.suppress(OSError):
            os.close(descriptor)


def test_a_terminal_that_takes_nothing_holds_up_the_end_for_the_patience_alone(pty):
    began = time.monotonic()
    assert not leave(b"x" * 1_000_000, pty[1], patience=0.3)
    assert 0.25 < time.monotonic() - began < 1.5
    os.close(pty[0])  # ends the thread that writes


def test_a_terminal_that_is_too_slow_is_told_that_it_is_not_all(pty):
    master, slave = pty
    got: list[bytes] = []
    never = threading.Event()

    def read_slowly() -> None:
        while not (got and b"too slow" in b"".join(got[-2:])):
            got.append(os.read(master, 512))
            never.wait(0.002)

    reader = threading.Thread(target=read_slowly, daemon=True)
    reader.start()
    assert not leave(b"x" * 10_000_000, slave, patience=0.5)
    reader.join(10)
    assert b"".join(got).endswith(b"\n[not all of it: the terminal is too slow]\n")


def test_a_closed_terminal_or_pipe_is_passed_over_in_silence(pty, capfd):
    master, slave = pty
    os.close(master)
    reading, writing = os.pipe()
    os.close(reading)
    began = time.monotonic()
    assert not leave(b"x" * 100, slave)
    assert not leave(b"x" * 100, writing)
    os.close(writing)
    assert not leave(b"x" * 100, writing)
    assert time.monotonic() - began < 1.0
    assert capfd.readouterr() == ("", "")


def test_the_terminal_keeps_its_flags(pty):
    before = fcntl.fcntl(pty[1], fcntl.F_GETFL)
    assert leave(b"hi\n", pty[1])
    assert fcntl.fcntl(pty[1], fcntl.F_GETFL) == before
    assert os.read(pty[0], 100) == b"hi\n"
