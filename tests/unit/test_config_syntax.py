"""Files that are wrong as a whole or are no YAML: the exact sentence for each."""

from __future__ import annotations

import pytest

from mewcode.config.load import load
from mewcode.errors import ConfigError

QUOTES = "this quote is never closed: close it on the same line"
BRACKET = "this bracket is never closed: close it, and put a `${VAR}` within it in quotes"
COLON = "a `:` does not fit here: mend the indentation, or put the value in quotes"
TAB = "a tab is not allowed here: use spaces"
LINE_UP = "this does not line up with the lines before: mend the indentation or the quotes"
INVALID = "this is not valid YAML: mend the quotes and the indentation here, or the line before"
BEGIN = "a value may not begin with"
TOP = "providers, default, system_prompt, ui"


# What stands in the file, where the error is, and its sentence. Nothing in it is known to the program but as text.
WHOLE_FILES = [
    ("", "1:1", "the file is empty: config.yaml.example shows what it can hold"),
    ("# only a comment\n", "1:1", "the file is empty: config.yaml.example shows what it can hold"),
    ("---\n", "2:1", "the file is empty: config.yaml.example shows what it can hold"),
    ("- a\n", "1:1", "the file must be a mapping: begin it with `providers:`"),
    ("a\n", "1:1", "the file must be a mapping: begin it with `providers:`"),
    ("{}\n", "1:1", "`providers` is missing: list at least one provider under it"),
    ("providers:\n", "1:1", "`providers` has no value: write one, or remove the line"),
    ("providers: []\n", "1:12", "`providers` is empty: list at least one provider under it"),
    ("providers: {a: {name: b}}\n", "1:12", "`providers` must be a list: begin each item with `- `"),
    ("providers: [a]\n", "1:13", "a provider must be a mapping: begin it with `- name:`"),
    ("providers:\n\t- a\n", "2:1", TAB),
    ("providers: 'a\n", "1:12", QUOTES),
    ('providers: "a\n', "1:12", QUOTES),
    ("providers: [a\n", "1:12", BRACKET),
    ("providers: {a: b\n", "1:12", BRACKET),
    ("providers: a: b\n", "1:13", COLON),
    ("providers: a\n  b: c\n", "2:4", COLON),
    ("providers:\n  - a\n b: c\n", "3:2", LINE_UP),
    ("providers: 'a'b\n", "1:15", LINE_UP),
    ("providers: []\nb\n", "2:1", "this is neither `key: value` nor a list item: add the colon and a blank"),
    ("providers: - a\n", "1:12", "a list item does not fit here: put each `- ` on a line of its own"),
    ("providers: @a\n", "1:12", f"{BEGIN} this character: put it in quotes"),
    ("providers: & a\n", "1:13", f"{BEGIN} `&`: put it in quotes"),
    ("providers: * a\n", "1:13", f"{BEGIN} `*`: put it in quotes"),
    ("providers: !<\n", "1:14", f"{BEGIN} `!`: put it in quotes"),
    ("providers: |x\n", "1:13", "only `-` or `+` may follow `|` or `>`: put the text on the next line"),
    ('a: "\\q"\n', "1:6", "`\\` and what follows mean nothing in double quotes: use single quotes"),
    ('a: "\\U00110000"\n', "1:2", INVALID),
    ('a: "\\ud800"\n', "1:4", "a `\\u` escape here is half of a character: write the character itself"),
    ("providers: []}\n", "1:14", LINE_UP),
    ("{a: b}}\n", "1:7", INVALID),
    ("% a\n", "1:2", "a line may not begin with `%`: put the value in quotes"),
    ("%YAML 1.1\n---\na: b\n", "2:1", "lines that begin with `%` are not supported: remove them"),
    ("a: b\n---\na: b\n", "2:1", "a second document begins here: keep one, and remove the line `---` or `...`"),
    ("a: &x b\n", "1:4", "anchors (`&name`) are not supported: remove it, or put the value in quotes"),
    ("a: *x\n", "1:4", "aliases (`*name`) are not supported: write the value out, or put it in quotes"),
    (
        "a: !!python/object:os.system b\n",
        "1:4",
        "tags (`!name`) are not supported: remove it, or put the value in quotes",
    ),
    ("!x a: b\n", "1:1", "tags (`!name`) are not supported: remove it, or put the value in quotes"),
    ("? [a]\n: b\n", "1:3", "a key must be a plain word: put the text before `:` in quotes"),
    ("a: " + "[" * 20, "1:13", "the brackets or lists are nested too deeply: a config needs no more than four levels"),
    (
        "- a\n" * 10_001,
        "9997:4",
        "the file holds too many values: a config is never that long, name the right file with -c",
    ),
    ("a: " + "b" * 100_000, "1:1", "this line is longer than 100,000 characters: break it"),
    ("#\n" * 500_001, "1:1", "the file is larger than 1 MB: a config is never that long, name the right file with -c"),
    ("a: b\n\0", "2:1", "a control character is not allowed here: remove it"),
    ("a: b\r\n\x1b[31m", "2:1", "a control character is not allowed here: remove it"),
    ("\ufeff\0", "1:1", "a control character is not allowed here: remove it"),
    (b"a: b\n# caf\xe9\n", "2:6", "this is not UTF-8 text: save the file as UTF-8"),
    ("a: b\n".encode("utf-16"), "1:1", "this is not UTF-8 text: save the file as UTF-8"),
    ("default: b\ndefault: c\n", "2:1", "`default` is here twice, first in line 1: remove one"),
    ("sk-1: b\nsk-1: c\n", "2:1", "this key is here twice, first in line 1: remove one"),
    ("provider: []\n", "1:1", "unknown key `provider` (did you mean providers?)"),
    ("budget: 1\n", "1:1", f"unknown key `budget`: remove it, or use one of {TOP}"),
    ("sk-0123: 1\n", "1:1", f"unknown key: use one of {TOP}"),
    ("base_url: x\n", "1:1", "unknown key `base_url` here (it belongs in an item of `providers:`)"),
]


def message(tmp_path, content):
    """What loading the content says, without the path; checked to be alone in its chain of errors."""
    path = tmp_path / "c.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return str(caught.value).removeprefix(f"{path}:")


@pytest.mark.parametrize(("content", "where", "sentence"), WHOLE_FILES)
def test_a_bad_file_is_one_sentence_with_its_place(tmp_path, content, where, sentence):
    assert message(tmp_path, content) == f"{where}: {sentence}"
