from __future__ import annotations

import os

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mewcode.config.load import load
from mewcode.config.settings import Settings
from mewcode.errors import ConfigError

VALID = """\
default: b
system_prompt: |
  Be brief.
ui: {theme: light, on_exit: nothing, mouse: true}
providers:
  - name: a
    protocol: anthropic
    model: sonnet
    api_key: ${A_KEY}
    headers: {X-A: "Bearer ${A}", 'X-B': b}
  - {name: b, protocol: openai, model: m, api_key: kk-C2A3N4A5R6Y7, temperature: 1.5, effort: high}
  - name: c   # the last
    protocol: local
    connect_timeout: 2
"""
# What means something to YAML, to us, or to neither.
PIECES = st.sampled_from([*":-?,[]{}#&*!|>'\"%@`~\\\n\t \r", "\x85", "\u2028", "---\n", "<<: ", "${", "\\x", "é", "\0"])


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("config") / "c.yaml"


def outcome(path, content):
    """The settings, or the sentence that refuses them; anything else fails the test."""
    path.write_bytes(content)
    try:
        return load(path)
    except ConfigError as error:
        assert_alone(error)
        return str(error)


def assert_alone(error):
    assert (error.__cause__, error.__context__) == (None, None)


def is_good(result):
    return isinstance(result, Settings) or ("\n" not in result and result.removesuffix(" ") == result)


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_settings_or_one_sentence(path, content):
    assert is_good(outcome(path, content))


@given(st.lists(PIECES | st.text(max_size=3), max_size=40).map("".join))
@example('a: "\\U00110000"')
@settings(max_examples=400, deadline=None)
def test_any_text_is_settings_or_one_sentence(path, content):
    assert is_good(outcome(path, content.encode("utf-8", "surrogatepass")))


@given(data=st.data())
@settings(max_examples=400, deadline=None)
def test_a_good_file_with_something_cut_or_put_in_is_that_too_and_shows_no_key(path, data):
    content = VALID
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        end = start + data.draw(st.integers(0, 20))
        content = content[:start] + data.draw(PIECES | st.text(max_size=5)) + content[end:]
    result = outcome(path, content.encode("utf-8", "surrogatepass"))
    assert is_good(result)
    assert "C2A3" not in repr(result)
    assert "R6Y7" not in repr(result)


@given(key=st.from_regex(r"[!-~]{8,80}", fullmatch=True), pad=st.sampled_from(["", " ", "\t", "\r\n"]))
@settings(max_examples=200, deadline=None)
def test_a_key_from_a_variable_arrives_whole_and_shows_itself_nowhere(path, key, pad):
    path.write_text("providers: [{name: n, protocol: openai, model: m, api_key_env: K}]")
    config = load(path).providers[0].resolve({"K": pad + key + pad})
    assert config.api_key is not None
    assert config.api_key.reveal() == key
    assert key not in repr(config).replace(os.fspath(path), "")
