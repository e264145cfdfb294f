"""The window: it changes its size while text comes, holds what is as wide as it looks, and stays where one reads."""

from __future__ import annotations

import itertools
import json
import re
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
import wcwidth

from mewcode.llm.events import StreamEnd, TextDelta
from mewcode.llm.messages import Usage
from tests.cases.case import Case
from tests.cases.play import case_serving, config_file
from tests.e2e.terminal import Terminal, terminal
from tests.screens.stage import Stage

END = StreamEnd("end", "stop", Usage(1, 1))
SAMPLES = [(text.removesuffix("|"), column) for text, column in Case("C067").json("rows.json")]
CLUSTERS = [4, 1, 1, 1, 1, 1, 2, 1, 2, 1, 3]  # by UAX #29
HERE = str(Path(__file__).resolve().parents[2])
QUICKER = 5  # than in the case, the changes of size as well


@pytest.fixture
def stage():
    made = Stage()
    yield made
    made.close()


def text_of(body):
    """What a chat stream says."""
    events = re.findall(rb"^data: (\{.*)", body, re.MULTILINE)
    choices = (choice for event in events for choice in json.loads(event)["choices"])
    return "".join(choice["delta"].get("content") or "" for choice in choices)


def test_c066_the_text_is_whole_after_a_storm_of_sizes_and_the_view_stays_at_the_bottom():
    case = Case("C066")
    (step,) = case.steps
    sizes = itertools.cycle([(80, 24), (120, 40), (40, 10), (100, 24)])
    with (
        case_serving(replace(step, delay=step.delay / QUICKER)) as server,
        terminal("-c", str(config_file(server.url, case.protocol))) as chat,
    ):
        chat.wait("Ask anything")
        chat.send("count\r")
        chat.wait("word0")
        while "word199" not in chat.text:
            chat.resize(next(sizes))
            chat.wait(lambda: bar_is_whole(chat))
            assert "Imagining" in chat.text or " s\n" in chat.text  # what stands below the newest line
            for _ in range(8):
                chat.read(0.13 / QUICKER / 8)
        chat.resize((120, 40))
        chat.wait(lambda: "Imagining" not in chat.text and bar_is_whole(chat))
        assert without_blanks(text_of(step.body)) in without_blanks(chat.text)
        chat.send("\x04")
        assert chat.exit_code() == 0


def scroll_up(chat):
    before = chat.rows[:9]
    chat.send("\x1b[5~")
    chat.wait(lambda: chat.rows[:9] != before)


def without_blanks(text):
    return "".join(text.split())


def bar_is_whole(chat):
    """The last row is the bar, as wide as the window, and no piece of it stands elsewhere: nothing has wrapped."""
    bar = chat.rows[-1]
    return bar.startswith("demo") and bar.endswith("demo-model") and len(bar) == chat.size[0]


def test_c066_the_line_that_is_read_stays_in_view_at_every_size():
    stage = Stage((80, 24))
    stage.ask("count")
    stage.say(TextDelta("".join(f"- line {n}\n" for n in range(200))))
    stage.press("page up", "page up")
    for number, size in enumerate([(120, 40), (40, 10), (100, 24), (80, 24)] * 3):
        last = [row for row in stage.rows[:-3] if "line" in row][-1]
        stage.resize(size)
        stage.say(TextDelta(f"- more {number}\n"))
        assert last in stage.rows
        assert [row for row in stage.rows if "line" in row]
    stage.close()


@pytest.mark.parametrize("width", [80, 20])
def test_c067_what_comes_after_a_sample_is_in_its_column_and_bars_are_below_each_other(width):
    stage = Stage((width, 60))
    stage.ask("show")
    stage.say(TextDelta("\n\n".join(f"{text}|" for text, _ in SAMPLES)), END)
    rows = [row for row in stage.rows if row.endswith("|")]
    assert [wcwidth.wcswidth(row) - 1 for row in rows] == [column for _, column in SAMPLES]
    stage.ask("in a table")
    table = "| sample | end |\n|---|---|\n" + "".join(f"| {text} | x |\n" for text, _ in SAMPLES)
    stage.say(TextDelta(table), END)
    bars = {wcwidth.wcswidth(row.partition("│")[0]) for row in stage.rows if "│" in row}
    assert len(bars) == 1
    stage.close()


@pytest.mark.parametrize("width", range(2, 12))
def test_c067_no_row_begins_within_a_cluster(width):
    stage = Stage((width, 80))
    stage.ask("show")
    stage.say(TextDelta("".join(text for text, _ in SAMPLES) * 4), END)
    flags = 0
    for row in stage.rows:
        assert not row[:1] or unicodedata.category(row[0]) not in ("Mn", "Me", "Cf")
        assert row[:1] not in ("\u1161", "\u11ab", "\u0e33")
        assert "\U0001f1e8" not in row.replace("\U0001f1e8\U0001f1e6", "")
        flags += row.count("\U0001f1e8\U0001f1e6")
    assert flags == 4
    stage.close()


@pytest.mark.parametrize(("sample", "clusters"), [(text, n) for (text, _), n in zip(SAMPLES, CLUSTERS, strict=True)])
def test_c067_left_and_backspace_go_by_whole_clusters(stage, sample, clusters):
    stage.type(sample)
    stage.press(*["left"] * clusters, "X")
    assert stage.prompt == f"X{sample}"
    stage.press("backspace", "end", *["backspace"] * clusters)
    assert stage.prompt == ""


def test_c078_from_page_up_to_the_end_the_top_line_stays_and_end_follows_again(tmp_path):
    case = Case("C078")
    (step,) = case.steps
    talk = [{"role": role, "content": f"{role} {n}\n\nmore"} for n in range(20) for role in ("user", "assistant")]
    (tmp_path / "talk.json").write_text(json.dumps(talk))
    with case_serving(replace(step, delay=step.delay / QUICKER), step) as server:
        config = str(config_file(server.url, case.protocol))
        command = [sys.executable, "-m", "tests.cases.loaded", str(tmp_path / "talk.json"), "-c", config]
        chat = Terminal(command, (80, 24), PYTHONPATH=HERE)
        try:
            chat.wait("Ask anything")
            chat.send("tell me\r")
            chat.wait("word1")
            for _ in range(2):
                scroll_up(chat)
            for _ in range(6):
                chat.read(0.05)  # the rest of the frame
            top = chat.rows[:9]
            tops = set()
            while "Imagining" in chat.rows[-1]:
                chat.read(0.05)
                tops.add(tuple(chat.rows[:9]))
            chat.resize((80, 24))
            chat.quiet_for(1.0)
            tops.add(tuple(chat.rows[:9]))
            assert tops == {tuple(top)}
            assert re.search(r"\d+ new lines ↓ End", chat.rows[-1])
            chat.send("\x1b[F")
            chat.wait("code 27")
            assert "new line" not in chat.rows[-1]
            chat.send("more\r")
            chat.wait("Imagining")  # below the newest text: it is followed
        finally:
            chat.close()
