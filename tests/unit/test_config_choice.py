from __future__ import annotations

from pathlib import Path

import pytest

from mewcode.config.load import load
from mewcode.config.settings import NoKey, ProviderChoiceError, ProviderEntry, Settings
from mewcode.errors import ConfigError
from mewcode.llm.client import ProviderConfig
from mewcode.secret import Secret

COMPLETE = """api_key: ${KEY}
    base_url: https://x.example
    thinking: true
    effort: low
    max_output_tokens: 5
    headers: {X-A: 'Bearer ${A}', X-B: b}
    proxy: none
    connect_timeout: 1
    idle_timeout: 2
"""


def entry(tmp_path, lines):
    path = tmp_path / "config.yaml"
    path.write_text(f"providers:\n  - name: claude\n    protocol: anthropic\n    model: sonnet\n    {lines}\n")
    return load(path).providers[0]


def settings(*names, default=None):
    providers = tuple(ProviderEntry(name, "openai", "m", NoKey()) for name in names)
    return Settings(providers, default, path=Path("/etc/config.yaml"))


def test_an_entry_resolves_to_everything_a_provider_needs(tmp_path):
    config = entry(tmp_path, COMPLETE).resolve({"KEY": "k-1", "A": "a-1"})
    assert config == ProviderConfig(
        name="claude",
        protocol="anthropic",
        model="sonnet",
        api_key=Secret("k-1"),
        key_source="KEY",
        base_url="https://x.example",
        thinking=True,
        effort="low",
        max_output_tokens=5,
        headers={"X-A": Secret("Bearer a-1"), "X-B": Secret("b")},
        proxy="none",
        connect_timeout=1.0,
        idle_timeout=2.0,
    )
    assert "k-1" not in repr(config)


def test_a_literal_key_is_stripped_and_says_where_it_stands(tmp_path):
    config = entry(tmp_path, 'api_key: " kk-1\\r\\n"').resolve({})
    assert (config.api_key, config.key_source) == (Secret("kk-1"), f"{tmp_path}/config.yaml:5 (api_key)")


@pytest.mark.parametrize("word", ["none", "None", "'none'"])
def test_the_word_none_is_no_key(tmp_path, word):
    config = entry(tmp_path, f"api_key: {word}").resolve({"ANTHROPIC_API_KEY": "k"})
    assert (config.api_key, config.key_source) == (None, "")


@pytest.mark.parametrize("value", ["kk-1\r", "kk-1\n", " kk-1 ", "\tkk-1", "kk-1"])
def test_blanks_around_a_variables_key_do_not_matter(tmp_path, value):
    assert entry(tmp_path, "api_key_env: KEY").resolve({"KEY": value}).api_key == Secret("kk-1")


@pytest.mark.parametrize(
    ("environ", "fault"),
    [
        ({}, "is not set; export it, or write the value here"),
        ({"A_KEY": ""}, "is empty; set it, or write the value here"),
        ({"A_KEY": " \n"}, "is empty; set it, or write the value here"),
        ({"A_KEY": "CANARY\0"}, "holds a blank, a control character or a letter that no key has; set it again"),
        ({"A_KEY": "CANARY CANARY"}, "holds a blank, a control character or a letter that no key has; set it again"),
        ({"A_KEY": "CANARYé"}, "holds a blank, a control character or a letter that no key has; set it again"),
        ({"A_KEY": "CANARY\udcff"}, "holds a blank, a control character or a letter that no key has; set it again"),
    ],
)
@pytest.mark.parametrize(
    "lines", ["api_key: ${A_KEY}", "api_key_env: A_KEY", "api_key: k\n    headers: {X-A: '${A_KEY}'}"]
)
def test_a_variable_that_gives_no_key_is_named_with_its_place(tmp_path, lines, environ, fault):
    with pytest.raises(ConfigError) as caught:
        entry(tmp_path, lines).resolve(environ)
    where = {"api_key: $": "5:14", "api_key_en": "5:18", "api_key: k": "6:15"}[lines[:10]]
    assert str(caught.value) == f"{tmp_path}/config.yaml:{where}: providers[0] `claude`: A_KEY {fault}"


@pytest.mark.parametrize(
    "pasted", ["gsk_" + "a1B2" * 12, "AKIA0123456789ABCDEF", "deadbeef" * 4, "hf_" + "AbCdEfGh" * 4]
)
def test_a_key_pasted_where_a_variable_belongs_is_not_shown(tmp_path, pasted):
    pasted_here = entry(tmp_path, f"api_key_env: {pasted}")
    with pytest.raises(ConfigError) as caught:
        pasted_here.resolve({})
    assert "`claude`: the variable named here is not set" in str(caught.value)
    assert pasted not in str(caught.value)
    assert pasted not in pasted_here.resolve({pasted: "k"}).key_source


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "OPENAI2_KEY", "_MY_OWN_KEY", "my_key", "DEEPSEEK_API_KEY_2"])
def test_a_variable_with_a_name_made_of_words_is_shown(tmp_path, name):
    with pytest.raises(ConfigError, match=f"`claude`: {name} is not set"):
        entry(tmp_path, f"api_key_env: {name}").resolve({})


def test_certificates_that_are_not_there_are_an_error_when_the_entry_is_chosen(tmp_path):
    with pytest.raises(ConfigError) as caught:
        entry(tmp_path, "api_key: k\n    ca_bundle: missing.pem").resolve({})
    assert str(caught.value) == (
        f"{tmp_path}/config.yaml:2:5: providers[0] `claude`: ca_bundle is not a file; give the path of a PEM file"
    )
    (tmp_path / "missing.pem").touch()
    assert entry(tmp_path, "api_key: k\n    ca_bundle: missing.pem").resolve({}).ca_bundle == f"{tmp_path}/missing.pem"


def test_an_entry_without_a_file_can_fail_too():
    with pytest.raises(ConfigError, match=r"^providers\[0\] `l`: ca_bundle is not a file"):
        ProviderEntry("l", "local", "", NoKey(), ca_bundle="/nowhere").resolve({})


def test_the_name_decides_then_the_default_then_being_the_only_one():
    assert settings("a", "b", default="b").choose("a").name == "a"
    assert settings("a", "b", default="b").choose(None).name == "b"
    assert settings("a").choose(None).name == "a"


@pytest.mark.parametrize("names", [("a", "b"), ("a",)])
def test_an_unknown_name_is_a_matter_of_usage_and_names_those_there_are(names):
    with pytest.raises(ProviderChoiceError) as caught:
        settings(*names, default="a").choose("x\x1b[31m")
    assert str(caught.value) == (f"/etc/config.yaml has no provider `x␛[31m`: choose one with -p: {', '.join(names)}")


def test_several_providers_without_a_default_are_named():
    with pytest.raises(ProviderChoiceError) as caught:
        settings("a", "b").choose(None)
    assert str(caught.value) == "/etc/config.yaml has several providers and no default: choose one with -p: a, b"


def test_settings_without_a_file_speak_of_the_config():
    with pytest.raises(ProviderChoiceError, match=r"^the config has no provider `b`"):
        Settings((ProviderEntry("a", "local", "", NoKey()),)).choose("b")
