"""What models send beside the answer: calls of tools that nobody offered, and thinking. Neither gets into the text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise

import pytest

from mewcode.llm.events import TextDelta, ThinkingDelta
from mewcode.llm.registry import create_client
from tests.cases.case import EVENT_STREAM, Case, answer
from tests.cases.play import SYSTEM, case_serving, once, play, provider, screen
from tests.cases.strict import said
from tests.fakes.case_server import Step
from tests.fakes.dialects import CHAT, connected, conversation

THOUGHTS = {"a": "reasoning_content", "b": "reasoning"}
ANSWER, THINKING = "The answer is 42.", "Let me think. "


def test_c017_a_tool_that_nobody_offered_is_named_in_a_note():
    played = play(Case("C017"))
    assert (played.ran.code, played.ran.text) == (0, "Let me look.")
    assert "get_weather" in played.ran.err
    assert (played.message.text, played.message.status) == ("Let me look.", "complete")
    assert "get_weather" in played.shown
    assert "Let me look." in played.shown
    assert not re.search(r"Oslo|city|call_[ab]", "".join(played.texts))


def test_c017_calls_without_an_index_are_told_apart():
    case = Case("C017")
    with case_serving(*case.steps) as server:
        ran = once(server.url, case.protocol, "--output", "jsonl")
    events = [json.loads(line) for line in ran.text.splitlines()]
    calls = [event for event in events if event["type"] == "tool_call_complete"]
    assert [(call["tool_name"], call["arguments"]) for call in calls] == [
        ("get_weather", {"city": "Oslo"}),
        ("get_weather", {}),
    ]
    assert (events[-1]["type"], events[-1]["stop_reason"]) == ("stream_end", "tool_use")


def test_c017_the_next_request_has_no_call_without_a_result():
    case = Case("C017")
    with case_serving(*case.steps, answer(case.protocol)) as server, screen(server.url, case.protocol) as chat:
        chat.turn("first")
        assert chat.turn("second").text == "ok"
    assert "tool_calls" not in server.requests[1].body.decode()


def test_c019_thinking_between_tags_is_no_part_of_the_answer():
    played = play(Case("C019"))
    assert (played.ran.code, played.ran.text) == (0, ANSWER)
    assert (played.message.text, played.message.status) == (ANSWER, "complete")
    assert ANSWER in played.shown
    assert not re.search("think|nk>|<th", "".join(played.texts))


def test_c019_the_tags_may_be_cut_at_every_character():
    case = Case("C019")
    whole = "".join(contents(case.steps[0]))
    cuts = [[whole[:at], whole[at:]] for at in range(len(whole) + 1)]
    for pieces in (contents(case.steps[0]), list(whole), *cuts):
        assert heard(pieces) == (ANSWER, THINKING)


@pytest.mark.parametrize("text", ["Use the <think> tag.", "a <think>b</think>", "x</think>y", "<b>think</b>"])
def test_c019_a_tag_that_does_not_begin_the_answer_is_text(text):
    assert heard(list(text)) == (text, "")
    assert heard([text]) == (text, "")


@pytest.mark.parametrize("name", THOUGHTS)
def test_c021_reasoning_in_either_field_stays_apart(name):
    case = Case("C021")
    played = play(case, case.serving(f"{name}.sse"))
    assert (played.ran.code, played.ran.text) == (0, "42")
    assert (played.message.text, played.message.status) == ("42", "complete")
    assert re.search(r"^42$", played.shown, re.MULTILINE)
    assert not re.search("six times|seven|none|null", "".join(played.texts), re.IGNORECASE)
    assert heard_from(case.serving(f"{name}.sse")) == ("42", "six times seven")


@pytest.mark.parametrize("name", THOUGHTS)
def test_c021_the_next_request_has_no_field_that_a_strict_server_refuses(name):
    case = Case("C021")
    with (
        case_serving(case.serving(f"{name}.sse"), answer(case.protocol)) as server,
        screen(server.url, case.protocol) as chat,
    ):
        chat.turn("first")
        assert chat.turn("second").text == "ok"
    assert said(server.requests[1]) == [("user", "first"), ("assistant", "42"), ("user", "second")]
    assert all(message.keys() == {"role", "content"} for message in server.requests[1].json["messages"])


@pytest.mark.parametrize("name", THOUGHTS)
def test_c021_while_only_reasoning_comes_the_screen_says_so(name):
    case = Case("C021")
    whole = case.serving(f"{name}.sse")
    begun = b"\n\n".join(whole.body.split(b"\n\n")[:2]) + b"\n\n"
    with (
        case_serving(replace(whole, body=begun, end="stall")) as server,
        screen(server.url, case.protocol) as chat,
    ):
        chat.ask("hi")
        chat.wait(lambda: chat.session.phase == "thinking")
        assert re.search("thinking", chat.shown, re.IGNORECASE)


def test_c028_signed_thinking_goes_back_byte_for_byte_or_not_at_all():
    case = Case("C028")
    with case_serving(*case.steps) as server, screen(server.url, case.protocol) as chat:
        assert chat.turn("first").text == "Answer."
        assert chat.turn("second").text == "ok"
        assert chat.turn("third").text == "ok"
    for request in server.requests[1:]:
        blocks = request.json["messages"][1]["content"]
        plain = [{k: v for k, v in block.items() if k != "cache_control"} for block in blocks]
        *thinking, text = plain
        assert text == {"type": "text", "text": "Answer."}
        assert thinking in ([], given_thinking(case.bytes("first.sse")))


def test_c032_no_reasoning_item_comes_back_without_its_message():
    case = Case("C032")
    first, *rest = case.steps
    with (
        case_serving(first, *rest) as server,
        case_serving(answer("openai-compat", "other")) as other,
        screen(server.url, case.protocol) as chat,
    ):
        own = chat.session.client
        assert chat.turn("first").text == ""
        assert chat.turn("second").text == "ok"
        foreign = create_client(provider(other.url, "openai-compat"), SYSTEM)
        chat.swap(foreign)
        assert chat.turn("third").text == "other"
        foreign.close()
        chat.session.client = own
        assert chat.turn("fourth").text == "ok"
        assert (len(server.requests), len(other.requests)) == (3, 1)
    for request in server.requests:
        assert stray_items(request.json) == []


def contents(step: Step) -> list[str]:
    """The pieces of the answer, think tags and all."""
    chunks = [json.loads(line[6:]) for line in step.body.decode().splitlines() if line.startswith("data: {")]
    return [chunk["choices"][0]["delta"].get("content", "") for chunk in chunks]


def heard(pieces: list[str]) -> tuple[str, str]:
    """Text and thinking of an answer that comes in these pieces."""
    body = b"".join((*CHAT.begun(*pieces), *CHAT.ended()))
    return heard_from(Step(headers=EVENT_STREAM, body=body, framing="chunked"))


def heard_from(step: Step) -> tuple[str, str]:
    with case_serving(step) as server, connected(provider(server.url, "openai-compat")) as client:
        events = list(client.stream(conversation("hi")))
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    return text, "".join(event.text for event in events if isinstance(event, ThinkingDelta))


def given_thinking(body: bytes) -> list[dict[str, str]]:
    """The thinking blocks of a Messages stream, as they have to come back."""
    blocks: dict[int, dict[str, str]] = {}
    for line in body.decode().split("\n"):
        match json.loads(line[6:]) if line.startswith("data: ") else None:
            case {"type": "content_block_start", "index": int(place), "content_block": dict(block)}:
                blocks[place] = block
            case {"delta": {"thinking": str(piece)}, "index": int(place)}:
                blocks[place]["thinking"] += piece
            case {"delta": {"signature": str(piece)}, "index": int(place)}:
                blocks[place]["signature"] += piece
    return [block for block in blocks.values() if block["type"] != "text"]


def stray_items(body: dict) -> list[dict]:
    """Reasoning that is not directly followed by its message or has no sealed content, and ids of nothing kept."""
    return [
        item
        for item, following in pairwise([*body["input"], {}])
        if (item["type"] == "reasoning" and (following.get("role") != "assistant" or not item.get("encrypted_content")))
        or (item["type"] == "message" and "id" in item)
    ]
