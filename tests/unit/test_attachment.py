from __future__ import annotations

import os

import pytest

from mewcode.attachment import MOST, AttachError, Attachment, attach, files_beginning, with_attachments


def test_a_file_is_a_fenced_block_under_its_name_and_stands_before_the_message(tmp_path):
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbfprint('\xe7\x8c\xab')\r\n")
    file = attach(str(tmp_path / "a.py"))
    assert file == Attachment("a.py", "print('猫')\n")
    assert with_attachments([file], "Why?") == "a.py:\n\n```\nprint('猫')\n```\n\nWhy?"
    assert with_attachments([file], "") == file.block
    assert with_attachments([], "Why?") == "Why?"


@pytest.mark.parametrize(
    ("text", "fence"), [("a", "```"), ("```\na\n```", "````"), ("``````", "```````"), ("``", "```")]
)
def test_nothing_in_a_file_can_close_its_block(text, fence):
    assert Attachment("n", text).block == f"n:\n\n{fence}\n{text}\n{fence}"


@pytest.mark.parametrize(
    ("text", "size"), [("a", "1 line"), ("a\n", "1 line"), ("a\nb", "2 lines"), ("\n" * 1234, "1,234 lines")]
)
def test_its_size_is_told_in_lines(text, size):
    assert Attachment("n", text).size == size


def test_a_home_directory_may_be_short(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "notes").write_text("x")
    assert attach("~/notes").name == "notes"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x7fELF\x00\x00", "is not text in UTF-8"),
        (b"caf\xe9", "is not text in UTF-8"),
        ("UTF-16".encode("utf-16"), "is not text in UTF-8"),
        (b"x" * (MOST + 1), "is larger than 2 MB"),
        (b" \n", "is empty"),
    ],
)
def test_what_is_no_text_is_refused_in_one_line(tmp_path, data, words):
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(AttachError, match=words) as refused:
        attach(str(tmp_path / "file"))
    assert refused.value.is_there


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gone", "No such file"),
        (".", "Is a directory"),
        ("a\0b", "no name of a file"),
        ("x" * 5000, "File name too long"),
    ],
)
def test_what_cannot_be_read_is_named_with_the_reason(tmp_path, monkeypatch, name, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AttachError, match=words) as refused:
        attach(name)
    assert not refused.value.is_there
    assert len(str(refused.value)) < 300


def test_names_go_on_as_they_were_begun(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "notes").mkdir()
    for name in ("notes/a.txt", "nothing", ".hidden", "odd\nname"):
        (tmp_path / name).write_text("x")
    assert files_beginning("no") == ["notes/", "nothing"]
    assert files_beginning("") == ["notes/", "nothing"]
    assert files_beginning(".") == [".hidden"]
    assert files_beginning("~/notes/") == ["~/notes/a.txt"]
    assert files_beginning(f"{tmp_path}/notes/a") == [f"{tmp_path}/notes/a.txt"]
    for gone in ("gone/", "x\0", "nothing/", "no" * 5000):
        assert files_beginning(gone) == []


def test_a_name_that_would_act_on_the_terminal_is_shown_and_does_not(tmp_path):
    path = tmp_path / "a\x1b[2J\n`b"
    path.write_text("x")
    assert attach(os.fspath(path)).name == "a␛[2J `b"
