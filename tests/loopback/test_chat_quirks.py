"""What chat servers do with the stream around their chunks; the id names the source."""

from __future__ import annotations

import json

import pytest

from mewcode import errors
from mewcode.llm.events import StreamEnd, TextDelta, ThinkingDelta
from mewcode.llm.messages import Usage
from tests.fakes.dialects import CHAT, ask, failure, text
from tests.fakes.sse_server import Reply, serving, sse
from tests.loopback.answers import chunk, piece

HI, STOP = chunk(content="Hi"), chunk("stop")
USAGE = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}
COMMENT = b": OPENROUTER PROCESSING\n\n"


def asked(*pieces, **settings):
    with serving(Reply(pieces, **settings)) as server:
        return ask(CHAT.config(server.url))


ENDS = {
    "OpenAI": sse(HI, STOP, USAGE, "[DONE]"),
    "recorded huggingface-cerebras-llama31, GPUStack: no [DONE]": sse(HI, STOP, USAGE),
    "recorded perplexity-sonar: CRLF": [
        part.replace(b"\n", b"\r\n") for part in sse(HI, STOP | USAGE | {"choices": STOP["choices"]})
    ],
    "openrouter.ai streaming docs: comments": [COMMENT, *sse(HI), COMMENT, *sse(STOP, USAGE), COMMENT, *sse("[DONE]")],
    "a comment in place of the blank line's neighbour": [b": ping\n" + part for part in sse(HI, STOP, USAGE, "[DONE]")],
    "[DONE] without the blank": [*sse(HI, STOP, USAGE), b"data:[DONE]\n\n"],
    "[DONE] without its blank line": [*sse(HI, STOP, USAGE), b"data: [DONE]\n"],
    "[DONE] twice": sse(HI, STOP, USAGE, "[DONE]", "[DONE]"),
    "named events, ids and times": [
        b"id: 1\nevent: message\nretry: 3000\n" + part for part in sse(HI, STOP, USAGE, "[DONE]")
    ],
    "null and lists between the chunks": sse("null", HI, "[]", STOP, "7", USAGE, "[DONE]"),
}


@pytest.mark.parametrize("framing", ["chunked", "close"])
@pytest.mark.parametrize("pieces", ENDS.values(), ids=ENDS)
def test_an_answer_is_whole_however_the_server_ends_it(pieces, framing):
    assert asked(*pieces, framing=framing) == [TextDelta("Hi"), StreamEnd("end", "stop", Usage(9, 4))]


def test_a_server_that_never_gives_a_reason_is_done_when_it_says_so():  # ModelTC/LightLLM#130, snowflake-claude
    assert asked(*sse(HI, chunk(None), "[DONE]"))[-1] == StreamEnd("other", None, Usage())
    assert asked(*sse(piece(0, "{}", "t1", "f"), "[DONE]"))[-1] == StreamEnd("tool_use", None, Usage())


CUT = {
    "opencode#37852: Fireworks just ends": sse(HI),
    "ModelTC/LightLLM#130: no [DONE]": sse(HI, chunk(None)),
    "a call": sse(piece(0, "{}", "t1", "f")),
}


@pytest.mark.parametrize("framing", ["chunked", "close"])
@pytest.mark.parametrize("end", ["finish", "cut"])
@pytest.mark.parametrize("pieces", CUT.values(), ids=CUT)
def test_an_answer_that_just_ends_was_cut(pieces, end, framing):
    events = asked(*pieces, framing=framing, end=end)
    error = failure(events)
    assert isinstance(error, errors.StreamInterrupted)
    assert error.partial == text(events)


NOTHING = {
    "a role, then [DONE]": sse(chunk(role="assistant", content=""), "[DONE]"),
    "thinking, then [DONE]": sse(chunk(reasoning_content="Hm"), "[DONE]"),
    "usage, then [DONE]": sse(USAGE, "[DONE]"),
}


@pytest.mark.parametrize("pieces", NOTHING.values(), ids=NOTHING)
def test_a_server_that_is_done_without_a_word_or_a_reason_has_not_answered(pieces):
    assert isinstance(failure(asked(*pieces)), errors.StreamInterrupted)


def test_nothing_but_done_is_an_empty_stream():
    assert isinstance(failure(asked(*sse("[DONE]"))), errors.ProtocolError)


def test_thinking_in_a_tag_that_was_cut_is_shown_before_the_error():
    events = asked(*sse(chunk(content="<think>Hm</thi")))
    assert [event for event in events if isinstance(event, ThinkingDelta)] == [
        ThinkingDelta("Hm"),
        ThinkingDelta("</thi"),
    ]


FAILURES = {
    "recorded openrouter-error-token-limit": (
        {"error": {"code": 400, "message": "Token limit reached"}, **chunk(content=""), "usage": USAGE["usage"]},
        errors.ContextTooLong,
    ),
    "vllm#4667": (
        {"object": "error", "message": "Internal fault", "type": "InternalServerError", "code": 500},
        errors.ServerError,
    ),
    "recorded groq: tool_use_failed": (
        {"error": {"message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": "<f>"}},
        errors.LLMError,
    ),
    "Ollama": ({"error": "model runner has stopped"}, errors.ServerError),
}


@pytest.mark.parametrize("named", [b"", b"event: error\n"], ids=["unnamed", "named"])
@pytest.mark.parametrize("done", [(), ("[DONE]",)], ids=["cut", "done"])
@pytest.mark.parametrize(("error", "kind"), FAILURES.values(), ids=FAILURES)
def test_an_error_in_the_stream_ends_the_turn_with_the_servers_words(error, kind, done, named):
    events = asked(*sse(HI), named + sse(error)[0], *sse(*done))
    assert text(events) == "Hi"
    found = failure(events)
    assert isinstance(found, kind)
    inner = error.get("error", error)
    assert (inner if isinstance(inner, str) else inner["message"]).rstrip(".") in str(found)


def test_a_chunk_of_one_long_line_is_one_chunk():
    long = "x" * 300_000
    assert asked(*sse(chunk(content=long), STOP, USAGE, "[DONE]"))[0] == TextDelta(long)


def test_json_over_several_data_lines_is_one_chunk():
    lines = json.dumps(HI, indent=1).splitlines()
    spread = "".join(f"data: {line}\n" for line in lines).encode() + b"\n"
    assert asked(spread, *sse(STOP, USAGE, "[DONE]")) == [TextDelta("Hi"), StreamEnd("end", "stop", Usage(9, 4))]
