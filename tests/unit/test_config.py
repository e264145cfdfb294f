from __future__ import annotations

import re
from pathlib import Path

import pytest

from mewcode.config.load import load
from mewcode.config.schema import ENTRY_KEYS, PRICE_KEYS, TOP_KEYS, UI_KEYS
from mewcode.config.settings import EnvKey, LiteralKey, NoKey, Settings, Ui
from mewcode.price import Price
from mewcode.secret import Secret

EXAMPLE = Path(__file__).parents[2] / "config.yaml.example"

PLAIN = """\
providers:
  - name: demo
    protocol: openai-compat
    base_url: http://127.0.0.1:8000/v1
    api_key: kk-test-0123456789
    model: demo-model
"""
FULL = """\
default: b
system_prompt: |
  Be brief.
  Be kind.
providers:
  - {name: a, protocol: anthropic, model: sonnet, api_key_env: A_KEY}
  - name: b
    protocol: openai
    model: gpt-6
    api_key: ${B_KEY}
    base_url: https://b.example/v1
    thinking: false
    effort: none
    max_output_tokens: 010
    temperature: 1
    headers: {X-Team: "Bearer ${TEAM}", X-Plain: yes}
    ca_bundle: ~/ca.pem
    proxy: none
    allow_http: true
    price: {input: 3, output: 15.5, cache_read: 0}
    connect_timeout: 2.5
    idle_timeout: 60
  - {name: c, protocol: local, model: models/c.gguf}
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_what_an_entry_leaves_out_has_its_default(tmp_path):
    path = write(tmp_path / "c.yaml", PLAIN)
    settings = load(path)
    (entry,) = settings.providers
    assert (settings.default, settings.system_prompt, settings.path) == (None, None, path)
    assert (entry.name, entry.protocol, entry.model) == ("demo", "openai-compat", "demo-model")
    assert (entry.base_url, entry.headers, entry.allow_http) == ("http://127.0.0.1:8000/v1", (), False)
    assert (entry.thinking, entry.effort, entry.max_output_tokens, entry.temperature) == (None, None, None, None)
    assert (entry.ca_bundle, entry.proxy, entry.connect_timeout, entry.idle_timeout) == (None, None, 10.0, 180.0)
    assert entry.place is not None
    assert (entry.place.line, entry.place.column) == (2, 5)


def test_every_setting_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    settings = load(write(tmp_path / "c.yaml", FULL))
    a, b, c = settings.providers
    assert (settings.default, settings.system_prompt) == ("b", "Be brief.\nBe kind.\n")
    assert isinstance(a.key, EnvKey)
    assert a.key.variable == "A_KEY"
    assert isinstance(b.key, EnvKey)
    assert (b.key.variable, b.key.place.line, b.key.place.column) == ("B_KEY", 10, 14)
    assert (b.base_url, b.thinking, b.effort) == ("https://b.example/v1", False, "none")
    assert (b.max_output_tokens, b.temperature, b.allow_http) == (10, 1.0, True)
    assert [(header.name, header.template) for header in b.headers] == [
        ("X-Team", Secret("Bearer ${TEAM}")),
        ("X-Plain", Secret("yes")),
    ]
    assert (b.ca_bundle, b.proxy, b.connect_timeout, b.idle_timeout) == ("/home/ada/ca.pem", "none", 2.5, 60.0)
    assert b.price == Price(3.0, 15.5, 0.0, None)
    assert (c.key, c.model) == (NoKey(), str(tmp_path / "models/c.gguf"))


@pytest.mark.parametrize("model", ["", "    model: ~/m.gguf\n"])
def test_the_local_model_is_the_packaged_one_or_a_path(tmp_path, monkeypatch, model):
    monkeypatch.setenv("HOME", "/home/ada")
    (entry,) = load(write(tmp_path / "c.yaml", "providers:\n  - name: l\n    protocol: local\n" + model)).providers
    assert entry.model == ("/home/ada/m.gguf" if model else "")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_file_made_on_windows_is_read_as_it_is_meant(tmp_path, mark, end):
    path = tmp_path / "c.yaml"
    path.write_bytes(mark + PLAIN.replace("\n", end).encode())
    (entry,) = load(path).providers
    assert isinstance(entry.key, LiteralKey)
    assert entry.key.secret == Secret("kk-test-0123456789")
    assert entry.model == "demo-model"


@pytest.mark.parametrize(
    "url", ["http://localhost:1/v1", "http://127.8.0.1", "http://[::1]:8080/v1", "https://x.example"]
)
def test_plain_http_is_fine_within_the_machine_and_https_anywhere(tmp_path, url):
    (entry,) = load(write(tmp_path / "c.yaml", PLAIN.replace("http://127.0.0.1:8000/v1", url))).providers
    assert entry.base_url == url


def test_plain_http_to_another_machine_is_fine_once_allowed(tmp_path):
    text = PLAIN.replace("127.0.0.1", "10.0.0.7") + "    allow_http: true\n"
    assert load(write(tmp_path / "c.yaml", text)).providers[0].base_url == "http://10.0.0.7:8000/v1"


@pytest.mark.parametrize("proxy", ["http://10.0.0.1:3128", "https://u:p@proxy.example", "socks5://127.0.0.1:1080"])
def test_a_proxy_may_be_any_of_these_and_its_password_is_not_shown(tmp_path, proxy):
    (entry,) = load(write(tmp_path / "c.yaml", PLAIN + f"    proxy: {proxy}\n")).providers
    assert entry.proxy == proxy
    assert proxy not in repr(entry)


def test_a_protocol_that_has_its_own_module_needs_no_change_here(tmp_path):
    from mewcode.llm.registry import register

    register("test-config-only", lambda config: pytest.fail("nothing is made while a config is read"))
    (entry,) = load(write(tmp_path / "c.yaml", PLAIN.replace("openai-compat", "test-config-only"))).providers
    assert entry.protocol == "test-config-only"


def test_the_example_loads_as_it_is():
    settings = load(EXAMPLE)
    assert [entry.protocol for entry in settings.providers] == ["anthropic", "openai", "openai-compat", "local"]
    assert settings.choose(None).resolve({"ANTHROPIC_API_KEY": "k"}).api_key == Secret("k")


def test_the_example_loads_with_everything_switched_on_and_names_every_setting(tmp_path):
    text = re.sub(r"(?m)^( *)#(?=[a-z ]+\S)(?! )", r"\1", EXAMPLE.read_text())
    text = re.sub(r"(?m)^( *)#(?=  (X-Team|You are|(in|out)put:|cache_(read|write):))", r"\1", text)
    assert load(write(tmp_path / "c.yaml", text)).ui == Ui()  # what it shows is what is built in
    top, entries = text.split("providers:\n")
    assert {*re.findall(r"(?m)^([a-z_]+):", text)} == {*TOP_KEYS}
    assert {*re.findall(r"(?m)^  ([a-z_]+):", top)} == {*UI_KEYS}
    assert {*re.findall(r"(?m)^(?:  - |    )([a-z_]+):", entries)} == {*ENTRY_KEYS}
    assert re.findall(r"(?m)^      ([a-z_]+):", entries) == [*PRICE_KEYS]


def test_the_chat_begins_with_what_ui_says(tmp_path):
    ui = "ui: {theme: mono, mouse: true, timestamps: true, thinking: true, on_exit: nothing, motion: none}\n"
    settings = load(write(tmp_path / "c.yaml", ui + PLAIN))
    assert settings.ui == Ui("mono", mouse=True, timestamps=True, thinking=True, on_exit="nothing", motion="none")


@pytest.mark.parametrize("ui", ["", "ui: {}\n"])
def test_without_ui_the_screen_is_quiet_and_leaves_the_transcript(tmp_path, ui):
    shown = load(write(tmp_path / "c.yaml", ui + PLAIN)).ui
    assert shown == Settings(()).ui == Ui("auto", False, False, False, "transcript", "full")


@pytest.mark.parametrize(("number", "value"), [("0x10", 16), ("0o20", 16), ("+16", 16), ("016", 16)])
def test_a_whole_number_is_read_as_yaml_1_2_has_it(tmp_path, number, value):
    (entry,) = load(write(tmp_path / "c.yaml", PLAIN + f"    max_output_tokens: {number}\n")).providers
    assert entry.max_output_tokens == value


def test_a_base_url_may_have_a_query(tmp_path):
    path = tmp_path / "c.yaml"
    url = "https://x.example/openai/deployments/m?api-version=2026-01-01"
    path.write_text(
        f"providers:\n  - {{name: az, protocol: openai-compat, model: m, api_key: none, base_url: '{url}'}}\n"
    )
    assert load(path).providers[0].base_url == url
