"""What a reader with a server of his own could break, and what is right there."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from typing import Any

import pytest

from mewcode import errors
from mewcode.llm.client import ToolSchema
from mewcode.llm.collect import collect
from mewcode.llm.conversation import Conversation
from mewcode.llm.events import Retrying, StreamEnd, TextDelta, ToolCallComplete
from mewcode.llm.messages import ToolResultBlock
from mewcode.llm.registry import create_client
from tests.fakes.choosy_server import choosing
from tests.fakes.dialects import CHAT, MESSAGES, RESPONSES, each_dialect
from tests.fakes.inside import run_inside
from tests.fakes.program import entry
from tests.fakes.raw_server import RawServer, read_request
from tests.fakes.sse_server import Reply, json_error, serving, sse
from tests.loopback.turned import turned

TOOL = ToolSchema("add", "adds", {"type": "object"})


def chat(*chunks):
    return Reply(sse(*chunks))


def chunk(delta, finish=None):
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


@pytest.mark.parametrize("after", [b"", b": keep-alive\n\n"], ids=["silence", "pings"])
def test_a_chat_ends_soon_after_its_finish_reason_whatever_the_server_does_then(after):
    over = threading.Event()

    def handler(client):
        read_request(client)
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for piece in sse(chunk({"content": "Hello"}), chunk({}, "stop")):
            client.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        while not over.wait(0.1):
            if after:
                client.sendall(b"%x\r\n%s\r\n" % (len(after), after))

    server = RawServer(handler)
    try:
        told = turned(replace(CHAT.config(server.url), idle_timeout=60.0))
    finally:
        over.set()
        server.close()
    assert told.events[0] == TextDelta("Hello")
    assert isinstance(told.events[-1], StreamEnd)
    assert told.events[-1].stop_reason == "end"


def test_a_level_that_the_server_lists_is_sent_as_it_is_after_another_was_refused():
    levels = (
        "Unsupported value: 'xhigh' is not supported with this model. Supported values are: 'low', 'medium', 'high'."
    )

    def rule(heard):
        body = heard.json
        if body.get("reasoning_effort") == "xhigh":
            return json_error(
                400, {"error": {"message": levels, "param": "reasoning_effort", "code": "unsupported_value"}}
            )
        return CHAT.answer("Hi")

    with choosing(rule) as server:
        for effort in ("xhigh", "low", "medium", "xhigh"):
            assert turned(replace(CHAT.config(server.url, "gpt-5"), effort=effort)).ended
        sent = [heard.json["reasoning_effort"] for heard in server.heard]
    assert sent == ["xhigh", "high", "low", "medium", "high"]


def test_a_form_of_thinking_that_was_refused_says_nothing_of_another():
    def rule(heard):
        body = heard.json
        kind = (body.get("thinking") or {}).get("type")
        if kind in ("disabled", "enabled"):
            words = f'"thinking.type.{kind}" is not supported for this model.'
            error = {"type": "invalid_request_error", "message": words}
            return json_error(400, {"type": "error", "error": error})
        return MESSAGES.answer("Hi")

    with choosing(rule) as server:
        for thinking in (False, True):
            assert turned(replace(MESSAGES.config(server.url, "claude-nova-6"), thinking=thinking)).ended
        sent = [(heard.json.get("thinking") or {}).get("type") for heard in server.heard]
    assert sent == ["disabled", None, "adaptive"]


def test_reasoning_that_a_server_misses_beside_a_call_is_put_back():
    missing = "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"
    call = {"index": 0, "id": "f:0", "function": {"name": "add", "arguments": "{}"}}

    def rule(heard):
        body = heard.json
        told = body["messages"]
        if any(said.get("tool_calls") and not said.get("reasoning_content") for said in told):
            return json_error(400, {"error": {"message": missing, "type": "invalid_request_error"}})
        if told[-1]["role"] == "tool":
            return CHAT.answer("Done.")
        return chat(chunk({"reasoning_content": "Hm."}), chunk({"tool_calls": [call]}), chunk({}, "tool_calls"))

    with choosing(rule) as server:
        client = create_client(CHAT.config(server.url, "kimi-k2.5"), "s")
        conversation = Conversation()
        conversation.add("user", "q")
        message, _ = collect(client.stream(conversation, [TOOL]))
        conversation.add("assistant", message.blocks)
        conversation.add("tool", [ToolResultBlock("f:0", "4")])
        answer, _ = collect(client.stream(conversation, [TOOL]))
        client.close()
    assert answer.text == "Done."


def test_a_tagged_thought_goes_back_inside_the_text_as_it_came():
    with serving(CHAT.answer("<think>plan A</think>\n\nanswer"), CHAT.answer("ok")) as server:
        client = create_client(CHAT.config(server.url), "s")
        conversation = Conversation()
        for question in ("q1", "q2"):
            conversation.add("user", question)
            message, _ = collect(client.stream(conversation))
            conversation.add("assistant", message.blocks)
        client.close()
        server.request()
        told = server.request().json["messages"]
    assert conversation.snapshot()[1].text == "answer"
    assert told[2] == {"role": "assistant", "content": "<think>plan A</think>\n\nanswer"}


def test_a_rate_limit_inside_a_stream_stays_one_though_its_words_go_on_to_billing():
    words = "Rate limit reached for gpt-5 on tokens per min. Please try again in 2s. Add a payment method: .../billing."
    failed = {"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded", "message": words}}}
    with serving(Reply(sse({"type": "response.created", "response": {}}, failed, named=True))) as server:
        told = turned(RESPONSES.config(server.url, "gpt-5"))
    assert type(told.error) is errors.RateLimited


def test_an_endpoint_that_is_not_there_is_no_failure_of_the_server_though_it_says_so_with_a_200():
    words = {"error": "Unexpected endpoint or method. (POST /chat/completions)"}
    with serving(json_error(200, words), CHAT.answer("Hi")) as server:
        told = turned(replace(CHAT.config(server.url, max_retries=2), base_url=server.url))
        paths = [server.request().path for _ in range(server.requests.qsize())]
    assert told.ended
    assert paths == ["/chat/completions", "/v1/chat/completions"]
    with serving(json_error(200, words)) as server:
        told = turned(CHAT.config(server.url, max_retries=2))
        assert server.requests.qsize() == 1
    assert type(told.error) is errors.ProtocolError


@pytest.mark.parametrize(("scheme", "status"), [("https", 403), ("https", 407), ("http", 407)])
def test_a_proxy_that_refuses_is_asked_once_and_named(scheme, status):
    with serving(json_error(status, {})) as proxy:
        config = replace(CHAT.config(f"{scheme}://h.invalid", max_retries=2), proxy=proxy.url)
        told = turned(config)
        assert proxy.requests.qsize() == 1
    assert isinstance(told.error, errors.NetworkError)
    assert not told.error.retryable
    assert "proxy 127.0.0.1" in str(told.error)
    assert str(status) in str(told.error)


@pytest.mark.parametrize("finish", ["model_length", "unheard_of"])
def test_a_call_without_arguments_does_not_run_when_the_answer_may_have_been_cut_there(finish):
    call = {"index": 0, "id": "x", "function": {"name": "delete_all", "arguments": ""}}
    with serving(chat(chunk({"tool_calls": [call]}), chunk({}, finish))) as server:
        told = turned(CHAT.config(server.url), tools=[TOOL])
    [complete] = [event for event in told.events if isinstance(event, ToolCallComplete)]
    assert complete.arguments is None
    assert complete.error is not None


@each_dialect
def test_neither_a_sentence_nor_what_stands_behind_it_holds_a_secret(dialect):
    def echo(client):
        head = read_request(client).decode()
        line, key = head.split("\r\n")[0], head.partition("uthorization: ")[2].split("\r\n")[0]
        body = f'{{"error": {{"message": "no good: {line} {key}"}}}}'.encode()
        client.sendall(b"HTTP/1.1 401 No\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
        client.sendall(body)

    server = RawServer(echo)
    try:
        config = dialect.config(server.url)
        told = turned(replace(config, base_url=f"{config.base_url}?code=SECRET-OF-THE-QUERY-1"))
    finally:
        server.close()
    shown = repr(told.error) + str(told.error)
    link: Any = told.error
    while link is not None:
        shown += repr(link) + str(link)
        link = link.__cause__ or link.__context__
    assert "no good" in shown
    assert "SECRET-OF-THE-QUERY" not in shown
    assert config.api_key is not None
    assert config.api_key.reveal() not in shown


def test_a_refusal_beside_an_empty_text_is_a_refusal():
    events = (
        {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": ""},
        {"type": "response.refusal.delta", "output_index": 0, "content_index": 1, "delta": "No."},
        {"type": "response.completed", "response": {"usage": None}},
    )
    with serving(Reply(sse(*events, named=True))) as server:
        told = turned(RESPONSES.config(server.url))
    assert isinstance(told.events[-1], StreamEnd)
    assert told.events[-1].stop_reason == "refusal"


def test_no_milliseconds_at_all_leave_the_seconds_to_be_read():
    busy = json_error(429, {"error": {"message": "later"}}, retry_after_ms="0", Retry_After="0.3")
    with serving(busy, CHAT.answer("Hi")) as server:
        told = turned(CHAT.config(server.url, max_retries=1))
    [again] = [event for event in told.events if isinstance(event, Retrying)]
    assert again.delay == 0.3


def test_two_messages_of_one_answer_are_set_apart():
    def message(place, said):
        part = {"output_index": place, "content_index": 0}
        return (
            {"type": "response.output_text.delta", **part, "delta": said[:3]},
            {"type": "response.output_text.delta", **part, "delta": said[3:]},
            {"type": "response.output_item.done", **part, "item": {"type": "message"}},
        )

    events = (*message(0, "Let me check."), *message(1, "It is 4."), {"type": "response.completed", "response": {}})
    with serving(Reply(sse(*events, named=True))) as server:
        told = turned(RESPONSES.config(server.url))
    assert "".join(event.text for event in told.events if isinstance(event, TextDelta)) == "Let me check.\n\nIt is 4."


def test_a_setting_that_shows_late_is_one_of_the_configuration_in_json_too(folder, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere.pem")
    config = folder / "c.yaml"
    config.write_text(f"providers:\n  - {entry('openai-compat', 'http://127.0.0.1:9/v1')}\n", encoding="utf-8")
    ran = run_inside("once", "-c", str(config), "--output", "jsonl", "-m", "hi")
    assert ran.code == 78
    assert json.loads(ran.text.splitlines()[-1])["error"]["kind"] == "config_error"
