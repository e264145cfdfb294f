from __future__ import annotations

import io
import os
import pty
import sys
import threading

import pytest

from mewcode.question import SILENCE, piped_stdin, read_question


@pytest.fixture
def notes():
    return []


@pytest.fixture
def pipe():
    """(what reads, what writes), both closed at the end."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", buffering=0) as sink:
        yield source, sink


def piped(pipe, content):
    source, sink = pipe
    sink.write(content)
    sink.close()
    return source


@pytest.mark.parametrize(
    ("given", "content", "question"),
    [
        ("q", b"text\n", "q\n\ntext"),
        (None, b"text\n", "text"),
        ("", b"text", "text"),
        ("q", b"", "q"),
        ("q", b"\n\n", "q"),
        (None, b"", ""),
        ("q", b"\n  a\n\nb  \n\n", "q\n\n  a\n\nb  "),
        (None, "中\n".encode(), "中"),
        (None, b"a\xffb", "a\ufffdb"),
    ],
)
def test_what_is_piped_in_comes_after_the_message_and_a_blank_line(given, content, question, pipe, notes):
    assert read_question(given, piped(pipe, content), notes.append) == question
    assert notes == []


@pytest.mark.parametrize(("given", "question"), [("q", "q"), (None, ""), ("", "")])
def test_without_a_pipe_the_message_is_all(given, question, notes):
    assert read_question(given, None, notes.append) == question
    assert notes == []


def test_a_pipe_beside_a_message_that_nobody_writes_to_is_left_unread_with_a_note(pipe, notes):
    assert read_question("q", pipe[0], notes.append) == "q"
    [note] = notes
    assert "unread" in note


def test_a_pipe_that_is_all_there_is_is_waited_for_to_its_end(pipe, notes):
    source, sink = pipe
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(read_question(None, source, notes.append)))
    reader.start()
    reader.join(SILENCE + 0.1)
    sink.write(b"slow ")
    sink.write(b"text")
    reader.join(0.02)
    assert read == []
    sink.close()
    reader.join(10)
    assert (read, notes) == (["slow text"], [])


def test_a_pipe_larger_than_its_buffer_is_read_whole(pipe, notes):
    source, sink = pipe
    content = b"x" * 1_000_000
    writer = threading.Thread(target=lambda: (sink.write(content), sink.close()))
    writer.start()
    assert read_question("q", source, notes.append) == "q\n\n" + content.decode()
    writer.join(10)


def test_a_terminal_is_no_pipe(monkeypatch):
    master, slave = pty.openpty()
    with os.fdopen(master), os.fdopen(slave) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        assert piped_stdin() is None


def test_a_closed_stdin_is_no_pipe(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert piped_stdin() is None
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stdin", closed)
    assert piped_stdin() is None


def test_any_other_stdin_is_one(monkeypatch, tmp_path):
    (tmp_path / "question").write_text("q\n")
    with (tmp_path / "question").open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        stdin = piped_stdin()
        assert stdin is not None
        assert read_question(None, stdin, print) == "q"
