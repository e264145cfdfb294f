from __future__ import annotations

import pytest

from mewcode.markdown.render import LIMIT
from mewcode.markdown.stable import stable_prefix


@pytest.mark.parametrize(
    ("settled", "rest"),
    [
        ("one\n\n", ""),
        ("one\n\n", "two"),
        ("# a\n\ntwo\n\n", "three\nfour"),
        ("```\na\n\nb\n```\n\n", "c"),
        ("| a |\n|---|\n| 1 |\n\n", "| b"),
        ("> a\n\n", "> b"),
        ("- a\n- b\n\n", "The next"),
        ("- a\n- b\n\n## Next\n\n", "- c\n"),
        ("1. a\n\n   ```\n   x\n   ```\n\n", "After"),
        ("一\r\n\r\n", "二"),
        ("<!-- open\n\n", "text"),
        ("[a] and [b][c]\n\n", "[a]: http"),
    ],
)
def test_what_nothing_can_change_is_settled(settled: str, rest: str):
    assert stable_prefix(settled + rest) == len(settled)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one",
        "one\n",
        "one\n ",
        "```\na\n\nb\n\n",
        "```\na\n\n``\n\n",
        "- a\n\n",
        "- a\n\n-",
        "- a\n\n  b\n\n",
        "1. a\n\n2",
        "    code\n\n",
        "> a\nlazy\n",
        "a\n\x0b\nb",
        "a\n\x85\nb",
    ],
)
def test_what_may_still_change_is_not(text: str):
    assert stable_prefix(text) == 0


def test_a_text_that_is_shown_as_it_is_has_no_settled_part():
    assert stable_prefix("a\n\n" * LIMIT) == 0
