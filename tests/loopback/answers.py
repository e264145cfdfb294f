"""Whole answers in the three wire forms, for the tests of replies."""

from __future__ import annotations

import json
from typing import Any

from mewcode.llm.messages import Usage
from tests.fakes.dialects import CHAT, MESSAGES, RESPONSES

Json = dict[str, Any]


def message_end(reason: str | None, usage: Json | None = None) -> list[Json]:
    return [{"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}, {"type": "message_stop"}]


def message_block(index: int, block: Json, *deltas: Json) -> list[Json]:
    grown = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    start = {"type": "content_block_start", "index": index, "content_block": block}
    return [start, *grown, {"type": "content_block_stop", "index": index}]


def tool_use(index: int, tool_id: str, name: str, *pieces: str) -> list[Json]:
    block = {"type": "tool_use", "id": tool_id, "name": name, "input": {}}
    return message_block(index, block, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces))


def function_call(index: int, tool_id: str, name: str, *pieces: str, status: str = "completed") -> list[Json]:
    item = {"type": "function_call", "id": f"fc_{index}", "call_id": tool_id, "name": name, "arguments": ""}
    return [
        {"type": "response.output_item.added", "output_index": index, "item": item},
        *(
            {"type": "response.function_call_arguments.delta", "output_index": index, "delta": piece}
            for piece in pieces
        ),
        {
            "type": "response.output_item.done",
            "output_index": index,
            "item": item | {"arguments": "".join(pieces), "status": status},
        },
    ]


def response_end(kind: str = "completed", **fields: Any) -> Json:
    return {"type": f"response.{kind}", "response": {"id": "resp_1", "status": kind, **fields}}


def chunk(finish: str | None = None, usage: Json | None = None, **delta: Any) -> Json:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": usage}


def piece(index: int, arguments: str, tool_id: str = "", name: str = "") -> Json:
    call = {"index": index, "id": tool_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return chunk(tool_calls=[call])


def call(protocol: str, raw: str) -> list[Json]:
    """One call with these arguments."""
    match protocol:
        case "anthropic":
            return [*tool_use(0, "t1", "weather", raw), *message_end("tool_use")]
        case "openai":
            return [*function_call(0, "t1", "weather", raw), response_end()]
    return [piece(0, raw, "t1", "weather"), chunk("tool_calls")]


CALLS = {
    "anthropic": [
        *tool_use(0, "t1", "weather", "", '{"city"', ': "Bern"}'),
        *tool_use(1, "t2", "clock", ""),
        *message_end("tool_use"),
    ],
    "openai": [
        *function_call(0, "t1", "weather", '{"city"', ': "Bern"}'),
        *function_call(1, "t2", "clock", "{}"),
        response_end(),
    ],
    "openai-compat": [
        piece(0, "", "t1", "weather"),
        piece(0, '{"city"'),
        piece(1, "", "t2", "clock"),
        piece(0, ': "Bern"}'),
        chunk("tool_calls"),
    ],
}
CUTS = [
    (MESSAGES, "max_tokens"),
    (MESSAGES, "refusal"),
    (MESSAGES, "model_context_window_exceeded"),
    (RESPONSES, "max_output_tokens"),
    (RESPONSES, "content_filter"),
    (CHAT, "length"),
    (CHAT, "content_filter"),
    (CHAT, "abort"),
]


def cut(protocol: str, why: str, raw: str) -> list[Json]:
    """One call with the beginning of its arguments, in an answer that was cut for this reason."""
    match protocol:
        case "anthropic":
            return [*tool_use(0, "t1", "weather", raw), *message_end(why)]
        case "openai":
            call = function_call(0, "t1", "weather", raw, status="incomplete")
            return [*call, response_end("incomplete", incomplete_details={"reason": why})]
    return [piece(0, "", "t1", "weather"), piece(0, raw), chunk(why)]


LIMITS = {"anthropic": "max_tokens", "openai": "max_output_tokens", "openai-compat": "length"}
CUT_CALL = {protocol: cut(protocol, why, '{"city": "Be') for protocol, why in LIMITS.items()}
_SEALED_ITEM = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed=="}
SEALED_ITEM_JSON = json.dumps(_SEALED_ITEM)


def _summary(index: int, said: str) -> Json:
    kind = "response.reasoning_summary_text.delta"
    return {"type": kind, "output_index": 0, "summary_index": index, "delta": said}


THINKING = {
    "anthropic": [
        *message_block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "Hm"},
            {"type": "thinking_delta", "thinking": "m."},
            {"type": "signature_delta", "signature": "sig=="},
        ),
        *message_block(1, {"type": "redacted_thinking", "data": "opaque"}),
        *message_block(2, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Hi"}),
        *message_end("end_turn"),
    ],
    "openai": [
        _summary(0, "Hm"),
        _summary(0, "m."),
        _summary(1, "So."),
        {"type": "response.output_item.done", "output_index": 0, "item": _SEALED_ITEM},
        {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "Hi"},
        response_end(),
    ],
    "openai-compat": [
        chunk(reasoning_content="Hm", content=None),
        chunk(reasoning_content="m.", reasoning="m."),
        chunk(content="Hi"),
        chunk("stop"),
    ],
}
REFUSAL = {
    "anthropic": [
        *message_block(0, {"type": "text", "text": "I will not."}),
        *message_end("refusal"),
    ],
    "openai": [
        {"type": "response.refusal.delta", "output_index": 0, "content_index": 0, "delta": "I will not."},
        response_end(),
    ],
    "openai-compat": [chunk(refusal="I will not."), chunk("stop")],
}

_CUSTOM = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "t1", "name": "shell", "input": "ls"}
_SUMMARY = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]}
_SAID = {"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "Hi"}]}
RARE = {
    "anthropic": [
        *message_block(0, {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Bern"}}),
        {"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": {"explanation": "No."}}},
        {"type": "message_stop"},
    ],
    "openai": [
        {"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": "l"},
        {"type": "response.custom_tool_call_input.done", "output_index": 0, "input": "ls"},
        {"type": "response.function_call_arguments.done", "output_index": 0, "item_id": "fc_1", "arguments": "{}"},
        response_end(
            output=[_SUMMARY, _SAID, _CUSTOM, *(event["item"] for event in function_call(3, "t2", "f", "{}")[:1])]
        ),
    ],
    "openai-compat": [
        {"choices": [{"index": 0, "message": {"content": "Hi"}, "usage": {"prompt_tokens": 9}, "error": None}]},
        chunk(content=[{"type": "reasoning", "summary": [{"text": "Hm."}]}, {"type": "text", "text": "Hi"}]),
        chunk(reasoning_content={"text": "Hm."}, reasoning_details=[{"type": "reasoning.text", "text": "m."}]),
        chunk(function_call={"name": "weather", "arguments": '{"city": "Bern"}'}),
        chunk("function_call"),
        {"object": "x", "message": "Loading", "x_groq": {"usage": {"prompt_tokens": 9}}},
    ],
}


def stopped(protocol: str, raw: str | None) -> list[Json]:
    """An answer that ends for this reason, as StreamEnd.raw_stop_reason gives it."""
    match protocol, raw:
        case "anthropic", _:
            return message_end(raw)
        case "openai", str():
            kind, _, reason = raw.partition(":")
            return [response_end(kind, **({"incomplete_details": {"reason": reason}} if reason else {}))]
    return [chunk(raw, content="x"), chunk()]


STOPS = [
    (MESSAGES, "end_turn", "end"),
    (MESSAGES, "max_tokens", "max_tokens"),
    (MESSAGES, "stop_sequence", "stop_sequence"),
    (MESSAGES, "tool_use", "tool_use"),
    (MESSAGES, "pause_turn", "pause"),
    (MESSAGES, "refusal", "refusal"),
    (MESSAGES, "model_context_window_exceeded", "context_full"),
    (MESSAGES, "bored", "other"),
    (MESSAGES, None, "other"),
    (RESPONSES, "completed", "end"),
    (RESPONSES, "incomplete:max_output_tokens", "max_tokens"),
    (RESPONSES, "incomplete:content_filter", "content_filter"),
    (RESPONSES, "incomplete:steered", "other"),
    (RESPONSES, "cancelled", "other"),
    (CHAT, "stop", "end"),
    (CHAT, "length", "max_tokens"),
    (CHAT, "tool_calls", "tool_use"),
    (CHAT, "function_call", "tool_use"),
    (CHAT, "content_filter", "content_filter"),
    (CHAT, "eos", "other"),
]


def counted(protocol: str, usage: Json | None) -> list[Json]:
    """An answer with this usage."""
    match protocol:
        case "anthropic":
            return message_end("end_turn", usage)
        case "openai":
            return [response_end(usage=usage)]
    return [chunk("stop", content="x"), {"choices": [], "usage": usage}]


_CACHED = {"input_tokens": 3, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 7}
_DETAILS = {"prompt_tokens_details": {"cached_tokens": 40}, "completion_tokens_details": {"reasoning_tokens": 5}}
USAGES = [
    (MESSAGES, None, Usage()),
    (MESSAGES, {"input_tokens": None, "output_tokens": 7}, Usage(output_tokens=7)),
    (MESSAGES, _CACHED, Usage(123, 7, 100, 20)),
    (MESSAGES, {"output_tokens": 7, "output_tokens_details": {"thinking_tokens": 5}}, Usage(None, 7, None, None, 5)),
    (RESPONSES, None, Usage()),
    (RESPONSES, {"input_tokens": 50, "output_tokens": 7}, Usage(50, 7)),
    (
        RESPONSES,
        {
            "input_tokens": 50,
            "output_tokens": 7,
            "input_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 2},
            "output_tokens_details": {"reasoning_tokens": 5},
        },
        Usage(50, 7, 40, 2, 5),
    ),
    (CHAT, None, Usage()),
    (CHAT, {"prompt_tokens": None, "completion_tokens": 0}, Usage(output_tokens=0)),
    (CHAT, {"prompt_tokens": 50, "completion_tokens": 7, **_DETAILS}, Usage(50, 7, 40, None, 5)),
    (CHAT, {"prompt_tokens": 50, "completion_tokens": 7, "prompt_cache_hit_tokens": 9}, Usage(50, 7, 9)),
    (
        CHAT,
        {"prompt_tokens": 361, "completion_tokens": 26, "total_tokens": 622}
        | {"completion_tokens_details": {"reasoning_tokens": 235}},
        Usage(361, 261, None, None, 235),
    ),
]
