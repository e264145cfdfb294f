"""A chat stream as events, whatever its server leaves out, repeats or names in its own way.

No vendor is named in the code: the rules hold for all of them. Source: streams recorded from some thirty servers,
2026-11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewcode.llm.events import StreamEnd, TextDelta, ThinkingComplete, ThinkingDelta
from mewcode.llm.messages import ThinkingBlock, Usage
from mewcode.providers._chat_calls import ChatCalls
from mewcode.providers._json import dig, items, number, text
from mewcode.providers._stream import InStreamError
from mewcode.providers._think_tag import ThinkTag

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mewcode.llm.events import Event, StopReason
    from mewcode.providers._http import Json
    from mewcode.providers._stream import Heard

_STOP: Mapping[str, StopReason] = {
    "stop": "end",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "content_filter": "content_filter",
}


def translate(raw: Iterable[Json], heard: Heard) -> Iterator[Event]:
    """The stream as events; a StreamEnd only where a finish reason or `[DONE]` came.

    After the finish reason the usage may still come: reading goes on to the end of the body, however that is.
    """
    answer = _Answer()
    try:
        for chunk in raw:
            if chunk.get("error"):
                raise InStreamError(chunk)
            if chunk.get("object") == "error":  # vLLM
                raise InStreamError({"error": chunk})
            answer.count(chunk)
            for choice in items(chunk, "choices"):
                if choice.get("index") in (0, None):
                    yield from answer.grow(choice)
    except InStreamError:
        raise
    except Exception:
        if answer.stop_reason is None:
            raise
    if answer.stop_reason is not None or heard.done:
        yield from answer.end()


class _Answer:
    def __init__(self) -> None:
        self._calls = ChatCalls()
        self._tag = ThinkTag()
        self._thought: list[str] = []
        self._usage = Usage()
        self._refused = False
        self.stop_reason: str | None = None

    def grow(self, choice: Json) -> Iterator[Event]:
        delta = choice.get("delta")
        said, thought = _content(dig(delta, "content"))
        yield from self._think(thought or _reasoning(delta))
        for thinking, piece in self._tag.split(said):
            yield from self._think(piece) if thinking else self._say(piece)
        if refusal := text(delta, "refusal"):
            self._refused = True
            yield from self._say(refusal)
        for call in items(delta, "tool_calls"):
            yield from self._calls.merge(call)
        self.stop_reason = text(choice, "finish_reason") or self.stop_reason

    def end(self) -> Iterator[Event]:
        for thinking, piece in self._tag.rest():
            yield from self._think(piece) if thinking else self._say(piece)
        yield from self._close_thinking()
        yield from self._calls.complete(cut=self.stop_reason == "length")
        stop = _STOP.get(self.stop_reason or "", "other")
        if stop == "end" and self._calls:
            stop = "tool_use"  # Gemini's endpoint says "stop" with tool calls
        elif stop == "end" and self._refused:
            stop = "refusal"
        yield StreamEnd(stop, self.stop_reason, self._usage)

    def count(self, chunk: Json) -> None:
        usage = chunk.get("usage") or dig(chunk, "x_groq", "usage")
        if usage:
            self._usage = self._usage.merged(_usage(usage))

    def _say(self, said: str) -> Iterator[Event]:
        if said:
            yield from self._close_thinking()
            yield TextDelta(said)

    def _think(self, thought: str) -> Iterator[Event]:
        if thought:
            self._thought.append(thought)
            yield ThinkingDelta(thought)

    def _close_thinking(self) -> Iterator[Event]:
        if self._thought:
            yield ThinkingComplete(ThinkingBlock("".join(self._thought)))
            self._thought.clear()


def _content(content: Json) -> tuple[str, str]:
    """(text, thinking) of a content that is a string, null, or a list of parts (Mistral)."""
    if isinstance(content, str):
        return content, ""
    said = thought = ""
    for part in content if isinstance(content, list) else []:
        match part:
            case {"type": "text", "text": str(piece)}:
                said += piece
            case {"type": "thinking", "thinking": str(piece)}:
                thought += piece
            case {"type": "thinking", "thinking": list(parts)}:
                thought += _content(parts)[0]
    return said, thought


def _reasoning(delta: Json) -> str:
    """Reasoning under any of its names; a delta that carries several repeats itself, so the first counts."""
    found = text(delta, "reasoning_content") or text(delta, "reasoning")
    return found or "".join(
        text(detail, "text") or text(detail, "summary") for detail in items(delta, "reasoning_details")
    )


def _usage(usage: Json) -> Usage:
    prompt, completion = number(usage, "prompt_tokens"), number(usage, "completion_tokens")
    thinking = _first(usage, ("completion_tokens_details", "reasoning_tokens"), ("reasoning_tokens",))
    if (
        prompt
        and completion is not None
        and thinking
        and number(usage, "total_tokens") == prompt + completion + thinking
    ):
        completion += thinking  # xAI counts the reasoning apart
    return Usage(
        input_tokens=prompt,
        output_tokens=completion,
        cache_read_tokens=_first(
            usage, ("prompt_tokens_details", "cached_tokens"), ("prompt_cache_hit_tokens",), ("cached_tokens",)
        ),
        cache_write_tokens=number(usage, "prompt_tokens_details", "cache_write_tokens"),
        thinking_tokens=thinking,
    )


def _first(usage: Json, *paths: tuple[str, ...]) -> int | None:
    return next((found for path in paths if (found := number(usage, *path)) is not None), None)
