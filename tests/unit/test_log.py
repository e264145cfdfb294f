from __future__ import annotations

import logging
import os
import stat
import warnings

import pytest

from mewcode.log import Log
from mewcode.secret import Secret

KEY = "sk-C2A3N4A5R6Y7"


@pytest.fixture(autouse=True)
def _logging_as_it_was():
    root = logging.getLogger()
    names = ["mewcode", "mewcode.tui.screen", "openai", "httpx2", "urwid"]
    handlers, levels = root.handlers[:], {name: logging.getLogger(name).level for name in names}
    level, raises = root.level, logging.raiseExceptions
    with warnings.catch_warnings():
        yield
        logging.captureWarnings(False)
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:], logging.raiseExceptions = handlers, raises
    root.setLevel(level)
    for name in names:
        logging.getLogger(name).setLevel(levels[name])


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "state" / "mewcode"


def ours():
    return logging.getLogger("mewcode.llm.turn")


def text(folder):
    path = folder / "mewcode.log"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_nothing_is_created_before_the_first_record(folder):
    Log(folder, "error")
    ours().info("below the level")
    assert not folder.parent.exists()


@pytest.mark.parametrize("mask", [0, 0o022, 0o077])
def test_the_file_and_its_folder_are_private_whatever_the_umask(folder, mask, umask):
    umask(mask)
    Log(folder, "error")
    ours().error("broken")
    assert (mode(folder), mode(folder / "mewcode.log")) == (0o700, 0o600)


@pytest.fixture
def umask():
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def test_a_log_that_grew_too_large_moves_aside_and_stays_private(folder):
    Log(folder, "info")
    for _ in range(3):
        ours().info("x" * 600_000)
    assert sorted(path.name for path in folder.iterdir()) == ["mewcode.log", "mewcode.log.1"]
    assert {mode(path) for path in folder.iterdir()} == {0o600}


@pytest.mark.parametrize(("level", "kept"), [("error", "e"), ("info", "ei"), ("debug", "eid")])
def test_our_own_records_go_in_from_the_level_on(folder, level, kept):
    Log(folder, level)
    for write, word in ((ours().error, "e"), (ours().info, "i"), (ours().debug, "d")):
        write("<%s>", word)
    assert [word for word in "eid" if f"<{word}>" in text(folder)] == list(kept)


@pytest.mark.parametrize("name", ["openai", "openai._base_client", "httpx2", "urwid.main_loop", "mewcode.tui.screen"])
def test_what_others_say_in_detail_stays_out(folder, name):
    Log(folder, "debug")
    for write in (logging.getLogger(name).debug, logging.getLogger(name).info, logging.getLogger(name).warning):
        write("a whole request")
    assert text(folder) == ""
    logging.getLogger(name).error("a failure")
    assert "a failure" in text(folder)


@pytest.mark.parametrize("name", ["openai", "httpx2"])
def test_an_sdk_whose_own_switch_is_on_stays_out_too(folder, name):
    Log(folder, "debug")
    logging.getLogger(name).setLevel(logging.DEBUG)  # what OPENAI_LOG=debug does
    logging.getLogger(name).debug("a whole request")
    assert text(folder) == ""


def test_a_key_is_hidden_in_messages_arguments_and_exceptions(folder):
    log = Log(folder, "debug")
    log.hide(Secret(KEY))
    log.hide(None)
    ours().error("in the message %s", KEY)
    try:
        try:
            raise OSError(f"in the cause {KEY}")
        except OSError as error:
            raise ValueError(f"in the exception {KEY}") from error
    except ValueError:
        ours().exception("crashed")
    assert KEY not in text(folder)
    for place in ("in the message ***", "in the cause ***", "in the exception ***"):
        assert place in text(folder)


def test_half_a_character_is_written_as_an_escape(folder):
    Log(folder, "error")
    ours().error("half \ud83d and whole 中")
    assert "half \\ud83d and whole 中" in text(folder)


def test_a_link_in_the_place_of_the_file_is_not_followed(folder, tmp_path, capfd):
    folder.mkdir(parents=True)
    target = tmp_path / "target"
    target.write_text("precious")
    (folder / "mewcode.log").symlink_to(target)
    Log(folder, "error")
    ours().error("broken")
    assert target.read_text() == "precious"
    assert capfd.readouterr() == ("", "")


def test_a_folder_that_cannot_be_made_is_silent(tmp_path, capfd):
    (tmp_path / "state").write_text("a file")
    Log(tmp_path / "state" / "mewcode", "error")
    ours().error("broken")
    logging.getLogger("openai").error("broken")
    assert capfd.readouterr() == ("", "")


def test_a_warning_does_not_reach_the_terminal(folder, capfd):
    Log(folder, "debug")
    warnings.simplefilter("always")
    warnings.warn("deprecated", stacklevel=1)
    assert capfd.readouterr() == ("", "")
