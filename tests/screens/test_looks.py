"""What commands and keys do to the way the conversation is shown."""

from __future__ import annotations

import pytest

from mewcode.config.settings import Ui
from mewcode.llm.events import StreamEnd, TextDelta, ThinkingComplete, ThinkingDelta
from mewcode.llm.messages import ThinkingBlock, Usage
from tests.screens.stage import Stage

DONE = StreamEnd("end", "stop", Usage(100, 7, 75))
THOUGHT = (ThinkingDelta("Let me "), ThinkingDelta("see."), ThinkingComplete(ThinkingBlock("Let me see.")))


def talk(stage: Stage, *answers: str) -> Stage:
    for answer in answers:
        stage.ask("Why?")
        stage.say(*THOUGHT, TextDelta(answer), DONE)
    return stage


def status(stage: Stage) -> str:
    return str(stage.rows[-1])


def test_raw_shows_the_source_of_every_answer_and_markdown_again(stage):
    talk(stage, "*one*", "**two**")
    stage.ask("/raw")
    assert {"*one*", "**two**"} <= set(stage.rows)
    stage.ask("/raw")
    assert {"one", "two"} <= set(stage.rows)


def test_of_a_long_question_the_beginning_and_the_end_are_shown_and_all_of_it_when_asked_for(staged):
    stage = staged((80, 60))
    long = "\n".join(f"line {n}" for n in range(200))
    stage.chat.send(f"{long}\nWhat is this?")
    stage.say(TextDelta("Lines."), DONE)
    rows = stage.rows
    assert "❯ line 0" in rows
    assert rows[rows.index("line 7") + 1 :][:2] == ["… 177 more lines; /raw shows them", "line 185"]
    assert "What is this?" in rows
    assert stage.client.asked[0][-1].blocks[0].text.count("\n") == 200
    stage.ask("/raw")
    stage.press("page up")
    assert "line 150" in stage.rows


def test_thinking_is_hidden_until_it_is_asked_for_and_then_of_all_answers(staged):
    stage = talk(staged((80, 40)), "One.", "Two.")
    assert "Let me see." not in stage.rows
    stage.press("meta t")
    assert stage.rows.count("Let me see.") == 2
    stage.ask("/thinking")
    assert "Let me see." not in stage.rows


def test_thinking_is_shown_while_it_comes_where_it_is_wanted(stage):
    stage.press("meta t")
    stage.ask("Why?")
    stage.say(ThinkingDelta("Hm, "), ThinkingDelta("well"))
    assert "Hm, well" in stage.rows
    stage.say(TextDelta("So."), DONE)
    assert "Hm, well" in stage.rows


def test_times_stand_beside_what_was_said(stage):
    talk(stage, "One.")
    before = stage.rows
    stage.ask("/time")
    assert sum(row[:2] == "20" and row[4:5] == "-" for row in stage.rows) == 2
    stage.ask("/time")
    assert [row for row in stage.rows if "imes are" not in row][: len(before) - 5] == before[: len(before) - 5]


def test_the_configuration_says_how_it_begins():
    stage = Stage(ui=Ui(timestamps=True, thinking=True, mouse=True))
    talk(stage, "One.")
    assert "Let me see." in stage.rows
    assert any(row.startswith("20") for row in stage.rows)
    stage.ask("/mouse")
    assert stage.terminal.mouse is False
    stage.close()


def test_nothing_moves_by_itself_where_motion_is_none():
    stage = Stage(ui=Ui(motion="none"))
    stage.ask("Why?")
    assert stage.after == []
    stage.say(TextDelta("So."), DONE)
    stage.close()


def test_what_is_found_is_counted_and_stepped_through_and_esc_ends_it(staged):
    stage = talk(staged((80, 12)), *(f"A needle, number {n}." for n in range(9)))
    stage.ask("/find NEEDLE")
    assert "is not there" in status(stage)
    stage.press("esc")
    stage.ask("/find needle")
    assert "9/9" in status(stage)
    stage.press("N", "N")
    assert "7/9" in status(stage)
    assert any("number 6" in row for row in stage.rows)
    stage.press("n", "n", "n")
    assert "1/9" in status(stage)
    assert any("number 0" in row for row in stage.rows)
    assert stage.style_of("needle") == {"found"}
    stage.press("esc")
    assert "needle" not in status(stage)
    stage.type("no")
    assert stage.prompt == "no"


def test_a_message_ends_finding_so_that_esc_cancels_and_n_is_a_letter(stage):
    talk(stage, "needle")
    stage.ask("/find needle")
    stage.ask("Why?")
    assert stage.style_of("needle") == {None}
    stage.press("esc")
    assert any("Cancelled" in row for row in stage.rows) or stage.prompt == "Why?"
    stage.press("ctrl u")
    stage.type("no")
    assert stage.prompt == "no"


def test_what_is_looked_for_stays_in_sight_as_long_as_n_goes_on_with_it(stage):
    talk(stage, "one needle", "another needle")
    stage.ask("Why?")
    stage.ask("/find needle")
    stage.say(TextDelta("So."), DONE)
    assert "2/2" in status(stage)
    stage.press("ctrl c")
    assert "Ctrl+C again quits" in status(stage)
    stage.press("N")
    assert "1/2" in status(stage)
    stage.press("esc")
    assert "needle" not in status(stage)


def test_what_stands_in_a_table_is_found_too(stage):
    talk(stage, "| cat | says |\n|---|---|\n| Mia | meow |\n| Tom | purr, **needle**, purr |\n")
    stage.ask("/find needle")
    assert "1/1" in status(stage)
    assert stage.style_of("needle") == {"found"}


def test_a_letter_typed_after_finding_goes_into_the_prompt_once_there_is_text(stage):
    talk(stage, "needle")
    stage.ask("/find needle")
    stage.type("xn")
    assert stage.prompt == "xn"


def test_a_marker_counts_what_has_come_below(staged):
    stage = talk(staged((80, 12)), "word\n\n" * 20)
    stage.press("page up")
    assert "↓ End" in status(stage)
    assert "new line" not in status(stage)
    stage.press("page up")
    stage.say()
    stage.client.asked.clear()
    stage.ask("Why?")  # sending shows it
    stage.say(TextDelta("a\n\nb"))
    stage.press("page up")
    stage.say(TextDelta("\n\nc\n\nd"))
    assert "4 new lines ↓ End" in status(stage)


@pytest.mark.parametrize("command", ["/provider other", "/model big-one"])
def test_the_bar_names_who_answers_now(stage, command):
    stage.ask(command)
    assert command.split()[1] in status(stage)
    assert any("answers from now on" in row for row in stage.rows)


def test_the_last_question_is_written_anew_and_its_answer_goes(stage):
    talk(stage, "One.", "Two.")
    stage.ask("/edit")
    assert stage.prompt == "Why?"
    stage.type("!")
    stage.press("enter")
    stage.say(TextDelta("Three."), DONE)
    rows = stage.rows
    assert [row for row in rows if row in ("One.", "Two.", "Three.")] == ["One.", "Three."]
    assert "❯ Why?!" in rows
    assert [message.text for message in stage.chat.desk.session.conversation.snapshot()][2:] == ["Why?!", "Three."]


def test_after_continue_the_question_that_is_written_anew_is_the_users_own(stage):
    stage.ask("Why?")
    stage.say(TextDelta("Because"), StreamEnd("max_tokens"))
    stage.ask("/continue")
    stage.say(TextDelta(" of that."), DONE)
    stage.ask("/edit")
    assert stage.prompt == "Why?"
    stage.press("enter")
    stage.say(TextDelta("Anew."), DONE)
    assert [message.text for message in stage.chat.desk.session.conversation.snapshot()] == ["Why?", "Anew."]
    assert not any("Because" in row or "go on" in row for row in stage.rows)


def test_a_list_of_completions_goes_with_the_next_key(stage):
    stage.type("/mo")
    stage.press("tab")
    assert "/model /mouse" in status(stage)
    stage.press("x")
    assert "/mouse" not in status(stage)


def test_a_slash_alone_is_completed_to_every_command(stage):
    stage.type("/")
    stage.press("tab")
    assert stage.prompt == "/help"
    assert status(stage).startswith("/help /clear")
    assert status(stage).endswith("…")


def test_why_an_editor_cannot_be_started_stands_whole_above_the_prompt(stage, monkeypatch):
    monkeypatch.setenv("VISUAL", "/nowhere/at/all/is/this/editor")
    stage.press("ctrl g")
    said = " ".join(" ".join(stage.rows[:-3]).split())
    assert "Cannot start the editor /nowhere/at/all/is/this/editor: no such file or directory; set $VISUAL or" in said


@pytest.mark.parametrize("key", ["esc", "ctrl c"])
def test_esc_and_ctrl_c_leave_the_last_question_as_it_was(stage, key):
    talk(stage, "One.")
    stage.ask("/edit")
    stage.press(key)
    assert stage.prompt == ""
    assert "stays as it was" in status(stage)
    stage.ask("And?")
    assert len(stage.client.asked[-1]) == 3


def test_an_answer_is_given_to_the_terminal_from_its_source(stage, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.delenv("STY", raising=False)
    talk(stage, "*one*")
    stage.ask("/copy")
    assert stage.terminal.written == [b"\x1b]52;c;Km9uZSo=\x1b\\"]
    assert any("does not say whether it took it" in row for row in stage.rows)
