from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mewcode.markdown.blocks import runs, text_of
from mewcode.markdown.highlight import LIMIT, highlighted
from mewcode.tui.theme import palette

ROLES = {entry[0] for entry in palette("auto")}


def styles(code: str, language: str) -> dict[str, str]:
    """The style of each word."""
    found = [run for line in highlighted(code.split("\n"), language) for run in runs(line)]
    return {word: "".join(style) for style, text in found for word in text.split()}


def test_what_a_word_is_decides_its_style():
    shown = styles('@cache\nclass Cat:\n    def purr(self) -> str:\n        return len("a\\n") + 7  # mew', "python")
    assert shown.items() >= {
        ("@cache", "code.decorator"),
        ("class", "code.keyword"),
        ("Cat", "code.name"),
        ("purr", "code.name"),
        ("str", "code.builtin"),
        ('"a', "code.string"),
        ("\\n", "code.escape"),
        ("+", ""),
        ("7", "code.number"),
        ("mew", "code.comment"),
    }


@pytest.mark.parametrize(
    ("language", "code", "word", "style"),
    [
        ("diff", "-old\n+new", "-old", "code.deleted"),
        ("diff", "-old\n+new", "+new", "code.inserted"),
        ("html", '<a href="x">y</a>', "a", "code.tag"),
        ("html", '<a href="x">y</a>', "href", "code.attribute"),
        ("C++", "int main() {}", "int", "code.type"),
        ("python {title=a.py}", "pass", "pass", "code.keyword"),
        ("{.python .numbered}", "pass", "pass", "code.keyword"),
    ],
)
def test_languages_are_known_by_their_names(language: str, code: str, word: str, style: str):
    assert styles(code, language)[word] == style


@pytest.mark.parametrize("language", ["nosuch", "mermaid2", "text.txt", "{}", "."])
def test_an_unknown_language_stays_as_it_is(language: str):
    assert highlighted(("def f():", ""), language) == ("def f():", "")


def test_very_long_code_stays_as_it_is():
    lines = ("pass",) * (LIMIT // 4)
    assert highlighted(lines, "python") is lines


@given(
    st.sampled_from(["python", "c", "bash", "json", "yaml", "html", "diff", "console", "rust", "make", "ini", "xml"]),
    st.lists(st.text(st.characters(exclude_characters="\n\r"), max_size=30), max_size=6),
)
@settings(max_examples=200, deadline=None)
def test_no_character_is_lost_and_every_style_has_a_colour(language: str, lines: list[str]):
    shown = highlighted(lines, language)
    assert [text_of(line) for line in shown] == lines
    assert {style for line in shown for styles, _ in runs(line) for style in styles} <= ROLES


IMPORTS = """
import sys
from mewcode.tui.answer import Answer

answer = Answer()
for text in ("hello", "hello\\n```python\\ndef f():\\n", "hello\\n```python\\ndef f():\\n    pass"):
    answer.grow(text)
assert "pygments" not in sys.modules
answer.grow("hello\\n```python\\ndef f():\\n    pass\\n```\\n")
assert "pygments" in sys.modules
"""

WITHOUT = """
import sys
sys.modules["pygments"] = None
from mewcode.markdown.render import render

assert [block.markup for block in render("```python\\npass\\n```")][1:] == [("md.code", "pass")]
"""


@pytest.mark.parametrize("program", [IMPORTS, WITHOUT], ids=["only when code has ended", "not at all"])
def test_pygments_is_imported(program: str):
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
