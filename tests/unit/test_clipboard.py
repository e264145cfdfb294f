from __future__ import annotations

import base64
import os
import re
import stat
import time
from pathlib import Path

import pytest

from mewcode.tui.clipboard import LIMIT, copy

SENT = "Sent to the terminal (OSC 52), which does not say whether it took it; /save FILE writes a file."
IN_TMUX = f"Put into tmux's buffer, and s{SENT[1:]}"
XTERM = {"TERM": "xterm-256color"}


def copied(text: str, environ: dict[str, str], **options: bool) -> tuple[str, bytes]:
    """The sentence, and the bytes that went to the terminal."""
    written: list[bytes] = []
    sentence = copy(text, written.append, environ, **options)
    assert len(written) <= 1  # whole, so that nothing can come between
    return sentence, b"".join(written)


def osc52(text: str, end: bytes = b"\x1b\\") -> bytes:
    return b"\x1b]52;c;" + base64.b64encode(text.encode()) + end


@pytest.fixture
def tmux(folder: Path) -> dict[str, str]:
    """A tmux that keeps what it is given."""
    write_tmux(folder, 'echo "$@" > arguments; cat > buffer')
    return {"TERM": "screen-256color", "TMUX": "/tmp/tmux-0/default,1,0", "PATH": f"{folder}:{os.environ['PATH']}"}


def write_tmux(folder: Path, line: str) -> None:
    (folder / "tmux").write_text(f"#!/bin/sh\n{line}\n")
    (folder / "tmux").chmod(0o755)


@pytest.mark.parametrize("text", ["x", "a\n\tb ☃ 日本\n", "\x1b[2J\x07" * 9, ""])
def test_the_text_goes_out_whole_and_in_base64(text):
    sentence, written = copied(text, XTERM)
    assert written == osc52(text)
    assert sentence.startswith(SENT[:-1])


def test_half_a_surrogate_pair_is_a_question_mark():
    assert copied("a\ud83d", XTERM)[1] == osc52("a?")


def test_what_the_screen_shows_as_marks_is_copied_as_it_came_and_said():
    assert copied("a\r\nb\u202e", XTERM)[0] == (
        SENT[:-1] + "; control or invisible characters are in it, as the model wrote them."
    )
    assert copied("a\r\nb", XTERM)[0] == SENT


@pytest.mark.parametrize("environ", [{"TERM": "screen.xterm"}, {"TERM": "xterm", "STY": "1.pts"}])
@pytest.mark.parametrize("length", [0, 1, 170, 180, 5000])
def test_screen_hands_it_on_in_pieces_that_it_takes(environ, length):
    text = "x" * length
    sentence, written = copied(text, environ)
    pieces = re.findall(rb"\x1bP(.*?)\x1b\\", written, re.DOTALL)
    assert b"".join(b"\x1bP" + piece + b"\x1b\\" for piece in pieces) == written
    assert max(map(len, pieces)) < 256
    assert b"".join(pieces) == osc52(text, b"\x07")
    assert sentence == SENT


def test_inside_tmux_it_goes_into_the_buffer_and_out_unwrapped(tmux):
    assert copied("a\n日", tmux) == (IN_TMUX, osc52("a\n日"))
    assert (Path("buffer").read_text(), Path("arguments").read_text()) == ("a\n日", "load-buffer -w -\n")


@pytest.mark.parametrize("line", ["exit 1", "exec sleep 30", "kill $$", ""])
def test_a_tmux_that_fails_or_hangs_leaves_the_terminal(folder, tmux, line):
    write_tmux(folder, line) if line else (folder / "tmux").unlink()
    began = time.monotonic()
    assert copied("a", {**tmux, "PATH": f"{folder}:/bin" if line else str(folder)}) == (SENT, osc52("a"))
    assert time.monotonic() - began < 3.0


TOO_LARGE = f"{LIMIT + 1:,} bytes are too many for a terminal's clipboard (74,994): the text is in "


def test_as_much_as_terminals_take_is_sent_and_no_more(folder, monkeypatch):
    assert len(copied("x" * LIMIT, XTERM)[1]) == 100_000 + 1  # ST is one byte more than BEL
    sentence, written = copied("é" + "x" * (LIMIT - 1), {**XTERM, "XDG_RUNTIME_DIR": str(folder)})
    assert (sentence.startswith(TOO_LARGE), written) == (True, b"")


@pytest.mark.parametrize("term", ["linux", "linux-16color", "dumb", "fbterm", "vt100", "vt220", ""])
def test_a_terminal_without_a_clipboard_gets_nothing_and_the_text_a_private_file(folder, term):
    before = os.umask(0)
    try:
        sentence, written = copied("a\x1b\n", {"TERM": term, "XDG_RUNTIME_DIR": str(folder)})
    finally:
        os.umask(before)
    (name,) = os.listdir(folder)
    assert sentence == f"This terminal has no clipboard: the text is in {folder}/{name}."
    assert written == b""
    assert (folder / name).read_bytes() == b"a\x1b\n"
    assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


@pytest.mark.parametrize("runtime", ["", "relative", "/not/there"])
def test_without_a_runtime_directory_the_file_goes_to_the_state(folder, monkeypatch, runtime):
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    copied("a", {"TERM": "linux", "XDG_RUNTIME_DIR": runtime})
    (path,) = (folder / "state" / "mewcode").iterdir()
    assert path.read_text() == "a"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_where_nothing_can_be_written_save_is_named(folder, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(folder / "file"))
    sentence = copied("a", {"TERM": "linux"})[0]
    assert sentence == "This terminal has no clipboard, and no private file could be written: save it with /save FILE."


def test_a_conversation_that_is_kept_nowhere_is_put_into_no_file(folder):
    sentence = copied("a", {"TERM": "linux", "XDG_RUNTIME_DIR": str(folder)}, files=False)[0]
    assert sentence == (
        "This terminal has no clipboard, and nothing may be written to the disk: save it with /save FILE."
    )
    assert os.listdir(folder) == []
