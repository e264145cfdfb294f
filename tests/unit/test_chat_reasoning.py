"""Reasoning of chat servers, under each name and in each shape that one of them gives it; the id names the source."""

from __future__ import annotations

from typing import Any

import pytest

from mewcode.llm.events import StreamEnd, TextDelta, ThinkingComplete, ThinkingDelta
from mewcode.llm.messages import ThinkingBlock, Usage
from tests.fakes.translated import calls, chat, said, thought
from tests.loopback.answers import chunk, piece


def detail(kind, **fields):
    return {"type": f"reasoning.{kind}", "index": 0, "format": None, **fields}


def thinking_part(inner):
    return {"type": "thinking", "thinking": inner}


def summary(text):
    return [{"type": "summary_text", "text": text, "signature": ""}]


SHAPES: dict[str, list[dict[str, Any]]] = {
    "recorded deepseek-reasoning-content: content null": [
        {"content": None, "reasoning_content": "Hm"},
        {"content": None, "reasoning_content": "m."},
        {"content": "Hi", "reasoning_content": None},
    ],
    "recorded xai-grok3-mini-reasoning, zai-glm47-tool": [
        {"role": "assistant", "reasoning_content": "Hmm."},
        {"role": "assistant", "content": "Hi"},
    ],
    "recorded ollama-qwen3-tool, groq-reasoning-gptoss": [
        {"role": "assistant", "content": "", "reasoning": "Hmm."},
        {"content": "Hi", "channel": "final"},
    ],
    "recorded openrouter-claude-thinking: reasoning_details repeat it": [
        {"content": "", "reasoning": "Hmm.", "reasoning_details": [detail("text", text="Hmm.", signature=None)]},
        {"content": "", "reasoning": None, "reasoning_details": [detail("text", signature="sig==")]},
        {"content": "Hi", "reasoning": None, "reasoning_details": []},
    ],
    "recorded openrouter-encrypted-reasoning-tool: no text in it": [
        {"content": "", "reasoning": "Hmm."},
        {"content": "", "reasoning_details": [detail("encrypted", data="c2VhbGVk", id="rs_1")]},
        {"content": "Hi"},
    ],
    "openrouter.ai reasoning docs: a summary": [
        {"reasoning_details": [detail("summary", summary="Hm"), detail("summary", summary="m.")]},
        {"content": "Hi"},
    ],
    "platform.minimax.io reasoning_split": [
        {"content": "", "reasoning_content": "", "reasoning_details": [detail("text", text="Hmm.")]},
        {"content": "Hi"},
    ],
    "several names at once": [
        {"reasoning_content": "Hmm.", "reasoning": "Hmm.", "reasoning_details": [detail("text", text="Hmm.")]},
        {"content": "Hi"},
    ],
    "recorded magistral-thinking-parts: lists, later a string": [
        {"content": [thinking_part([{"type": "text", "text": "Hm"}])]},
        {"content": [thinking_part([{"type": "text", "text": "m."}]), {"type": "text", "text": "H"}]},
        {"content": "i"},
    ],
    "mistral: thinking as a string, other parts passed over": [
        {"content": [thinking_part("Hmm."), {"type": "reference", "reference_ids": [1]}, None, "x", {"type": "text"}]},
        {"content": [{"type": "text", "text": "Hi"}]},
    ],
    "databricks/appkit#559": [
        {"content": [{"type": "reasoning", "summary": summary("Hmm.")}]},
        {"content": [{"type": "text", "text": "Hi"}]},
    ],
    "databricks/appkit#559: text beside it": [
        {"content": [{"type": "reasoning", "text": "Hmm."}, {"type": "text", "text": "Hi"}]},
    ],
    "envoyproxy/ai-gateway#1222: an object": [{"reasoning_content": {"text": "Hmm."}}, {"content": "Hi"}],
    "ericc-ch/copilot-api#152": [
        {"content": "", "reasoning_text": "Hmm."},
        {"content": "", "reasoning_opaque": "c2VhbGVk"},
        {"content": "Hi"},
    ],
    "recorded huggingface-deepseek-r1-think-tags": [{"content": "<think>Hm"}, {"content": "m.</think>Hi"}],
}


@pytest.mark.parametrize("deltas", SHAPES.values(), ids=SHAPES)
def test_reasoning_is_thinking_and_comes_once(deltas):
    events = chat(*(chunk(**delta) for delta in deltas), chunk("stop"))
    assert (thought(events), said(events)) == ("Hmm.", "Hi")
    blocks = [event.block for event in events if isinstance(event, ThinkingComplete)]
    assert blocks == [ThinkingBlock("Hmm.")]
    assert events[-1] == StreamEnd("end", "stop", Usage())


def test_reasoning_of_an_answer_with_calls_is_kept_whole_so_that_it_can_go_back():  # oai-compatible-copilot#215
    events = chat(
        chunk(content=None, reasoning_content="I need "),
        chunk(content=None, reasoning_content="the weather."),
        piece(0, "{}", "t1", "weather"),
        chunk("tool_calls"),
    )
    assert ThinkingComplete(ThinkingBlock("I need the weather.")) in events
    assert events.index(ThinkingComplete(ThinkingBlock("I need the weather."))) < events.index(calls(events)[0])


def test_thinking_between_texts_is_a_block_of_its_own():
    chunks = [chunk(reasoning="a"), chunk(content="b"), chunk(reasoning="c"), chunk(content="d")]
    assert chat(*chunks, chunk("stop"))[:-1] == [
        ThinkingDelta("a"),
        ThinkingComplete(ThinkingBlock("a")),
        TextDelta("b"),
        ThinkingDelta("c"),
        ThinkingComplete(ThinkingBlock("c")),
        TextDelta("d"),
    ]


@pytest.mark.parametrize("odd", [None, 7, True, [], ["x"], {}, {"text": 7}, {"x": "y"}])
@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "reasoning_text", "reasoning_details"])
def test_reasoning_of_another_type_is_passed_over(name, odd):
    events = chat(chunk(**{name: odd}), chunk(content="Hi"), chunk("stop"))
    assert events[:-1] == [TextDelta("Hi")]
