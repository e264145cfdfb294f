from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mewcode.export import export, format_of, save
from mewcode.llm.messages import Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, Usage
from mewcode.private import AlreadyThere, SaveError

if TYPE_CHECKING:
    from mewcode.llm.messages import Block

NOW = datetime(2026, 12, 1, 11, 0, tzinfo=UTC)
ASKED = datetime(2026, 12, 1, 10, 0, tzinfo=UTC)
QUESTION = Message("q", "user", (TextBlock("Say hello"),), created_at=ASKED)


def answer(name: str, *blocks: Block, **facts: Any) -> Message:
    url = "https://api.example/v1?key=canary"
    whole: dict[str, Any] = {"created_at": ASKED, "provider": "claude", "model": "sonnet", "base_url": url} | facts
    return Message(name, "assistant", blocks, **whole)


WHOLE = answer(
    "a",
    *(ThinkingBlock("Hm."), TextBlock("Hel"), TextBlock("lo\n")),
    created_at=ASKED.replace(second=3),
    usage=Usage(1200, 30, 1000, None, 20),
    elapsed=1.25,
)
CUT = answer("c", TextBlock("```py\nx ="), status="cancelled", usage=Usage(5, None), elapsed=2.0)
FAILED = answer("f", status="error", elapsed=0.5)
TALK = [QUESTION, WHOLE, QUESTION, CUT, QUESTION, FAILED]
REASONS = {"f": "claude refused the key (401)\x1b[1m.", "a": "Cut off at the token limit."}
MARKDOWN = """\
# Conversation with mewcode

Saved 2026-12-01T11:00:00Z; 6 messages; tokens 1,205 in (1,000 from the cache), 30 out (20 thinking).

## user, 2026-12-01T10:00:00Z

Say hello

## assistant, 2026-12-01T10:00:03Z, claude, sonnet

Hello

*1.2 s; tokens 1,200 in (1,000 from the cache), 30 out (20 thinking). Cut off at the token limit.*

## user, 2026-12-01T10:00:00Z

Say hello

## assistant, 2026-12-01T10:00:00Z, claude, sonnet

```py
x =
```

*Cancelled after 2.0 s; tokens 5 in.*

## user, 2026-12-01T10:00:00Z

Say hello

## assistant, 2026-12-01T10:00:00Z, claude, sonnet

*Failed after 0.5 s. claude refused the key (401)␛[1m.*
"""


def test_markdown_has_who_when_which_model_how_it_ended_and_the_sums():
    assert export(TALK, "md", NOW, reasons=REASONS) == MARKDOWN


def test_plain_text_has_the_same_in_other_dress():
    plain = export(TALK, "txt", NOW, reasons=REASONS)
    dressed = re.sub(r"(?m)^\*(.*)\*$", r"[\1]", re.sub(r"(?m)^## (.*)$", r"== \1 ==", MARKDOWN))
    assert plain == dressed.replace("# Conv", "Conv").replace("x =\n```", "x =")


def test_thinking_is_there_when_it_is_asked_for():
    assert "Hm." not in export(TALK, "md", NOW)
    for form in ("md", "txt"):
        assert "\n> Thinking:\n> Hm.\n\nHello\n" in export(TALK, form, NOW, thinking=True)


def test_calls_and_results_of_tools_are_shown():
    call = Message("1", "assistant", (TextBlock("a"), ToolUseBlock("t", "ls", {"p": "é"}), TextBlock("b")))
    result = Message("2", "tool", (ToolResultBlock("t", "x\ny"), ToolResultBlock("u", "no", is_error=True)))
    shown = export([call, result], "md", NOW)
    assert 'a\n\n> Call of the tool ls:\n> {"p": "é"}\n\nb\n' in shown
    assert "> The tool's result:\n> x\n> y\n\n> The tool failed:\n> no\n" in shown


@pytest.mark.parametrize("form", ["md", "txt"])
def test_foreign_text_is_inert_and_a_line_says_that_there_are_marks(form):
    evil = Message("1", "assistant", (TextBlock("a\x1b[2J\u202eb\r\nc"),), model="m\x1b]0;x\x07\n# h", provider="p")
    shown = export([evil], form, NOW)
    assert "a␛[2J<U+202E>b\nc" in shown
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)
    assert "m␛]0;x␇ # h" in shown
    assert ".json file holds the text as it came" in shown
    assert ".json" not in export(TALK, form, NOW)
    assert ".json" not in export([Message("1", "user", (TextBlock("a\r\nb"),))], form, NOW)


def read(value: dict[str, Any]) -> Message:
    """A message of a JSON export as the value that it was."""
    kinds = {"text": TextBlock, "thinking": ThinkingBlock, "tool_use": ToolUseBlock, "tool_result": ToolResultBlock}
    blocks = tuple(kinds[block.pop("type")](**block) for block in value["blocks"])
    usage = value["usage"] and Usage(**value["usage"])
    made = datetime.fromisoformat(value["created_at"])
    return Message(**{**value, "blocks": blocks, "usage": usage, "created_at": made})


BLOCKS = (
    st.builds(TextBlock, st.text(), st.none() | st.just("commentary"))
    | st.builds(ThinkingBlock, st.text(), st.none() | st.text(), st.none() | st.text(), st.none() | st.text())
    | st.builds(ToolUseBlock, st.text(), st.text(), st.none() | st.dictionaries(st.text(), st.integers()))
    | st.builds(ToolResultBlock, st.text(), st.text(), st.booleans())
)
COUNTS = st.none() | st.integers(0)
MESSAGES = st.builds(
    Message,
    id=st.text(),
    role=st.sampled_from(["user", "assistant", "system", "tool"]),
    blocks=st.lists(BLOCKS, max_size=3).map(tuple),
    status=st.sampled_from(["streaming", "complete", "cancelled", "interrupted", "error"]),
    created_at=st.datetimes(timezones=st.just(UTC)),
    usage=st.none() | st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS),
    elapsed=st.none() | st.floats(0, 1e6),
    model=st.none() | st.text(),
    provider=st.none() | st.text(),
    base_url=st.none() | st.just("http://127.0.0.1:1/v1"),
    prefix=st.none() | st.text(),
)


@given(st.lists(MESSAGES, max_size=3))
@settings(max_examples=100, deadline=None)
def test_json_is_ascii_and_every_field_comes_back(messages):
    text = export(messages, "json", NOW)
    assert text.isascii()
    whole = json.loads(text)
    assert (list(whole), whole["mewcode"]) == (["mewcode", "messages"], 1)
    again = [read(value) for value in whole["messages"]]
    assert again == messages
    assert export(again, "json", NOW) == text  # also what does not take part in comparing


@given(st.lists(MESSAGES, max_size=3), st.sampled_from(["md", "txt"]), st.booleans())
@settings(max_examples=100, deadline=None)
def test_what_is_read_can_always_be_written_and_holds_no_control(messages, form, thinking):
    shown = export(messages, form, NOW, thinking=thinking)
    shown.encode()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u202a-\u202e\u2066-\u2069\ufeff]", shown)


@pytest.mark.parametrize("form", ["md", "txt", "json"])
def test_no_export_has_the_query_of_an_address(form):
    assert "canary" not in export(TALK, form, NOW)
    assert ("https://api.example/v1" in export(TALK, form, NOW)) is (form == "json")


@pytest.mark.parametrize(("name", "form"), [("a.md", "md"), ("~/b.c.JSON", "json"), ("/x y/a.Txt", "txt")])
def test_the_suffix_says_the_form(name, form):
    assert format_of(name) == form


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("", "name a file to save to"),
        ("notes", "notes does not say in which form to save"),
        ("a.pdf\x1b[1m", "a.pdf␛[1m does not say in which form to save"),
        (".md", ".md does not say in which form to save"),
    ],
)
def test_any_other_name_is_told_the_three_forms_and_nothing_is_written(folder, name, what):
    with pytest.raises(SaveError) as caught:
        save(name, TALK)
    assert str(caught.value) == f"{what}: end its name in .md, .json or .txt"
    assert os.listdir(folder) == []


def test_a_conversation_is_saved_where_the_name_says(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    assert save("~/a.json", TALK) == folder / "a.json"
    assert len(json.loads((folder / "a.json").read_bytes())["messages"]) == 6
    assert save("b.md", TALK, thinking=True, reasons=REASONS) == Path("b.md")
    assert "Hm." in Path("b.md").read_text()


def test_an_empty_conversation_is_not_saved(folder):
    with pytest.raises(SaveError, match="nothing to save"):
        save("a.md", [])
    assert os.listdir(folder) == []


def test_writing_over_a_file_has_to_be_said_and_goes_through_a_link(folder):
    save("a.txt", TALK)
    (folder / "b.txt").symlink_to("a.txt")
    for name in ("a.txt", "b.txt"):
        with pytest.raises(AlreadyThere) as caught:
            save(name, [QUESTION])
        words = f"{name} is there already; choose another name, or write over it with /save!"
        assert str(caught.value) == words
    save("b.txt", [QUESTION], force=True)
    assert (folder / "b.txt").is_symlink()
    assert "1 message" in (folder / "a.txt").read_text()
