from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewcode.llm.events import StreamEnd, TextDelta, ThinkingComplete, ThinkingDelta
from mewcode.llm.messages import ThinkingBlock
from mewcode.providers._think_tag import ThinkTag
from tests.fakes.translated import chat, said, thought
from tests.loopback.answers import chunk

SPLITS = [
    ("<think>Hm.</think>Hi", "Hm.", "Hi"),
    ("<think>\nHm.\n</think>\nHi", "\nHm.\n", "\nHi"),  # recorded huggingface-deepseek-r1-think-tags
    ("<think>Hm.</think>\n\nHi", "Hm.", "Hi"),
    ("<think>Hm.</think> \n \n  Hi\n\n", "Hm.", "Hi\n\n"),
    ("<think>Hm.</think>\n\n", "Hm.", ""),
    ("\n <think>Hm.</think>Hi", "Hm.", "Hi"),  # blanks before it
    ("<think></think>Hi", "", "Hi"),
    ("<think>\n\n</think>\n\nHi", "\n\n", "Hi"),  # Qwen without thinking
    ("<think>Hm", "Hm", ""),  # cut, or a model that never closes it
    ("<think>Hm</thin", "Hm</thin", ""),
    ("<think>a < b </t </think>Hi", "a < b </t ", "Hi"),
    ("<think>a</think>b</think>c", "a", "b</think>c"),
    ("<think>a<think>b</think>c", "a<think>b", "c"),
    ("<think>a</think><think>b</think>", "a", "<think>b</think>"),
    ("Hm.</think>Hi", "", "Hm.</think>Hi"),  # Qwen, whose template holds the opening tag
    ("Use <think>x</think> here", "", "Use <think>x</think> here"),
    ("<thinking>x</thinking>", "", "<thinking>x</thinking>"),
    ("<Think>x</Think>", "", "<Think>x</Think>"),
    ("<thi", "", "<thi"),
    ("< think>x", "", "< think>x"),
    ("  \n ", "", "  \n "),
    ("", "", ""),
]


def split(pieces):
    tag = ThinkTag()
    parts = [part for piece in pieces for part in tag.split(piece)] + list(tag.rest())
    return "".join(said for thinking, said in parts if thinking), "".join(
        said for thinking, said in parts if not thinking
    )


@pytest.mark.parametrize(("content", "thinking", "text"), SPLITS)
def test_only_a_leading_tag_is_split_off_wherever_it_is_cut(content, thinking, text):
    assert split([content]) == (thinking, text)
    assert split(content) == (thinking, text)
    for at in range(len(content) + 1):
        assert split([content[:at], "", content[at:]]) == (thinking, text), at


@given(st.lists(st.sampled_from(["<think>", "</think>", "<", "</", "think", ">", " ", "\n", "a"])), st.data())
def test_what_is_thought_and_said_does_not_depend_on_the_pieces(parts, data):
    content = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)))))
    pieces = [content[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(content)], strict=True)]
    assert split(pieces) == split([content])


def test_what_cannot_be_a_tag_any_more_is_said_at_once():
    tag = ThinkTag()
    assert list(tag.split("<th")) == []
    assert list(tag.split("e")) == [(False, "<the")]


def test_thinking_is_told_as_it_comes_but_for_what_may_be_the_closing_tag():
    tag = ThinkTag()
    assert "".join(piece for _, piece in tag.split("<think>Hm </th")) == "Hm "


def test_blanks_without_end_are_not_held_back():
    for begun in ("", "<think>", "<think></think>"):
        tag = ThinkTag()
        list(tag.split(begun))
        assert any(piece for _ in range(2000) for _, piece in tag.split(" "))


def test_a_tag_in_the_content_ends_the_thinking_before_the_text():
    events = chat(chunk(content="<thi"), chunk(content="nk>Hm."), chunk(content="</think>Hi"), chunk("stop"))
    assert [type(event) for event in events] == [ThinkingDelta, ThinkingComplete, TextDelta, StreamEnd]
    assert events[1] == ThinkingComplete(ThinkingBlock("Hm."))
    assert events[1].block.tagged == "<think>Hm.</think>"


def test_a_text_that_ends_like_the_beginning_of_a_tag_is_not_lost():
    assert said(chat(chunk(content="<th"), chunk("stop"))) == "<th"
    assert said(chat(chunk(content=" "), chunk("stop"))) == " "


def test_an_answer_that_was_cut_while_it_thought_in_a_tag_is_all_thinking():
    events = chat(chunk(content="<think>Hm"), chunk("length"))
    assert (thought(events), said(events)) == ("Hm", "")
    assert events[-2] == ThinkingComplete(ThinkingBlock("Hm"))
