"""TLS, and the settings around it: what cannot be trusted is said once and not tried again."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mewcode import errors, exits
from mewcode.llm.events import Cancelled, TextDelta
from tests.fakes.certificate import make_certificate
from tests.fakes.dialects import CHAT, ask, connected, conversation, each_dialect, failure, text
from tests.fakes.raw_server import RawServer, handling, listening_only, read_request
from tests.fakes.sse_server import LIMIT, serving

if TYPE_CHECKING:
    import socket
    import ssl

    from tests.fakes.dialects import Dialect

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def encrypted(context: ssl.SSLContext, dialect: Dialect, *, ends: bool):
    """A server that answers over TLS; without an end it then waits for the client to leave."""

    def serve(client: socket.socket) -> None:
        with context.wrap_socket(client, server_side=True) as secure:
            read_request(secure)
            secure.sendall(HEAD + b"".join(dialect.begun("Hel")))
            if ends:
                secure.sendall(b"".join((*dialect.wire(dialect.delta("lo")), *dialect.ended())))
            else:
                listening_only(secure)

    return handling(serve)


def secure_config(dialect: Dialect, server: RawServer, host: str = "127.0.0.1"):
    return dialect.config(f"https://{host}:{server.port}")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    """A certificate that nobody trusts."""
    return make_certificate(tmp_path_factory.mktemp("stranger"))


@each_dialect
def test_a_server_whose_certificate_is_trusted_is_talked_to(dialect, certificate):
    with encrypted(certificate.server_side(), dialect, ends=True) as server:
        assert text(ask(secure_config(dialect, server))) == "Hello"


@each_dialect
def test_a_certificate_that_nobody_signed_ends_the_turn_for_good(dialect, stranger):
    with encrypted(stranger.server_side(), dialect, ends=True) as server:
        error = failure(ask(secure_config(dialect, server)))
    assert type(error) is errors.NetworkError
    assert not error.retryable
    assert exits.exit_code(error) == exits.UNAVAILABLE
    for word in (f"127.0.0.1:{server.port}", "certificate", "ca_bundle"):
        assert word in str(error)


def test_a_certificate_of_another_host_ends_the_turn_for_good(certificate):
    with encrypted(certificate.server_side(), CHAT, ends=True) as server:
        error = failure(ask(secure_config(CHAT, server, "localhost")))
    assert (type(error), error.retryable) == (errors.NetworkError, False)


def test_a_server_that_does_not_speak_tls_ends_the_turn_for_good():
    def speak(client: socket.socket) -> None:
        client.recv(65536)
        client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with handling(speak) as server:
        error = failure(ask(secure_config(CHAT, server)))
    assert (type(error), error.retryable) == (errors.NetworkError, False)


def test_a_handshake_that_is_hung_up_on_may_be_tried_again():
    with handling(lambda client: client.recv(65536)) as server:
        error = failure(ask(secure_config(CHAT, server)))
    assert (type(error), error.retryable) == (errors.NetworkError, True)


def test_a_ca_bundle_is_trusted_instead_of_the_system(stranger, certificate):
    with encrypted(stranger.server_side(), CHAT, ends=True) as server:
        config = replace(secure_config(CHAT, server), ca_bundle=str(stranger.pem))
        assert text(ask(config)) == "Hello"
        config = replace(config, ca_bundle=str(certificate.pem))
        assert type(failure(ask(config))) is errors.NetworkError


@each_dialect
def test_cancel_wakes_a_worker_that_waits_over_tls(dialect, certificate):
    with (
        encrypted(certificate.server_side(), dialect, ends=False) as server,
        connected(secure_config(dialect, server)) as client,
    ):
        turn = client.stream(conversation())
        assert turn.queue.get(timeout=LIMIT) == TextDelta("Hel")
        started = time.monotonic()
        turn.cancel()
        assert turn.join(1.0)
        left = server.left.get(timeout=LIMIT) - started
        assert list(turn) == [Cancelled()]
    print(f"cancel over TLS, {dialect.protocol}: close seen after {left * 1000:.1f} ms")  # noqa: T201
    assert left < 1.0


@each_dialect
@pytest.mark.parametrize("value", ["/nowhere/ca.pem", __file__], ids=["missing", "no certificate"])
def test_certificates_that_cannot_be_read_are_a_matter_of_the_configuration(dialect, value, monkeypatch):
    config = dialect.config("http://127.0.0.1:9")
    assert unusable(replace(config, ca_bundle=value), "ca_bundle")
    monkeypatch.setenv("SSL_CERT_FILE", value)
    assert unusable(config, "SSL_CERT_FILE")


@each_dialect
@pytest.mark.parametrize("value", ["gopher://127.0.0.1:1", "127.0.0.1:x", "http://[::1", "socks5://127.0.0.1:1"])
def test_a_proxy_that_cannot_be_used_is_a_matter_of_the_configuration(dialect, value, monkeypatch):
    config = dialect.config("http://127.0.0.1:9")
    assert unusable(replace(config, proxy=value), "proxy")
    monkeypatch.setenv("ALL_PROXY", value)
    assert unusable(config, "ALL_PROXY")


def unusable(config, name):
    """The turn ends with one sentence that names the setting, and with the exit code of a wrong configuration."""
    error = failure(ask(config))
    assert isinstance(error.__cause__, errors.ConfigError)
    assert exits.exit_code(error) == exits.CONFIG
    assert "\n" not in str(error)
    return name in str(error)


@each_dialect
def test_a_proxy_is_used_and_none_is_none(dialect, monkeypatch):
    with serving(dialect.answer("through")) as proxy, serving(dialect.answer("direct")) as server:
        config = dialect.config(server.url)
        assert text(ask(replace(config, proxy=proxy.url))) == "through"
        assert proxy.request().path == server.url + dialect.path
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert text(ask(config)) == "through"
        assert text(ask(replace(config, proxy="none"))) == "direct"
