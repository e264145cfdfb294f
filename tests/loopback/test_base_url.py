"""Where a request goes: every spelling of a base URL, and the one detour from a base that lacks its `/v1`."""

from __future__ import annotations

import socket
import threading
from dataclasses import replace

import pytest

from mewcode import errors
from tests.fakes.choosy_server import choosing, having, refusing
from tests.fakes.dialects import CHAT, MESSAGES, RESPONSES, each_dialect
from tests.fakes.raw_server import read_request
from tests.fakes.sse_server import LIMIT, Reply, json_error, serving
from tests.loopback.turned import turned
from tests.unit import refusal_table as words
from tests.unit.refusal_bodies import openai

NAMED = {dialect.protocol: dialect for dialect in (CHAT, RESPONSES, MESSAGES)}
SPELLINGS = [
    ("openai-compat", "/v1", "/v1/chat/completions"),
    ("openai-compat", "/v1/", "/v1/chat/completions"),
    ("openai-compat", "/v1//", "/v1/chat/completions"),
    ("openai-compat", "  /v1 \n", "/v1/chat/completions"),
    ("openai-compat", "/api/v3", "/api/v3/chat/completions"),
    ("openai-compat", "/openai/v1beta/", "/openai/v1beta/chat/completions"),
    ("openai-compat", "/openai/v1", "/openai/v1/chat/completions"),
    ("openai-compat", "/v1/chat/completions", "/v1/chat/completions"),
    ("openai-compat", "/v1/chat/completions/", "/v1/chat/completions"),
    ("openai-compat", "/v1//chat/completions", "/v1/chat/completions"),
    ("openai-compat", "/chat/completions", "/chat/completions"),
    ("openai-compat", "/v1?", "/v1/chat/completions"),
    ("openai-compat", "/v1?api-version=2024-10-21", "/v1/chat/completions?api-version=2024-10-21"),
    ("openai-compat", "/v1/chat/completions?api-version=1", "/v1/chat/completions?api-version=1"),
    ("openai-compat", "?api-version=1", "/chat/completions?api-version=1"),
    ("openai-compat", "/openai/deployments/x?a=1&b=%2F", "/openai/deployments/x/chat/completions?a=1&b=%2F"),
    ("openai-compat", "//v1", "/v1/chat/completions"),
    ("openai-compat", "/v1/v1", "/v1/chat/completions"),
    ("openai-compat", "/v1/responses", "/v1/chat/completions"),
    ("openai", "/v1/chat/completions", "/v1/responses"),
    ("anthropic", "/v1/v1/messages", "/v1/messages"),
    ("openai", "/v1", "/v1/responses"),
    ("openai", "/v1/", "/v1/responses"),
    ("openai", " /v1/ ", "/v1/responses"),
    ("openai", "/v1/responses", "/v1/responses"),
    ("openai", "/v1/responses/", "/v1/responses"),
    ("openai", "/openai/v1", "/openai/v1/responses"),
    ("openai", "/openai/v1?api-version=preview", "/openai/v1/responses?api-version=preview"),
    ("openai", "/openai/v1/responses?api-version=preview", "/openai/v1/responses?api-version=preview"),
    ("anthropic", "", "/v1/messages"),
    ("anthropic", "/", "/v1/messages"),
    ("anthropic", "/v1", "/v1/messages"),
    ("anthropic", "/v1/", "/v1/messages"),
    ("anthropic", " / ", "/v1/messages"),
    ("anthropic", "/anthropic", "/anthropic/v1/messages"),
    ("anthropic", "/anthropic/", "/anthropic/v1/messages"),
    ("anthropic", "/anthropic/v1", "/anthropic/v1/messages"),
    ("anthropic", "/v1/messages", "/v1/messages"),
    ("anthropic", "/anthropic/v1/messages/", "/anthropic/v1/messages"),
    ("anthropic", "?api-version=1", "/v1/messages?api-version=1"),
    ("anthropic", "/v1/messages?api-version=1", "/v1/messages?api-version=1"),
]


@pytest.mark.parametrize(("protocol", "spelled", "path"), SPELLINGS)
def test_every_spelling_leads_to_the_endpoint(protocol, spelled, path):
    dialect = NAMED[protocol]
    blanks = len(spelled) - len(spelled.lstrip())
    with serving(dialect.answer("Hi")) as server:
        base_url = spelled[:blanks] + server.url + spelled[blanks:]
        assert turned(replace(dialect.config(server.url), base_url=base_url)).ended
        assert [server.request().path for _ in range(server.requests.qsize())] == [path]


@each_dialect
def test_scheme_and_host_may_be_in_capitals(dialect):
    with serving(dialect.answer("Hi")) as server:
        base_url = server.url.replace("http://127.0.0.1", "HTTP://LOCALHOST") + dialect.root
        assert turned(replace(dialect.config(server.url), base_url=base_url)).ended
        heard = server.request()
    assert heard.path == dialect.path
    assert heard.headers["host"].startswith("localhost:")


@each_dialect
def test_a_host_may_be_an_ipv6_address(dialect):
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as listener:
        listener.settimeout(LIMIT)
        heard = []

        def answer():
            client, _ = listener.accept()
            with client:
                heard.append(read_request(client))
                head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
                client.sendall(head + b"".join(dialect.answer("Hi").pieces))

        serving_it = threading.Thread(target=answer)
        serving_it.start()
        host = f"[::1]:{listener.getsockname()[1]}"
        assert turned(dialect.config(f"http://{host}")).ended
        serving_it.join(LIMIT)
    assert heard[0].startswith(f"POST {dialect.path} HTTP/1.1\r\n".encode())
    assert f"\r\nhost: {host}\r\n".encode() in heard[0].lower()


def at(path, dialect, elsewhere=None):
    """A rule: the server is at home at this path alone."""
    nothing = elsewhere or Reply((b"<html>Not Found</html>",), 404, {"Content-Type": "text/html"})
    return lambda heard: dialect.answer("Hi") if heard.path.partition("?")[0] == path else nothing


def paths(server):
    return [heard.path for heard in server.heard]


def test_a_detour_that_led_to_a_busy_server_is_taken_at_once_the_next_time():
    busy = json_error(503, {"error": {"message": "busy"}}, Retry_After="0.01")
    nothing = json_error(404, {"error": {"message": "no such page"}})
    with serving(nothing, busy, CHAT.answer("Hi")) as server:
        config = replace(CHAT.config(server.url, max_retries=1), base_url=server.url)
        assert turned(config).ended
        paths = [server.request().path for _ in range(server.requests.qsize())]
    assert paths == ["/chat/completions", "/v1/chat/completions", "/v1/chat/completions"]


detouring = pytest.mark.parametrize("dialect", [CHAT, RESPONSES], ids=lambda dialect: dialect.protocol)


def without_path(dialect, server):
    return replace(dialect.config(server.url), base_url=server.url)


@detouring
@pytest.mark.parametrize("query", ["", "?api-version=1"])
def test_a_base_that_lacks_its_v1_is_asked_there_and_the_next_turn_goes_there_at_once(dialect, query):
    with choosing(at(dialect.path, dialect)) as server:
        config = replace(dialect.config(server.url), base_url=server.url + query)
        assert turned(config).ended
        assert turned(replace(config, model="other", name="again")).ended
    endpoint = dialect.path.removeprefix("/v1")
    assert paths(server) == [endpoint + query, dialect.path + query, dialect.path + query]


@detouring
def test_a_base_that_is_right_without_v1_takes_no_detour(dialect):
    with choosing(at(dialect.path.removeprefix("/v1"), dialect)) as server:
        assert turned(without_path(dialect, server)).ended
        assert turned(without_path(dialect, server)).ended
    assert paths(server) == [dialect.path.removeprefix("/v1")] * 2


@detouring
def test_where_the_detour_leads_nowhere_the_url_that_was_set_is_named_and_nothing_remembered(dialect):
    endpoint = dialect.path.removeprefix("/v1")
    with choosing(at("/elsewhere", dialect)) as server:
        for _ in range(2):
            error = turned(without_path(dialect, server)).error
            assert isinstance(error, errors.ProtocolError)
            assert server.url + endpoint in str(error)
            assert "/v1/" not in str(error)
    assert paths(server) == [endpoint, dialect.path] * 2


@detouring
def test_what_the_detour_finds_is_what_is_told(dialect):
    refused = json_error(401, {"error": {"message": "no"}})
    with choosing(lambda heard: refused if heard.path == dialect.path else at("/", dialect)(heard)) as server:
        assert isinstance(turned(without_path(dialect, server)).error, errors.AuthError)
    assert len(server.heard) == 2


@pytest.mark.parametrize(("dialect", "root"), [(CHAT, "/v2"), (RESPONSES, "/openai"), (CHAT, "/v1"), (MESSAGES, "")])
def test_a_base_with_a_path_takes_no_detour(dialect, root):
    with choosing(at("/elsewhere", dialect)) as server:
        error = turned(replace(dialect.config(server.url), base_url=server.url + root)).error
        assert isinstance(error, errors.ProtocolError)
        assert f"{server.url}{root}" in str(error)
    assert len(server.heard) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"error": "model 'tiny' not found"},
        {"error": {"message": "The model `tiny` does not exist", "code": "model_not_found"}},
    ],
)
def test_a_404_that_speaks_of_a_model_takes_no_detour(body):
    with choosing(at("/elsewhere", CHAT, json_error(404, body))) as server:
        assert isinstance(turned(without_path(CHAT, server)).error, errors.ModelNotFound)
    assert len(server.heard) == 1


def test_behind_the_detour_a_request_is_still_corrected_and_both_are_remembered():
    choosy = refusing(CHAT, having("max_tokens", openai(words.NEW_NAME, "max_tokens")))
    with choosing(lambda heard: choosy(heard) if heard.path == CHAT.path else at("/", CHAT)(heard)) as server:
        config = replace(without_path(CHAT, server), max_output_tokens=9)
        assert turned(config).ended
        assert turned(config).ended
    assert paths(server) == ["/chat/completions", CHAT.path, CHAT.path, CHAT.path]
