from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.e2e.terminal import Terminal, assert_restored, terminal
from tests.fakes.sse_server import Reply, Silence, SseServer, json_error, serving, sse
from tests.fakes.talker import Pieces

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("folder")

FIRST, SECOND = "The secret word is banana. Say OK.", "What is the secret word?"


def chunk(text: str) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": {"content": text}}]}


def chat_reply(*texts: str) -> Reply:
    end = {
        "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2},
    }
    return Reply(sse(*map(chunk, texts), end, "[DONE]"))


def messages_reply(text: str) -> Reply:
    events: list[dict[str, object]] = [
        {
            "type": "message_start",
            "message": {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "content": [],
                "model": "m",
                "usage": {"input_tokens": 9, "output_tokens": 1},
            },
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    return Reply(sse(*events, named=True))


def responses_reply(text: str) -> Reply:
    item = {"type": "message", "id": "i", "role": "assistant", "status": "in_progress", "content": []}
    done = {"id": "r", "status": "completed", "output": [], "usage": {"input_tokens": 9, "output_tokens": 2}}
    events: list[dict[str, object]] = [
        {"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": 0, "delta": text},
        {"type": "response.completed", "response": done},
    ]
    return Reply(sse(*events, named=True))


def config(
    folder: Path, url: str, protocol: str = "openai-compat", model: str = "model-1", max_retries: int = 9
) -> str:
    path = folder / "config.yaml"
    entry = {
        "name": "test",
        "protocol": protocol,
        "model": model,
        "api_key": "k",
        "base_url": url,
        "max_retries": max_retries,
    }
    path.write_text(json.dumps({"providers": [entry]}), encoding="utf-8")
    path.chmod(0o600)
    return str(path)


def said(request: object) -> list[str]:
    """Role and text of each message of a request."""
    assert isinstance(request, dict)
    messages = request.get("messages") or request["input"]
    texts = [(message["role"], message["content"]) for message in messages]
    return [f"{role}: {text if isinstance(text, str) else text[0]['text']}" for role, text in texts]


def ready(chat: Terminal) -> None:
    chat.wait("Ask anything")


def ask(chat: Terminal, text: str) -> None:
    chat.send(text + "\r")


def answered(chat: Terminal, words: str, times: int = 1) -> None:
    """Wait for the end of an answer with these words."""
    chat.wait(lambda: chat.text.count(words) >= times and "Imagining" not in chat.text)


def assert_silent(chat: Terminal) -> None:
    """After half a second without a byte none comes for three times as long."""
    assert chat.quiet_for(0.5)
    written = len(chat.raw)
    assert chat.quiet_for(1.5, within=2)
    assert len(chat.raw) == written


def two_turns(chat: Terminal) -> None:
    ready(chat)
    ask(chat, FIRST)
    answered(chat, " s · tokens")
    ask(chat, SECOND)
    answered(chat, " s · tokens", times=2)


@pytest.mark.parametrize(
    ("protocol", "model", "suffix", "reply"),
    [
        ("openai-compat", "model-1", "/v1", lambda text: chat_reply(*text)),
        ("anthropic", "claude-opus-4-5", "", messages_reply),
        ("openai", "gpt-5", "/v1", responses_reply),
    ],
)
def test_the_model_is_told_what_was_said_before(folder, protocol, model, suffix, reply):
    with (
        serving(reply("OK."), reply("It is **banana**.")) as server,
        terminal("-c", config(folder, server.url + suffix, protocol, model)) as chat,
    ):
        two_turns(chat)
        assert "It is banana." in chat.text
        server.request()
        history = [line for line in said(server.request().json) if not line.startswith(("system", "developer"))]
        chat.send("/exit\r")
        assert chat.exit_code() == 0
    assert history == [f"user: {FIRST}", "assistant: OK.", f"user: {SECOND}"]


def test_the_embedded_model_remembers_the_secret_word():
    with terminal("--local") as chat:
        two_turns(chat)
        assert "banana" in chat.text.split(SECOND)[1].lower()
        chat.send("\x04")
        assert chat.exit_code() == 0
        assert_restored(chat)


def test_letters_are_on_the_screen_as_they_come_and_nothing_is_written_afterwards(folder):
    pieces = Pieces()
    with serving(Reply(pieces)) as server, terminal("-c", config(folder, server.url + "/v1")) as chat:
        ready(chat)
        ask(chat, "Hello")
        chat.wait("Imagining… (0s)")
        for end in range(1, 4):
            pieces.say(*sse(chunk("abc"[end - 1])))
            chat.wait("\n" + "abc"[:end] + "\n")
        pieces.say(*sse({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, "[DONE]"))
        pieces.end()
        chat.wait(lambda: "Imagining" not in chat.text)
        assert "abc" in chat.rows
        assert_silent(chat)


def test_cancelling_keeps_what_came_and_leaves_the_server_and_ctrl_c_pressed_twice_quits(folder):
    one, two = (Reply((*sse(chunk(text)), Silence())) for text in ("one, two", "three, four"))
    with serving(one, two, chat_reply("done")) as server, terminal("-c", config(folder, server.url + "/v1")) as chat:
        ready(chat)
        for key, text in (("\x1b", "one, two"), ("\x03", "three, four")):
            ask(chat, "Count")
            chat.wait(text)
            chat.send(key)
            answered(chat, text)
            server.left.get(timeout=2)
        assert chat.text.count("Cancelled after") == 2
        ask(chat, "Go on")
        chat.wait("done")
        history = [said(server.request().json) for _ in range(3)][-1]
        assert history[-5:] == [
            "user: Count",
            "assistant: one, two",
            "user: Count",
            "assistant: three, four",
            "user: Go on",
        ]
        answered(chat, "done")
        chat.send("\x03")
        chat.wait("Ctrl+C again quits")
        chat.send("\x03")
        assert chat.exit_code(within=3) == 0
        assert_restored(chat)


def test_keys_around_ctrl_c_in_one_burst_keep_their_order_and_none_is_lost(folder):
    with serving(chat_reply("OK")) as server, terminal("-c", config(folder, server.url + "/v1")) as chat:
        ready(chat)
        chat.send("PRIVATE DRAFT")
        chat.wait("PRIVATE DRAFT")
        chat.send("\x03hello\r")
        assert said(server.request().json)[-1] == "user: hello"
        answered(chat, "OK")
        chat.send("typed\x03\x1b[200~pasted\x1b[201~ and more")
        chat.wait("❯ pasted and more")
        chat.send(b"\x1b[200~half a paste")  # the end mark never comes
        chat.quiet_for(0.7)
        chat.send("\x03")
        chat.wait("❯ pasted and morehalf a paste")
        assert server.requests.empty()


def test_errors_stand_in_the_transcript_and_the_next_message_works(folder):
    refused = json_error(401, {"error": {"message": "this key is not known"}})
    failed = json_error(500, {"error": {"message": "the disk is full"}})
    replies = (refused, failed, chat_reply("Here."))
    with serving(*replies) as server, terminal("-c", config(folder, server.url + "/v1", max_retries=0)) as chat:
        ready(chat)
        for status in ("401", "500"):
            ask(chat, "Hello")
            answered(chat, status)
            assert chat.colours(status) == {"d7005f"}
        ask(chat, "Again")
        chat.wait("Here.")
        assert chat.colours("Here.") == {"default"}


def test_a_busy_server_is_waited_for_in_sight_and_a_cut_answer_goes_on(folder):
    busy = json_error(529, {"error": {"message": "nobody is free"}}, Retry_After="1.5")
    half = Reply(chat_reply("Half a sen").pieces[:-2], end="cut")
    with (
        serving(busy, half, chat_reply("tence.")) as server,
        terminal("-c", config(folder, server.url + "/v1")) as chat,
    ):
        ready(chat)
        ask(chat, "Hello")
        chat.wait("retrying 2/10 in 2 s")
        chat.wait("/continue or /retry")
        assert "Half a sen" in chat.text
        ask(chat, "/continue")
        chat.wait("tence.")
        heard = [server.request().json for _ in range(3)]
    assert heard[0] == heard[1]
    assert "Half a sen" in heard[2]["messages"][-1]["content"]


def test_a_server_that_is_not_there_is_an_error_in_the_transcript(folder):
    server = SseServer([chat_reply("")])
    server.close()
    with terminal("-c", config(folder, server.url + "/v1")) as chat:
        ready(chat)
        for number in range(2):
            ask(chat, "Hello")
            answered(chat, "127.0.0.1", times=number + 1)
        assert chat.colours("127.0.0.1") == {"d7005f"}
