from __future__ import annotations

import pytest

from mewcode.excerpts import closing_fence, code_blocks, nth_answer, nth_code_block
from mewcode.llm.messages import Message, Role, TextBlock, ThinkingBlock


def said(role: Role, text: str) -> Message:
    return Message("1", role, (ThinkingBlock("hm"), TextBlock(text)))


TALK = [said("user", "q"), said("assistant", "one"), said("assistant", " \n"), said("assistant", "2")]


@pytest.mark.parametrize(
    ("source", "blocks"),
    [
        ("", []),
        ("no code, `a` and ```b``` in a line", []),
        ("```sh\nls -l\n\n  cd\t..  \n```\nrest", ["ls -l\n\n  cd\t..  "]),
        ("a\n~~~\n```\n~~\n~~~\n", ["```\n~~"]),
        ("````md\n```\nin\n```\n`````\n", ["```\nin\n```"]),
        ("```\n```", [""]),
        ("```\nnever closed\n", ["never closed"]),
        ("```\na\n```\n\n```\nb", ["a", "b"]),
        ("  ```\n  a\n    b\n c\n  ```", ["a\n  b\nc"]),
        ("    ```\n    a\n", []),
        ("- x\n  ```py\n  if a:\n      b\n  ```\n", ["if a:\n    b"]),
        ("1. x\n\n   ```\n   a\n\n   b\n   ```\n2. y", ["a\n\nb"]),
        ("- - ```\n    a\n    ```\n", ["a"]),
        ("- ```\n  a\nafter", ["a"]),
        ("> ```\n> a\n>  b\n>\tc\n> ```\n", ["a\n b\n  c"]),
        ("> ```\n> a\nb", ["a"]),
        (">> ```\n>> a\n", ["a"]),
        ("> - ```\n>   a\n>   ```\n> ```\n> b", ["a", "b"]),
        ("-\t```\n\ta\n\t```", ["a"]),
        ("- a\nlazy\n  ```\n  b\n  ```", ["b"]),
        ("- - -\n```\na\n```", ["a"]),
        ("```\r\na\r\nb\r\n```\r\n", ["a\nb"]),
        ("~~~ a ` b\nc\n~~~", ["c"]),
        ("``` a ` b\nc\n```", [""]),
        ("```\na\n``` b\n```", ["a\n``` b"]),
    ],
)
def test_the_blocks_are_those_on_the_screen_and_exactly_what_was_written(source, blocks):
    assert code_blocks(source) == blocks


def test_blocks_are_counted_from_the_first():
    text = "```\na\n```\n- ~~~\n  b\n"
    assert [nth_code_block(text), nth_code_block(text, 2)] == ["a", "b"]


@pytest.mark.parametrize("n", [0, -1, 3])
def test_a_number_that_is_not_there_is_said_with_those_that_are(n):
    with pytest.raises(LookupError, match=rf"^There is no block {n}: .* to 2\.$"):
        nth_code_block("```\n```\n```\n```", n)
    with pytest.raises(LookupError, match=rf"^There is no answer {n}: .* to 2\.$"):
        nth_answer(TALK, n)


def test_nothing_to_take_is_said():
    with pytest.raises(LookupError, match="no block of code"):
        nth_code_block("text")
    with pytest.raises(LookupError, match="no answer yet"):
        nth_answer(TALK[:1])


def test_answers_are_counted_from_the_last_and_thinking_is_no_part_of_them():
    assert [nth_answer(TALK), nth_answer(TALK, 2)] == ["2", "one"]


@pytest.mark.parametrize(
    ("source", "fence"),
    [("a", ""), ("```\na", "```"), ("~~~~\na\n~~~", "~~~~"), ("```\n```", ""), ("- ```\n  a", ""), ("> ```\n> a", "")],
)
def test_only_a_block_that_would_go_on_needs_to_be_closed(source, fence):
    assert closing_fence(source) == fence


def test_a_long_source_takes_linear_time():
    assert code_blocks("> " * 2000 + "a\n" + "```\nx\n```\n" * 20_000) == ["x"] * 20_000
