"""Errors that chat servers send in the place of a chunk, or beside one; the id names the source."""

from __future__ import annotations

import pytest

from mewcode import errors
from mewcode.llm.events import TextDelta
from mewcode.providers._errors import read_fault, to_error
from tests.fakes.dialects import CHAT
from tests.fakes.translated import refused, said
from tests.loopback.answers import chunk

BUSY = {"message": "Nobody is free", "code": "overloaded"}
VLLM = {
    "object": "error",
    "message": "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    "type": "BadRequestError",
    "param": None,
    "code": 400,
}
OPENROUTER = {
    "id": "gen-1",
    "error": {"code": 400, "message": "Token limit reached"},
    "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}],
    "usage": {"prompt_tokens": 43, "completion_tokens": 10},
}
GROQ = {
    "error": {
        "message": "Failed to call a function. Please adjust your prompt.",
        "type": "invalid_request_error",
        "code": "tool_use_failed",
        "failed_generation": "<function=weather{}",
        "status_code": 400,
    }
}
ERRORS = {
    "OpenAI": ({"error": BUSY}, errors.Overloaded, "Nobody is free"),
    "recorded openrouter-error-token-limit": (OPENROUTER, errors.ContextTooLong, "Token limit reached"),
    "openrouter.ai errors docs: the inner status as code": (
        OPENROUTER | {"error": {"code": 502, "message": "Provider disconnected"}},
        errors.ServerError,
        "Provider disconnected",
    ),
    "openrouter.ai errors docs: in the choice": (
        {
            "choices": [
                {"index": 0, "delta": {}, "finish_reason": "error", "error": {"code": 429, "message": "Slow down"}}
            ]
        },
        errors.RateLimited,
        "Slow down",
    ),
    "vllm#4667: an error for a chunk": (VLLM, errors.ContextTooLong, "maximum context length"),
    "langchain#24058: without the word": ({**VLLM, "object": None}, errors.ContextTooLong, "maximum context length"),
    "recorded groq: tool_use_failed": (GROQ, errors.LLMError, "Failed to call a function"),
    "flat, with a type": ({"type": "error", **BUSY}, errors.Overloaded, "Nobody is free"),
    "Ollama: a text": ({"error": "model runner has stopped"}, errors.ServerError, "model runner has stopped"),
    "FastAPI: detail": ({"detail": "Internal failure"}, errors.LLMError, "Internal failure"),
}


@pytest.mark.parametrize(("error", "kind", "words"), ERRORS.values(), ids=ERRORS)
def test_an_error_for_a_chunk_is_an_error_with_the_servers_words(error, kind, words):
    before, body = refused("openai-compat", chunk(content="Hi"), error)
    assert before == [TextDelta("Hi")]
    found = to_error(read_fault(200, body, {}), CHAT.config("http://x"), "http://x")
    assert isinstance(found, kind)
    assert words in str(found)


def test_what_an_error_comes_with_is_not_lost():
    last = {"error": BUSY, "choices": [{"index": 0, "delta": {"content": " there"}, "finish_reason": "error"}]}
    before, _ = refused("openai-compat", chunk(content="Hi"), last)
    assert said(before) == "Hi there"


def test_an_error_beside_the_finish_is_one():
    last = {"error": BUSY, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    assert refused("openai-compat", chunk(content="Hi"), last)[1]["error"] == BUSY


@pytest.mark.parametrize("reason", ["length", "error", None])
def test_an_error_after_a_finish_that_was_none_is_one(reason):
    assert refused("openai-compat", chunk(content="Hi"), chunk(reason), {"error": BUSY})[1]["error"] == BUSY
