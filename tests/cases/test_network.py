"""What stands between us and the server: proxies that nobody can use, and certificates that nobody should trust."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.cases.case import DIALECTS, Case, answer
from tests.cases.play import case_serving, config_file, crashed, once, screen
from tests.e2e.terminal import assert_restored, terminal
from tests.fakes.case_server import serving

if TYPE_CHECKING:
    from tests.cases.certificates import Authority
    from tests.fakes.case_server import CaseServer

PROXIES = [tuple(line.split("=", 1)) for line in Case("C040").text("env.txt").splitlines()]
PASSWORD = "user:pw"
CERTIFICATES = Case("C042").json("cases.json")
REASONS = {
    "own-ca, localhost": "self-signed|self signed|not trusted|unknown issuer",
    "own-ca, other.example": "mismatch|not valid for|another host|other host",
    "own-ca, localhost, expired yesterday": "expired",
}

each_proxy = pytest.mark.parametrize(("variable", "value"), PROXIES, ids=map("=".join, PROXIES))
each_protocol = pytest.mark.parametrize("protocol", DIALECTS)
each_certificate = pytest.mark.parametrize("row", CERTIFICATES, ids=lambda row: f"{row['cert']} {row['env']}")


@each_proxy
def test_c040_a_proxy_variable_that_cannot_be_used_is_named_in_one_line(variable, value, monkeypatch):
    monkeypatch.setenv(variable, value)
    with case_serving(answer("openai-compat")) as server:
        ran = once(server.url, "openai-compat")
    assert (ran.code, ran.out, server.requests) == (78, b"", [])
    assert variable.upper() in ran.err.upper()
    assert ran.err.count("\n") == 1
    assert PASSWORD not in ran.err
    assert not crashed(ran.err)


@each_proxy
def test_c040_it_is_no_matter_where_no_proxy_is_wanted(variable, value, monkeypatch):
    monkeypatch.setenv(variable, value)
    with case_serving(answer("openai-compat"), answer("openai-compat")) as server:
        assert once(server.url, "openai-compat", proxy="none").text == "ok"
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert once(server.url, "openai-compat").text == "ok"


def test_c040_the_chat_says_so_in_one_line_and_leaves_the_terminal_as_it_was():
    config = str(config_file("http://127.0.0.1:9", "openai-compat").absolute())
    with ExitStack() as running:
        chats = [
            running.enter_context(terminal("-c", config, size=(80, 24), **{name: value})) for name, value in PROXIES
        ]
        for (name, _), ended in zip(PROXIES, chats, strict=True):
            assert ended.exit_code(within=10) == 78
            assert_restored(ended)
            assert name.upper() in ended.text.replace("\n", "").upper()
            assert PASSWORD.encode() not in ended.raw


@each_certificate
@each_protocol
def test_c042_a_certificate_is_checked_and_what_is_wrong_with_it_is_said(protocol, row, authority, monkeypatch):
    settle_trust(row, authority, monkeypatch)
    with serving(answer(protocol), tls=server_side(row, authority)) as server:
        ran = once(secure_url(server), protocol)
    if row["expect"] == "works":
        assert (ran.code, ran.text) == (0, "ok")
        return
    assert (ran.code, ran.out, server.requests) == (69, b"", [])
    assert server.connections == 1
    for words in ("certificate", f"localhost:{server.port}", "ca_bundle|SSL_CERT_FILE", REASONS[row["cert"]]):
        assert re.search(words, ran.err, re.IGNORECASE), words
    assert ran.err.count("\n") == 1


@each_certificate
def test_c042_the_chat_says_it_too(row, authority, monkeypatch):
    settle_trust(row, authority, monkeypatch)
    with (
        serving(answer("anthropic"), tls=server_side(row, authority)) as server,
        screen(secure_url(server), "anthropic") as chat,
    ):
        message = chat.turn()
        shown = chat.shown.replace("\n", " ")
    assert (message.status == "complete") == (row["expect"] == "works")
    if row["expect"] != "works":
        assert re.search(REASONS[row["cert"]], shown)
        assert re.search("certificate", shown)
        assert (server.connections, server.requests) == (1, [])


@each_protocol
def test_c042_a_ca_bundle_of_the_config_is_enough(protocol, authority, tmp_path_factory, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE")
    with serving(answer(protocol), tls=authority.server_side("localhost")) as server:
        ran = once(secure_url(server), protocol, ca_bundle=str(authority.pem))
    assert (ran.code, ran.text) == (0, "ok")


@pytest.mark.parametrize("setting", ["verify", "insecure", "tls_verify", "verify_ssl", "skip_verify"])
def test_c042_no_setting_turns_the_check_off(setting, authority):
    with serving(answer("anthropic"), tls=authority.server_side("localhost")) as server:
        for value in (True, False):
            ran = once(secure_url(server), "anthropic", **{setting: value})
            assert ran.code == 78
            assert setting in ran.err


def settle_trust(row: dict, authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set what the row's environment says; the file is that of the test's own authority."""
    monkeypatch.delenv("SSL_CERT_FILE")
    for name in row["env"]:
        monkeypatch.setenv(name, str(authority.pem))


def server_side(row: dict, authority: Authority):
    _, host, *expired = row["cert"].split(", ")
    return authority.server_side(host, days=-1 if expired else 2)


def secure_url(server: CaseServer) -> str:
    return f"https://localhost:{server.port}"
