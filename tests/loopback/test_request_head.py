"""Where a request goes and what its head says, whatever the environment holds."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mewcode.secret import Secret
from tests.fakes.dialects import ALL, CHAT, KEY, MESSAGES, RESPONSES, ask, each_dialect, text
from tests.fakes.sse_server import serving

CANARY = "canary-4711"
HOSTILE = {
    "ANTHROPIC_API_KEY": CANARY,
    "ANTHROPIC_AUTH_TOKEN": CANARY,
    "ANTHROPIC_BASE_URL": f"http://127.0.0.1:9/{CANARY}",
    "ANTHROPIC_CUSTOM_HEADERS": f"Authorization: Bearer {CANARY}\nX-Canary: {CANARY}",
    "ANTHROPIC_PROFILE": CANARY,
    "ANTHROPIC_IDENTITY_TOKEN": CANARY,
    "OPENAI_API_KEY": CANARY,
    "OPENAI_ADMIN_KEY": CANARY,
    "OPENAI_BASE_URL": f"http://127.0.0.1:9/{CANARY}",
    "OPENAI_CUSTOM_HEADERS": f"Authorization: Bearer {CANARY}\nX-Canary: {CANARY}",
    "OPENAI_ORG_ID": CANARY,
    "OPENAI_PROJECT_ID": CANARY,
}
PATHS = [
    (MESSAGES, "", "/v1/messages"),
    (MESSAGES, "/", "/v1/messages"),
    (MESSAGES, "/v1", "/v1/messages"),
    (MESSAGES, "/v1/", "/v1/messages"),
    (MESSAGES, "/v1/messages", "/v1/messages"),
    (MESSAGES, "/anthropic", "/anthropic/v1/messages"),
    (MESSAGES, "/anthropic?beta=1", "/anthropic/v1/messages?beta=1"),
    (RESPONSES, "/v1", "/v1/responses"),
    (RESPONSES, "/v1/", "/v1/responses"),
    (RESPONSES, "/v1/responses", "/v1/responses"),
    (RESPONSES, "/openai/v1/responses/", "/openai/v1/responses"),
    (RESPONSES, "/v1?api-version=2026-10", "/v1/responses?api-version=2026-10"),
    (CHAT, "", "/chat/completions"),
    (CHAT, "/v1", "/v1/chat/completions"),
    (CHAT, "/v1//", "/v1/chat/completions"),
    (CHAT, "  /v1 \n", "/v1/chat/completions"),
    (CHAT, "/v1/chat/completions", "/v1/chat/completions"),
    (CHAT, "/v1/chat/completions/?api-version=1&x=", "/v1/chat/completions?api-version=1&x="),
    (CHAT, "/api/v3", "/api/v3/chat/completions"),
    (CHAT, "/openai/v1beta/", "/openai/v1beta/chat/completions"),
]


@each_dialect
def test_a_request_is_a_post_of_json_with_the_key_in_one_place(dialect):
    with serving(dialect.answer("Hi")) as server:
        assert text(ask(dialect.config(server.url))) == "Hi"
        heard = server.request()
    assert (heard.method, heard.path) == ("POST", dialect.path)
    assert heard.headers["authorization"] == f"Bearer {KEY}"
    assert heard.headers["content-type"] == "application/json"
    assert heard.headers["accept-encoding"] == "identity"
    assert KEY not in heard.path + heard.body.decode()
    assert [name for name, value in heard.headers.items() if KEY in value] == ["authorization"]


@each_dialect
def test_a_request_names_no_organisation_and_no_project(dialect):
    with serving(dialect.answer("Hi")) as server:
        ask(dialect.config(server.url))
        heard = server.request()
    assert not [name for name in heard.headers if name.startswith("openai-")]


def test_messages_are_asked_for_in_the_version_of_the_api_that_the_sdk_speaks():
    with serving(MESSAGES.answer("Hi")) as server:
        ask(MESSAGES.config(server.url))
        assert server.request().headers["anthropic-version"] == "2026-10-21"


@each_dialect
def test_a_server_that_wants_no_key_is_sent_none_of_ours(dialect):
    with serving(dialect.answer("Hi")) as server:
        assert text(ask(replace(dialect.config(server.url), api_key=None))) == "Hi"
        assert server.request().headers["authorization"] == "Bearer none"


@each_dialect
def test_headers_of_the_configuration_are_sent_and_win(dialect):
    headers = {"X-Team": Secret("blue"), "Authorization": Secret("Basic Zm9v")}
    with serving(dialect.answer("Hi")) as server:
        ask(replace(dialect.config(server.url), headers=headers))
        heard = server.request()
    assert (heard.headers["x-team"], heard.headers["authorization"]) == ("blue", "Basic Zm9v")


@each_dialect
@pytest.mark.parametrize("variable", HOSTILE)
def test_a_variable_of_an_sdk_changes_nothing(dialect, variable, monkeypatch):
    with serving(dialect.answer("Hi")) as server:
        ask(dialect.config(server.url))
        plain = server.request()
        monkeypatch.setenv(variable, HOSTILE[variable])
        assert text(ask(dialect.config(server.url))) == "Hi"
        heard = server.request()
    assert CANARY not in repr(heard)
    assert (heard.path, heard.headers, heard.body) == (plain.path, plain.headers, plain.body)


@each_dialect
def test_all_variables_of_the_sdks_together_change_nothing(dialect, monkeypatch):
    for variable, value in HOSTILE.items():
        monkeypatch.setenv(variable, value)
    with serving(dialect.answer("Hi")) as server:
        assert text(ask(dialect.config(server.url))) == "Hi"
        assert CANARY not in repr(server.request())


def test_a_profile_on_disk_changes_nothing(tmp_path, monkeypatch):
    folder = tmp_path / ".config" / "anthropic"
    profile = {"version": "1.0", "base_url": f"http://127.0.0.1:9/{CANARY}", "authentication": {"type": CANARY}}
    (folder / "configs").mkdir(parents=True)
    (folder / "configs" / "default.json").write_text(json.dumps(profile))
    (folder / "active_config").write_text("default")
    monkeypatch.setenv("HOME", str(tmp_path))
    with serving(MESSAGES.answer("Hi")) as server:
        assert text(ask(replace(MESSAGES.config(server.url), api_key=None))) == "Hi"
        assert CANARY not in repr(server.request())


@pytest.mark.parametrize(("dialect", "form", "path"), PATHS, ids=[f"{one.protocol}{form!r}" for one, form, _ in PATHS])
def test_every_form_of_a_base_url_leads_to_the_endpoint(dialect, form, path):
    with serving(dialect.answer("Hi")) as server:
        blanks = form[: len(form) - len(form.lstrip())]
        config = replace(dialect.config(""), base_url=f"{blanks}{server.url}{form.lstrip()}")
        assert text(ask(config)) == "Hi"
        assert server.request().path == path


def test_the_table_of_protocols_is_whole():
    assert {dialect.protocol for dialect in ALL} == {"anthropic", "openai", "openai-compat"}
