"""Bad values: the exact sentence for each. And no bad file ever shows a word of what it holds."""

from __future__ import annotations

import re

import pytest

from mewcode.config.load import load
from mewcode.errors import ConfigError
from tests.unit.test_config_syntax import WHOLE_FILES, message

CANARY = "kk-test-CANARY0123456789"
SECONDS = "must be a number of seconds above 0 and up to 86400, without quotes"
ADDRESS = "`base_url` must be http:// or https:// and a host, without user or blanks"

# Lines of one provider from line 5 on, then as above.
ENTRIES = [
    ("base_ulr: x", "5:5", "unknown key `base_ulr` (did you mean base_url?)"),
    ("apikey: x", "5:5", "unknown key `apikey` (did you mean api_key?)"),
    ("API_KEY: x", "5:5", "unknown key `API_KEY` (did you mean api_key?)"),
    ("max_tokens: 1", "5:5", "unknown key `max_tokens` (did you mean max_output_tokens?)"),
    ("default: a", "5:5", "unknown key `default` here (it belongs at the top of the file, not indented)"),
    ("api_key:", "5:5", "`api_key` has no value: write one, or remove the line"),
    (
        "api_key: ''",
        "5:14",
        "`api_key` is empty: write the key, `${VARIABLE}`, or `none` if the server wants none",
    ),
    ("api_key: 12", "5:14", "`api_key` must be text: put the value in quotes"),
    ("api_key: [a]", "5:14", "`api_key` must be text, not a list or a mapping: write it on the same line"),
    (
        "api_key: a b",
        "5:14",
        "`api_key` holds a blank, a control character or a letter that no key has: copy it again",
    ),
    (
        "api_key: $OPENAI_API_KEY",
        "5:14",
        "`api_key` must be the whole key, or `${VARIABLE}` with both braces and nothing around it",
    ),
    (
        "api_key: a${B}",
        "5:14",
        "`api_key` must be the whole key, or `${VARIABLE}` with both braces and nothing around it",
    ),
    (
        "api_key_env: sk-1",
        "5:18",
        "`api_key_env` must be the name of a variable, such as ANTHROPIC_API_KEY, and nothing else",
    ),
    ("api_key: a\n    api_key_env: B", "6:18", "`api_key_env` does not go with `api_key`: keep one of the two"),
    (
        "thinking: true",
        "2:5",
        "this provider names no key: add `api_key: ${OPENAI_API_KEY}`, or `api_key: none` if the server wants none",
    ),
    ("api_key: a\n    thinking: yes", "6:15", "`thinking` must be true or false, without quotes"),
    ("api_key: a\n    allow_http: 1", "6:17", "`allow_http` must be true or false, without quotes"),
    ("api_key: a\n    effort: hihg", "6:13", "`effort` must be one of none, minimal, low, medium, high, xhigh, max"),
    *(
        (
            f"api_key: a\n    max_output_tokens: {bad}",
            "6:24",
            "`max_output_tokens` must be a whole number of at least 1, without quotes",
        )
        for bad in ("0", "-1", "1.5", "true", "'5'", "9" * 5000, "[1]")
    ),
    *(
        (
            f"api_key: a\n    price: {{input: {bad}, output: 1}}",
            "6:20",
            "`input` must be the dollars that a million tokens cost, 0 or more, without quotes",
        )
        for bad in ("-1", ".inf", ".nan", "true", "'3'", "$3")
    ),
    ("api_key: a\n    price: 3", "6:12", "`price` must be a mapping: write `name: value` lines under it, indented"),
    (
        "api_key: a\n    price: {input: 3}",
        "6:12",
        "`output` is missing in this price: give the dollars that a million tokens cost, 0 or more",
    ),
    ("api_key: a\n    price: {inptu: 3}", "6:13", "unknown key `inptu` (did you mean input?)"),
    *(
        (f"api_key: a\n    temperature: {bad}", "6:18", "`temperature` must be a number from 0 to 2, without quotes")
        for bad in ("2.1", "-0.1", ".inf", ".nan", "true", "'1'", "warm")
    ),
    *(
        (f"api_key: a\n    {key}: {bad}", f"6:{len(key) + 7}", f"`{key}` {SECONDS}")
        for key in ("connect_timeout", "idle_timeout")
        for bad in ("0", "-1", "86401", ".nan", "10s")
    ),
    *(
        (f"api_key: a\n    base_url: {bad}", "6:15", ADDRESS)
        for bad in (
            "api.example",
            "ftp://x.example",
            "https://",
            "https://u:p@x.example",
            "'https://x.example/#a'",
            "https://x.example:99999",
            "https://x.example:0",
            "'https://[1::2::3]'",
            "https://a..example",
            "https://x.example\\@y.example",
            "https://x.example/a b",
        )
    ),
    *(
        (
            f"api_key: a\n    base_url: {far}",
            "6:15",
            "`base_url` is plain http to another machine: use https://, or add `allow_http: true` to this provider",
        )
        for far in (
            "http://10.0.0.7/v1",
            "HTTP://x.example",
            "http://0.0.0.0:1",
            "http://localhost.x.example",
            "'http://[2001:db8::1]'",
        )
    ),
    (
        "api_key: a\n    base_url: https://${HOST}",
        "6:15",
        "`base_url` may not hold a variable: `${VAR}` works in api_key and headers only, write the value",
    ),
    ("api_key: a\n    base_url: ' '", "6:15", "`base_url` is empty: write a value, or remove the line"),
    (
        "api_key: a\n    ca_bundle: |\n      a\n      b",
        "6:16",
        "`ca_bundle` must be one line of printable text: remove the other characters",
    ),
    (
        "api_key: a\n    proxy: socks://x",
        "6:12",
        "`proxy` must be `none` or http://, https:// or socks5:// and a host: mend the address",
    ),
    ("api_key: a\n    headers: a", "6:14", "`headers` must be a mapping: write `name: value` lines under it, indented"),
    ("api_key: a\n    headers: {'a b': c}", "6:15", "this is no name for a header: use letters, digits and `-`"),
    ("api_key: a\n    headers: {x-a: b, X-A: c}", "6:23", "this header is here twice, in other letters: remove one"),
    ("api_key: a\n    headers: {X-A: 1}", "6:20", "`X-A` must be text: put the value in quotes"),
    ("api_key: a\n    headers: {X-1: 1}", "6:20", "this value must be text: put the value in quotes"),
    ("api_key: a\n    headers: {X-A: é}", "6:20", "a header's value must be printable ASCII in one line: mend it"),
    ("api_key: a\n    headers: {X-A: 'a${b'}", "6:20", "a variable in a header must be written `${VARIABLE}`: mend it"),
    (
        "api_key: a\n  - {name: demo, protocol: openai, model: m, api_key: b}",
        "6:12",
        "`name` is taken by the provider of line 2: choose another",
    ),
    (
        "api_key: a\n  - {name: b}",
        "6:5",
        "`protocol` is missing in this provider: use one of anthropic, openai, openai-compat, local",
    ),
    ("api_key: a\n  - {protocol: openai}", "6:5", "`name` is missing in this provider: give it a short name"),
    (
        f"api_key: a\n  - {{protocol: openai, name: {'n' * 41}}}",
        "6:30",
        "`name` is too long for the status bar: use at most 40 characters",
    ),
    (
        'api_key: a\n  - {protocol: openai, name: "a\\e"}',
        "6:30",
        "`name` must be one line of printable text: remove the other characters",
    ),
    (
        "api_key: a\n  - {protocol: openai, name: b, api_key: c}",
        "6:5",
        "`model` is missing in this provider: name the model, in full or by its short name",
    ),
    ("api_key: a\ndefault: b", "6:10", "`default` must be the `name` of an item of `providers:`"),
    ("api_key: a\nui:", "6:1", "`ui` has no value: write one, or remove the line"),
    ("api_key: a\nui: dark", "6:5", "`ui` must be a mapping: write `name: value` lines under it, indented"),
    ("api_key: a\nui: {theme: dakr}", "6:13", "`theme` must be one of auto, dark, light, mono"),
    ("api_key: a\nui:\n  theme:", "7:3", "`theme` has no value: write one, or remove the line"),
    ("api_key: a\nui: {on_exit: hint}", "6:15", "`on_exit` must be one of transcript, nothing"),
    ("api_key: a\nui: {motion: false}", "6:14", "`motion` must be text: put the value in quotes"),
    *(
        (f"api_key: a\nui: {{{key}: yes}}", f"6:{len(key) + 8}", f"`{key}` must be true or false, without quotes")
        for key in ("mouse", "timestamps", "thinking")
    ),
    ("api_key: a\nui: {timestamp: true}", "6:6", "unknown key `timestamp` (did you mean timestamps?)"),
    ("api_key: a\nui: {effort: low}", "6:6", "unknown key `effort` here (it belongs in an item of `providers:`)"),
    (
        "api_key: a\nui: {default: demo}",
        "6:6",
        "unknown key `default` here (it belongs at the top of the file, not indented)",
    ),
    ("api_key: a\non_exit: nothing", "6:1", "unknown key `on_exit` here (it belongs under `ui:`)"),
    ("api_key: a\n    mouse: true", "6:5", "unknown key `mouse` here (it belongs under `ui:`)"),
    ("api_key: a\nsystem_prompt: 1", "6:16", "`system_prompt` must be text: put the value in quotes"),
]

OTHER_PROTOCOLS = [
    (
        "anthropic",
        "api_key: a\n    temperature: 1",
        "6:18",
        "`temperature` does not go with protocol anthropic, which has none: remove the line",
    ),
    (
        "local",
        "api_key: none",
        "5:14",
        "`api_key` does not go with protocol local, which needs no key: remove the line",
    ),
    (
        "local",
        "api_key_env: A",
        "5:18",
        "`api_key_env` does not go with protocol local, which needs no key: remove the line",
    ),
    (
        "local",
        "base_url: http://127.0.0.1",
        "5:15",
        "`base_url` does not go with protocol local, which runs its own server: remove the line",
    ),
    (
        "anthropic",
        "thinking: true",
        "2:5",
        "this provider names no key: add `api_key: ${ANTHROPIC_API_KEY}`, or `api_key: none` if the server wants none",
    ),
]


def start(protocol):
    """The first four lines of a file, and the indentation of the fifth."""
    return f"providers:\n  - name: demo\n    protocol: {protocol}\n    model: m\n    "


@pytest.mark.parametrize(("lines", "where", "sentence"), ENTRIES)
def test_a_bad_provider_is_one_sentence_with_its_place(tmp_path, lines, where, sentence):
    assert message(tmp_path, start("openai") + lines) == f"{where}: {sentence}"


@pytest.mark.parametrize(("protocol", "lines", "where", "sentence"), OTHER_PROTOCOLS)
def test_some_settings_do_not_go_with_some_protocols(tmp_path, protocol, lines, where, sentence):
    assert message(tmp_path, start(protocol) + lines) == f"{where}: {sentence}"


def test_an_unknown_protocol_names_those_there_are(tmp_path):
    said = message(tmp_path, start("antropic"))
    assert said.startswith("3:15: `protocol` must be one of ")
    assert {"anthropic", "openai", "openai-compat", "local"} <= set(re.findall(r"[a-z-]+", said))


def test_the_path_is_shown_with_a_tilde_below_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "c.yaml").write_text("provider: []")
    with pytest.raises(ConfigError, match=r"^~/c\.yaml:1:1: unknown key `provider` \(did you mean providers\?\)$"):
        load(tmp_path / "c.yaml")


def texts(error):
    """The texts under which an error, and what hangs on it, could be shown."""
    while error is not None:
        yield str(error)
        yield repr(error)
        error = error.__cause__ or error.__context__


def bad_files():
    """Every bad file, with a key in the place of each of its words and at its end."""
    for content, *_ in WHOLE_FILES:
        if isinstance(content, str) and len(content) < 1000:
            yield from with_a_key(content, 0)
    yield from with_a_key(start("openai") + "api_key: a", 0)
    for protocol, lines, *_ in [*(("openai", *entry) for entry in ENTRIES), *OTHER_PROTOCOLS]:
        if len(lines) < 1000:
            yield from with_a_key(start(protocol) + lines, len(start(protocol)))


def with_a_key(content, position):
    for word in re.compile(r"\w+|$").finditer(content, position):
        yield content[: word.start()] + CANARY + content[word.end() :]


def said(path, content):
    """Everything that could be shown of the error, or nothing if the file is good."""
    path.write_text(content)
    try:
        load(path)
    except ConfigError as error:
        return list(texts(error))
    return []


def test_a_key_anywhere_in_a_bad_file_is_never_shown(tmp_path):
    outcomes = [(content, said(tmp_path / "c.yaml", content)) for content in bad_files()]
    assert [content for content, shown in outcomes if any("CANARY" in text for text in shown)] == []
    assert sum(bool(shown) for _, shown in outcomes) > 400


def test_bytes_around_a_key_that_are_no_text_do_not_show_it(tmp_path):
    for content in (CANARY.encode() + b"\xff", CANARY.encode("utf-16"), CANARY.encode() + b"\0" + CANARY.encode()):
        assert "CANARY" not in message(tmp_path, content)


@pytest.mark.parametrize("name", ["sk-ant-api03-LEAK0000000000000000", "gsk_aaaaaaaaaaaaaaaaaaaaaaaa1"])
def test_a_name_that_looks_like_a_key_is_refused_and_not_shown(tmp_path, name):
    path = tmp_path / "c.yaml"
    path.write_text(f"providers:\n  - {{name: {name}, protocol: openai, model: m, api_key: k}}\n")
    with pytest.raises(ConfigError) as refused:
        load(path)
    assert "`name` looks like a key" in str(refused.value)
    assert name not in str(refused.value)
