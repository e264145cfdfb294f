"""A strict server's answers as the events of the three protocols.

Each function yields what the parts say, and notes in `given` what is finished just before the event that finishes it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tests.fakes.strict_memory import new_id, new_seal, parsed
from tests.fakes.strict_plans import Call, Finish, Redacted, Said, Thought

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fakes.strict_memory import Given, Json, Memory
    from tests.fakes.strict_plans import Part

_USAGE = {"input_tokens": 9, "output_tokens": 4}


def messages_parts(parts: tuple[Part, ...], given: Given, memory: Memory) -> Iterator[Json]:
    message = {"id": new_id("msg"), "type": "message", "role": "assistant", "model": given.model, "content": []}
    yield {"type": "message_start", "message": message | {"stop_reason": None, "usage": _USAGE | {"output_tokens": 1}}}
    for index, part in enumerate(parts):
        for event in _messages_block(part, given, memory):
            yield event | {"index": index}


def _messages_block(part: Part, given: Given, memory: Memory) -> Iterator[Json]:
    empty, done, deltas = _messages_forms(part, memory)
    yield {"type": "content_block_start", "content_block": empty}
    yield from ({"type": "content_block_delta", "delta": delta} for delta in deltas)
    if isinstance(part, Redacted) or part.whole:
        given.blocks.append(done)
        if isinstance(part, Thought):
            delta = {"type": "signature_delta", "signature": done["signature"]}
            yield {"type": "content_block_delta", "delta": delta}
        yield {"type": "content_block_stop"}


def _messages_forms(part: Part, memory: Memory) -> tuple[Json, Json, list[Json]]:
    """A block as it starts, as it is when finished, and the deltas between them."""
    match part:
        case Thought(said):
            empty: Json = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(said)]
            return empty, {"type": "thinking", "thinking": said, "signature": new_seal()}, deltas
        case Redacted():
            done = {"type": "redacted_thinking", "data": new_seal()}
            return done, done, []
        case Said(said):
            deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(said)]
            return {"type": "text", "text": ""}, {"type": "text", "text": said}, deltas
        case Call(name, arguments):
            empty = {"type": "tool_use", "id": memory.new_call("toolu"), "name": name, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *_pieces(arguments))]
            return empty, empty | {"input": parsed(arguments)}, deltas


_PHASES: tuple[Json, ...] = ({}, {"phase": "commentary"}, {"phase": "final_answer"})


def messages_end(end: Finish, given: Given) -> list[Json | str]:
    called = any(block["type"] == "tool_use" for block in given.blocks)
    reason = "max_tokens" if end.reason == "max_tokens" else "tool_use" if called else "end_turn"
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [{"type": "message_delta", "delta": delta, "usage": {"output_tokens": 4}}, {"type": "message_stop"}]


def messages_fault(message: str) -> Json:
    return {"type": "error", "error": {"type": "overloaded_error", "message": message}}


def responses_parts(parts: tuple[Part, ...], given: Given, memory: Memory) -> Iterator[Json]:
    number = itertools.count()
    response = {"id": new_id("resp"), "object": "response", "status": "in_progress", "model": given.model, "output": []}
    yield {"type": "response.created", "sequence_number": next(number), "response": response}
    for index, part in enumerate(parts):
        for event in _responses_item(part, given, memory):
            yield event | {"output_index": index, "sequence_number": next(number)}


def _responses_item(part: Part, given: Given, memory: Memory) -> Iterator[Json]:
    empty, done, deltas = _responses_forms(part, memory)
    yield {"type": "response.output_item.added", "item": empty}
    yield from (delta | {"item_id": empty["id"]} for delta in deltas)
    if isinstance(part, Redacted) or part.whole:
        given.blocks.append(done)
        yield {"type": "response.output_item.done", "item": done}


def _responses_forms(part: Part, memory: Memory) -> tuple[Json, Json, list[Json]]:
    """An item as it is added, as it is when done, and the deltas between them."""
    match part:
        case Thought(said):
            empty: Json = {"type": "reasoning", "id": new_id("rs"), "summary": []}
            summary = [{"type": "summary_text", "text": said}] if said else []
            done = empty | {"summary": summary, "encrypted_content": new_seal()}
            return empty, done, _deltas("reasoning_summary_text", "summary_index", said)
        case Redacted():
            empty = {"type": "reasoning", "id": new_id("rs"), "summary": []}
            return empty, empty | {"encrypted_content": new_seal()}, []
        case Said(said):
            ids = {"id": new_id("msg"), "role": "assistant", **_PHASES[len(said) % len(_PHASES)]}
            empty = {"type": "message", **ids, "content": [], "status": "in_progress"}
            content = [{"type": "output_text", "text": said, "annotations": []}]
            deltas = _deltas("output_text", "content_index", said)
            return empty, empty | {"content": content, "status": "completed"}, deltas
        case Call(name, arguments):
            ids = {"id": new_id("fc"), "call_id": memory.new_call("call")}
            empty = {"type": "function_call", **ids, "name": name, "arguments": "", "status": "in_progress"}
            deltas = _deltas("function_call_arguments", "content_index", arguments)
            return empty, empty | {"arguments": arguments, "status": "completed"}, deltas


def _deltas(kind: str, place: str, said: str) -> list[Json]:
    return [{"type": f"response.{kind}.delta", place: 0, "delta": piece} for piece in _pieces(said)]


def responses_end(end: Finish, given: Given) -> list[Json | str]:
    status = "incomplete" if end.reason == "max_tokens" else "completed"
    reason = {"reason": "max_output_tokens"} if end.reason == "max_tokens" else None
    response = {"id": new_id("resp"), "object": "response", "status": status, "incomplete_details": reason}
    return [{"type": f"response.{status}", "response": response | {"output": given.blocks, "usage": _USAGE}}]


def responses_fault(message: str) -> Json:
    return {"type": "error", "error": {"type": "server_error", "code": "server_is_overloaded", "message": message}}


def chat_parts(parts: tuple[Part, ...], given: Given, memory: Memory) -> Iterator[Json]:
    yield _chunk({"role": "assistant", "content": ""})
    for part in parts:
        match part:
            case Thought(said):
                given.blocks.append({"type": "reasoning", "text": said})
                yield from (_chunk({"content": None, **_reasoned(piece, given)}) for piece in _pieces(said))
                if given.options.seals_reasoning and part.whole:
                    yield _sealed(given, {"type": "reasoning.text", "signature": new_seal()}, said)
            case Said(said):
                yield from (_chunk({"content": piece}) for piece in _pieces(said))
            case Call(name, arguments):
                index = sum(block["type"] == "call" for block in given.blocks)
                call_id = memory.new_call("call", short=given.options.short_call_ids)
                call: Json = {"index": index, "id": call_id, "type": "function"}
                if given.options.signs_calls and index == 0:
                    call["extra_content"] = {"google": {"thought_signature": new_seal()}}
                given.blocks.append({**call, "type": "call"})
                yield _chunk({"tool_calls": [call | {"function": {"name": name, "arguments": ""}}]})
                for piece in _pieces(arguments):
                    yield _chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            case Redacted() if given.options.seals_reasoning:
                yield _sealed(given, {"type": "reasoning.encrypted", "data": new_seal()})
            case Redacted():
                pass


def _reasoned(piece: str, given: Given) -> Json:
    if not given.options.seals_reasoning:
        return {"reasoning_content": piece}
    detail = {"type": "reasoning.text", "text": piece, "index": len(_details(given))}
    return {"reasoning": piece, "reasoning_details": [detail]}


def _sealed(given: Given, last: Json, said: str = "") -> Json:
    """The piece that ends a detail, which is noted with all that came before."""
    piece = {**last, "index": len(_details(given))}
    given.blocks.append({"type": "detail", "detail": piece | ({"text": said} if said else {})})
    return _chunk({"content": "", "reasoning_details": [piece]})


def _details(given: Given) -> list[Json]:
    return [block for block in given.blocks if block["type"] == "detail"]


def chat_end(end: Finish, given: Given) -> list[Json | str]:
    called = any(block["type"] == "call" for block in given.blocks)
    reason = "length" if end.reason == "max_tokens" else "tool_calls" if called else "stop"
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
    counted = [_chunk() | {"usage": usage}] if "stream_options" in given.body else []
    return [_chunk({}, reason), *counted, "[DONE]"]


def chat_fault(message: str) -> Json:
    return {"error": {"message": message, "type": "server_error", "code": "overloaded", "param": None}}


def _chunk(delta: Json | None = None, finish: str | None = None) -> Json:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": choices}


def _pieces(said: str) -> list[str]:
    """Two deltas, or fewer where there is less to say."""
    half = len(said) // 2
    return [piece for piece in (said[:half], said[half:]) if piece]
