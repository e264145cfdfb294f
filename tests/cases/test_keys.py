"""Keys: the configured one goes to the configured server, clean and alone, and is shown nowhere."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from mewcode.paths import user_config
from tests.cases.case import DIALECTS, Case, answer
from tests.cases.play import case_serving, config_file, crashed, once, private_file, screen
from tests.e2e.terminal import assert_restored, terminal
from tests.fakes.case_server import Step, serving
from tests.fakes.inside import run_inside
from tests.fakes.program import Home

CANARY = "CANARY"
CLEAN = "Bearer kk-test-CANARY0123456789"
KEYS: list[str] = Case("C046").json("keys.json")
VENDORS = {"openai-compat": "api.openai.com:443", "openai": "api.openai.com:443", "anthropic": "api.anthropic.com:443"}

each_protocol = pytest.mark.parametrize("protocol", DIALECTS)
each_key = pytest.mark.parametrize("key", KEYS, ids=map(repr, KEYS))


def written(url: str, key: str) -> str:
    """The case's own config with another key in its quotes."""
    text = Case("C046").text("config.yaml").replace("http://127.0.0.1:PORT", url)
    text = re.sub('api_key: ".*"', lambda _: f"api_key: {json.dumps(key)}", text)
    return str(private_file("config.yaml", text.encode()))


def assert_clean_or_explained(ran, requests) -> None:
    """The server saw the clean key, or one sentence says what is wrong with it; no connection is blamed."""
    if ran.code == 0:
        assert [request.headers["authorization"] for request in requests] == [CLEAN]
    else:
        assert ran.code == 78
        assert requests == []
        assert re.search("control character|blank|empty", ran.err)
        assert ran.err.count("\n") == 1
    assert not re.search("connection|connect|network", ran.err, re.IGNORECASE)
    assert CANARY not in ran.text + ran.err
    assert not crashed(ran.err)


@each_key
def test_c046_a_key_in_quotes_is_stripped_or_refused_and_never_shown(key):
    with case_serving(answer("openai-compat")) as server:
        ran = run_inside("once", "-c", written(server.url, key), "-m", "hi")
        assert_clean_or_explained(ran, server.requests)
    assert (ran.code == 0) == (key.strip() == CLEAN.removeprefix("Bearer "))


@pytest.mark.parametrize("key", [key for key in KEYS if "\x00" not in key], ids=repr)
def test_c046_a_key_of_the_environment_is_stripped_or_refused_and_never_shown(key, monkeypatch):
    monkeypatch.setenv("DEMO_KEY", key)
    with case_serving(answer("openai-compat")) as server:
        ran = once(server.url, "openai-compat", api_key="${DEMO_KEY}")
        assert_clean_or_explained(ran, server.requests)
    assert (ran.code == 0) == bool(key)


def test_c046_the_fullest_log_does_not_hold_the_key(tmp_path):
    refusal = Step(401, {"Content-Type": "application/json"}, json.dumps({"error": {"message": CLEAN}}).encode())
    with case_serving(refusal) as server:
        config = str(Path(written(server.url, KEYS[0])).absolute())
        ran = Home(tmp_path).run("once", "-c", config, "-m", "hi", "--log", "debug")
    log = (tmp_path / ".local" / "state" / "mewcode" / "mewcode.log").read_text()
    assert (ran.code, len(server.requests)) == (77, 1)
    assert "POST /v1/chat/completions" in log
    assert CANARY not in log + ran.text + ran.err


def test_c046_the_chat_does_not_show_the_key_either():
    with case_serving(answer("openai-compat")) as server, screen(server.url, "openai-compat", api_key=KEYS[0]) as chat:
        assert chat.turn().text == "ok"
        assert CANARY not in chat.shown
    assert server.requests[0].headers["authorization"] == CLEAN


def test_c046_the_chat_refuses_an_illegal_key_before_it_takes_the_screen():
    illegal = next(key for key in KEYS if "\x00" in key)
    with terminal("-c", str(Path(written("http://127.0.0.1:9", illegal)).absolute())) as ended:
        assert ended.exit_code() == 78
        assert_restored(ended)
        assert CANARY not in ended.raw.decode()
        assert "control character" in ended.text.replace("\n", " ")


def test_c052_a_project_s_env_file_changes_nothing():
    case = Case("C052")
    before = dict(os.environ)
    with case_serving(answer("openai-compat")) as server:
        good = config_file(server.url, "openai-compat", api_key="kk-good-key")
        user_config().parent.mkdir(parents=True)
        good.rename(user_config())
        for folder in (Path(), Path("project")):
            folder.mkdir(exist_ok=True)
            (folder / ".env").write_text("\n".join("=".join(pair) for pair in case.environment("dot.env", server)))
        os.chdir("project")
        ran = run_inside("once", "-m", "hi")
        after = dict(os.environ)
        assert server.sink.connections == 0
        names = {name for name, _ in case.environment("dot.env", server)}
    assert (ran.code, ran.text, ran.err) == (0, "ok", "")
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer kk-good-key"]
    assert [request.path for request in server.requests] == ["/v1/chat/completions"]
    assert "x-evil" not in server.requests[0].headers
    assert after == before
    assert not (names - {"SSL_CERT_FILE"}) & after.keys()


@each_protocol
@pytest.mark.parametrize("key", [None, ""], ids=["none given", "empty"])
def test_c054_an_entry_without_a_key_is_refused_and_no_other_key_is_taken(key, protocol, monkeypatch):
    with case_serving(answer(protocol)) as server:
        for name, value in Case("C054").environment("env.txt", server):
            monkeypatch.setenv(name, value)
        ran = once(server.url, protocol, api_key=key)
        assert (server.requests, server.connections, server.sink.connections) == ([], 0, 0)
    assert ran.code == 78
    assert "api_key" in ran.err
    assert "ENVCANARY" not in ran.err


@each_protocol
@pytest.mark.parametrize("key", ["none", "sk-conf"])
def test_c054_the_configured_key_goes_alone_whatever_the_environment_holds(key, protocol, monkeypatch):
    with case_serving(answer(protocol)) as server:
        for name, value in Case("C054").environment("env.txt", server):
            monkeypatch.setenv(name, value)
        ran = once(server.url, protocol, api_key=key)
        assert server.sink.connections == 0
    assert (ran.code, ran.text, len(server.requests)) == (0, "ok", 1)
    heard = server.requests[0]
    assert "ENVCANARY" not in heard.whole
    assert not {"openai-organization", "openai-project", "x-evil"} & heard.headers.keys()
    credentials = {name: heard.headers[name] for name in ("authorization", "x-api-key") if name in heard.headers}
    if key == "sk-conf":
        assert list(credentials.values()) in (["Bearer sk-conf"], ["sk-conf"])
        assert heard.whole.count("sk-conf") == 1
    else:
        assert len(credentials) <= 1


@each_protocol
def test_c054_without_a_base_url_the_vendor_is_asked_and_not_who_the_environment_says(protocol, monkeypatch):
    with serving(Step(502)) as proxy:
        for name, value in Case("C054").environment("env.txt", proxy):
            monkeypatch.setenv(name, value)
        once(proxy.url, protocol, base_url=None, api_key="sk-conf", proxy=proxy.url, max_retries=0)
        assert proxy.sink.connections == 0
    assert {(request.method, request.path) for request in proxy.requests} == {("CONNECT", VENDORS[protocol])}
    assert "ENVCANARY" not in "".join(request.whole for request in proxy.requests)
