from __future__ import annotations

import subprocess
import sys

import pytest

from mewcode.errors import ConfigError, LLMError
from mewcode.llm.client import ProviderConfig, ToolSchema
from mewcode.llm.conversation import Conversation
from mewcode.llm.events import StreamEnd, StreamError, TextDelta
from mewcode.llm.messages import ApiMessage, Origin, TextBlock
from mewcode.llm.registry import create_client, protocols, register
from mewcode.secret import Secret
from tests.fakes.scripted import PATIENCE, Scripted, client_of

END = StreamEnd("end", "stop")


def asked(text):
    conversation = Conversation()
    conversation.add("user", text)
    return conversation


def test_the_protocols_are_known_and_clients_made_without_loading_an_sdk():
    code = """
import sys
from mewcode.llm.client import ProviderConfig
from mewcode.llm.registry import create_client, protocols
print(*protocols())
for protocol in protocols():
    create_client(ProviderConfig("n", protocol, "m"), "")
print(*{"anthropic", "openai", "httpx2", "pydantic", "xllamacpp"} & set(sys.modules))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n") == ["anthropic local openai openai-compat", "", ""]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"base_url": "localhost:8080/v1"}, "base_url"),
        ({"base_url": "ftp://h/"}, "base_url"),
        ({"base_url": "https://"}, "base_url"),
        ({"api_key": Secret("kk-0123\n")}, "the key"),
        ({"api_key": Secret("kk-\xe9123")}, "the key"),
        ({"headers": {"X-Org": Secret("a\r\nb: c")}}, "X-Org"),
    ],
)
def test_what_no_request_could_carry_is_said_before_one_is_made_and_not_shown(fields, named):
    with pytest.raises(ConfigError, match=f"^here: .*{named}") as caught:
        create_client(ProviderConfig("here", "openai", "m", **fields), "")
    assert "kk-" not in str(caught.value)


@pytest.mark.parametrize("protocol", ["opnai", "", "openai_compat", "_http", "os", "../x"])
def test_a_protocol_that_nobody_speaks_is_refused_with_those_there_are(protocol):
    with pytest.raises(ConfigError) as refused:
        create_client(ProviderConfig("n", protocol, "m"), "")
    assert all(known in str(refused.value) for known in ("anthropic", "openai", "openai-compat", "local"))


def test_a_protocol_registered_at_run_time_works_like_any_other():
    provider, made = Scripted([TextDelta("hi"), END]), []

    def factory(config):
        made.append(config)
        return provider

    register("for-this-test", factory)
    assert "for-this-test" in protocols()
    client = create_client(ProviderConfig("n", "for-this-test", "m"), "Be brief.")
    assert made == []
    assert list(client.stream(asked("q"))) == [TextDelta("hi"), END]
    assert list(client.stream(asked("q"))) == [TextDelta("hi"), END]
    assert [config.name for config in made] == ["n"]
    client.close()
    assert provider.closed


def test_a_request_says_what_the_entry_and_the_conversation_say():
    provider = Scripted([END])
    config = ProviderConfig(
        "n",
        "anthropic",
        "sonnet",
        base_url="http://h",
        max_output_tokens=5,
        temperature=0.5,
        effort="low",
        thinking=True,
    )
    client = client_of(provider, config)
    tool = ToolSchema("t", "does it", {"type": "object"})
    list(client.stream(asked("q"), [tool]))
    [request] = provider.requests
    assert request.model == client.model
    assert request.model.startswith("claude-sonnet-")
    assert request.system == "Be brief."
    assert request.messages == (ApiMessage("user", (TextBlock("q"),)),)
    assert request.tools == (tool,)
    assert (request.max_output_tokens, request.temperature, request.effort, request.thinking) == (5, 0.5, "low", True)
    assert client.origin == Origin("n", "http://h", client.model)


def test_a_limit_holds_from_the_next_request_on():
    provider = Scripted([END])
    client = client_of(provider)
    for limit in (7, None):
        client.set_max_output_tokens(limit)
        list(client.stream(asked("q")))
    assert [request.max_output_tokens for request in provider.requests] == [7, None]


def test_a_request_is_what_was_said_when_it_was_asked():
    provider, conversation = Scripted([END]), asked("q")
    turn = client_of(provider).stream(conversation)
    conversation.add("user", "later")
    assert list(turn) == [END]
    assert provider.requests[0].messages == (ApiMessage("user", (TextBlock("q"),)),)


def test_a_provider_that_cannot_be_made_fails_the_turn_and_is_tried_again():
    provider, tries = Scripted([END]), []

    def factory(_config):
        tries.append(1)
        if len(tries) == 1:
            raise ConfigError("n: the proxy is wrong")
        return provider

    register("for-that-test", factory)
    client = create_client(ProviderConfig("n", "for-that-test", "m"), "")
    [failed] = client.stream(asked("q"))
    assert isinstance(failed, StreamError)
    assert (type(failed.error), str(failed.error)) == (LLMError, "n: the proxy is wrong")
    turn = client.stream(asked("q"))
    assert turn.join(PATIENCE)
    assert turn.take() == [END]


def test_warming_makes_the_provider_once_and_closing_twice_is_harmless():
    provider = Scripted([END])
    client = client_of(provider)
    client.warm()
    client.warm()
    client.close()
    client.close()
    assert provider.closed
