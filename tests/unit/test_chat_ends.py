"""How chat servers end an answer, count it and break it off; the id names the source."""

from __future__ import annotations

import pytest

from mewcode.llm.events import StreamEnd, TextDelta
from mewcode.llm.messages import Usage
from tests.fakes.translated import calls, chat, end, said
from tests.loopback.answers import chunk, piece

BERN = '{"city": "Bern"}'


def bare(**choice):
    """A chunk with nothing in it but this choice."""
    return {"choices": [choice]}


def text(said):
    return bare(delta={"content": said})


WHOLE = {
    "vllm#19662: finish_reason missing until the end": [text("H"), text("i"), bare(delta={}, finish_reason="stop")],
    "recorded cloudflare-llama33: no role, no index": [
        {"response": "Hi", "choices": [{"delta": {"content": "Hi"}}]},
        bare(index=0, delta={}, finish_reason="stop"),
    ],
    "recorded zai-glm47-tool": [bare(index=0, delta={"role": "assistant", "content": "Hi"}), chunk("stop")],
    "recorded azure-text-filter-chunk: no choices at first": [
        {"id": "", "model": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]},
        bare(index=0, delta={"content": "Hi"}, content_filter_results={}, finish_reason=None),
        bare(index=0, delta={}, content_filter_results={"hate": {"filtered": False}}, finish_reason="stop"),
    ],
    "Azure: no delta beside the offsets": [
        text("Hi"),
        bare(index=0, finish_reason=None, content_filter_offsets={"start_offset": 1}),
        chunk("stop"),
    ],
    "recorded perplexity-sonar: the whole message again in each chunk": [
        bare(index=0, delta={"role": "assistant", "content": "H"}, message={"role": "assistant", "content": "H"}),
        bare(index=0, delta={"content": "i"}, message={"role": "assistant", "content": "Hi"}),
        bare(index=0, delta={}, message={"role": "assistant", "content": "Hi"}, finish_reason="stop"),
    ],
    "n > 1: a second choice": [
        {"choices": [{"index": 1, "delta": {"content": "No"}}, {"index": 0, "delta": {"content": "Hi"}}]},
        bare(index=1, delta={}, finish_reason="length"),
        bare(index=0, delta={}, finish_reason="stop"),
        bare(index=1, delta={"content": "No"}),
    ],
    "recorded openrouter, Kimi: a reason of null after the real one": [text("Hi"), chunk("stop"), chunk(None)],
    "an empty reason after the real one": [text("Hi"), chunk("stop"), chunk("")],
    "content empty for ever": [*[chunk(content="")] * 50, text("Hi"), *[chunk(content="")] * 50, chunk("stop")],
    "delta null": [bare(index=0, delta=None), text("Hi"), bare(index=0, delta=None, finish_reason="stop")],
    "everything null": [
        {"choices": None, "usage": None, "error": None},
        bare(index=None, delta={"content": None, "refusal": None, "tool_calls": None, "function_call": None}),
        text("Hi"),
        chunk("stop", refusal="", annotations=[], audio=None, tool_calls=[], reasoning_content=""),
    ],
    "audio, annotations and what is yet to come": [
        chunk(audio={"id": "a", "data": "UklG"}, annotations=[{"type": "url_citation"}], hologram={"x": 1}),
        chunk(content="Hi", images=[{"type": "image_url"}]),
        chunk("stop", provider_metadata={"google": {}}),
    ],
    "a chunk that is a list, null, a number or a text": [[], None, 7, "x", [{"error": "x"}], text("Hi"), chunk("stop")],
    "an empty error": [{"error": {}, "choices": []}, text("Hi") | {"error": ""}, chunk("stop")],
    "recorded llamacpp-unicode: timings": [text("Hi"), chunk("stop") | {"timings": {"predicted_n": 2}}],
    "not streamed: the message in one event": [
        bare(index=0, message={"role": "assistant", "content": "Hi"}, finish_reason="stop")
    ],
    "a notice without choices": [{"object": "notice", "message": "Loading"}, text("Hi"), chunk("stop")],
    "an error after the whole answer": [text("Hi"), chunk("stop"), {"error": {"message": "too late"}}],
}


@pytest.mark.parametrize("chunks", WHOLE.values(), ids=WHOLE)
def test_the_answer_is_hi_and_it_is_whole(chunks):
    events = chat(*chunks)
    assert said(events) == "Hi"
    assert {type(event) for event in events} == {TextDelta, StreamEnd}
    assert (end(events).stop_reason, end(events).raw_stop_reason) == ("end", "stop")


@pytest.mark.parametrize("chunks", WHOLE.values(), ids=WHOLE)
def test_a_whole_answer_needs_no_done(chunks):  # recorded huggingface-cerebras-llama31, perplexity-sonar; GPUStack
    assert chat(*chunks, done=False) == chat(*chunks)


STOPS = [
    ("stop", "end"),
    ("length", "max_tokens"),
    ("content_filter", "content_filter"),
    ("tool_calls", "tool_use"),
    ("function_call", "tool_use"),
    ("eos", "other"),
    ("abort", "other"),
    ("error", "other"),
    ("insufficient_system_resource", "other"),
    ("end_turn", "other"),
]


@pytest.mark.parametrize(("raw", "stop"), STOPS)
def test_the_reason_is_shown_as_the_server_wrote_it(raw, stop):
    assert chat(chunk(content="Hi"), chunk(raw))[-1] == StreamEnd(stop, raw, Usage())


@pytest.mark.parametrize("reason", ["stop", "function_call", "tool_calls"])
def test_calls_are_to_be_run_whatever_the_reason_says(reason):  # googleapis/python-genai#2868
    events = chat(piece(0, BERN, "t1", "weather"), chunk(reason))
    assert (end(events).stop_reason, end(events).raw_stop_reason) == ("tool_use", reason)


@pytest.mark.parametrize("reason", ["length", "content_filter", "error", "abort", "insufficient_system_resource"])
def test_an_answer_that_was_cut_has_no_call_without_arguments(reason):
    events = chat(piece(0, BERN, "t1", "weather"), piece(1, "", "t2", "clock"), chunk(reason))
    first, second = calls(events)
    assert (first.arguments, second.arguments) == ({"city": "Bern"}, None)
    assert end(events).stop_reason != "tool_use"


def test_calls_without_a_reason_are_to_be_run_once_the_server_is_done():  # recorded avian-kimi-tools
    assert end(chat(piece(0, BERN, "t1", "weather"))) == StreamEnd("tool_use", None, Usage())


@pytest.mark.parametrize("reason", [None, ""])
def test_text_without_a_reason_is_whole_once_the_server_is_done(reason):  # ModelTC/LightLLM#130, snowflake-claude
    assert chat(text("Hi"), chunk(reason)) == [TextDelta("Hi"), StreamEnd("other", None, Usage())]


def test_a_notice_without_choices_is_no_error_when_the_answer_follows():
    events = chat({"object": "notice", "message": "Loading"}, text("Hi"))
    assert events == [TextDelta("Hi"), StreamEnd("other", None, Usage())]


CUT = {
    "ModelTC/LightLLM#130: text, then the end": ([text("Hi"), chunk(None)], False),
    "opencode#37852: Fireworks just ends": ([text("Hi")], False),
    "a call, then the end": ([piece(0, BERN, "t1", "weather")], False),
    "nothing but [DONE]": ([], True),
    "nothing, then [DONE]": ([chunk(role="assistant", content="")], True),
    "thinking, then [DONE]": ([chunk(reasoning_content="Hm")], True),
    "thinking in a tag, then [DONE]": ([chunk(content="<think>Hm")], True),
    "usage, then [DONE]": ([{"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 0}}], True),
}


@pytest.mark.parametrize(("chunks", "done"), CUT.values(), ids=CUT)
def test_an_answer_that_did_not_end_has_no_end(chunks, done):
    assert not any(isinstance(event, StreamEnd) for event in chat(*chunks, done=done))


def test_a_refusal_beside_the_text_is_text_and_a_reason():  # recorded openai-refusal
    events = chat(
        chunk(role="assistant", content="", refusal=None), chunk(refusal="I "), chunk(refusal="won't."), chunk("stop")
    )
    assert (said(events), end(events).stop_reason, end(events).raw_stop_reason) == ("I won't.", "refusal", "stop")


def counts(**numbers):
    return {"usage": {f"{name}_tokens": count for name, count in numbers.items()}}


USAGES = {
    "OpenAI: after the finish": (
        [text("Hi"), chunk("stop"), {"choices": [], **counts(prompt=9, completion=4)}],
        Usage(9, 4),
    ),
    "recorded deepseek-cache-hit: on the finish": (
        [text("Hi"), chunk("stop") | counts(prompt=9, completion=4, prompt_cache_hit=8, prompt_cache_miss=1)],
        Usage(9, 4, 8),
    ),
    "recorded perplexity-sonar: in every chunk, cumulative": (
        [text("H") | counts(prompt=9, completion=1), text("i") | counts(prompt=9, completion=4), chunk("stop")],
        Usage(9, 4),
    ),
    "recorded databricks-claude-tool: null numbers": (
        [text("Hi") | counts(prompt=9, completion=None), chunk("stop") | counts(prompt=None, completion=4)],
        Usage(9, 4),
    ),
    "recorded groq-tool-kimi: under x_groq": (
        [text("Hi"), chunk("stop") | {"x_groq": counts(prompt=9, completion=4)}],
        Usage(9, 4),
    ),
    "earendil-works/pi#2017: in the choice": (
        [text("Hi"), bare(index=0, delta={}, finish_reason="stop", **counts(prompt=9, completion=4, cached=8))],
        Usage(9, 4, 8),
    ),
    "recorded openrouter: a choice without reason beside it": (
        [text("Hi"), chunk("stop"), chunk(None) | counts(prompt=9, completion=4)],
        Usage(9, 4),
    ),
    "recorded xai-grok4-tool: reasoning counted apart": (
        [
            text("Hi"),
            chunk("stop", usage=counts(prompt=361, completion=26, total=622, reasoning=235)["usage"]),
        ],
        Usage(361, 261, None, None, 235),
    ),
    "recorded openai-text-gpt4o: never": ([text("Hi"), chunk("stop")], Usage()),
    "of another type": ([text("Hi") | {"usage": "9"}, chunk("stop") | {"usage": [9]}], Usage()),
    "numbers of another type": ([text("Hi") | counts(prompt="9", completion=True), chunk("stop")], Usage()),
}


@pytest.mark.parametrize(("chunks", "counted"), USAGES.values(), ids=USAGES)
def test_usage_is_counted_wherever_it_stands(chunks, counted):
    assert end(chat(*chunks)).usage == counted
