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
from mewcode.providers._reasoning_details import ReasoningDetails
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
    "tool_use": "tool_use",
    "content_filter": "content_filter",
}
_WHOLE = ("stop", "tool_calls", "function_call", "tool_use")  # reasons after which nothing can be missing
_REASONING = ("reasoning_content", "reasoning", "reasoning_text")


def translate(raw: Iterable[Json], heard: Heard) -> Iterator[Event]:
    """The stream as events; a StreamEnd only where a finish reason came, or `[DONE]` after an answer.

    After the finish reason the usage may still come: for a moment reading goes on, to the end of the body at most.
    """
    answer = _Answer()
    ended_at = -1  # how long the answer was when its finish reason came
    try:
        for chunk in raw:
            whole = answer.stop_reason in _WHOLE
            if usage := chunk.get("usage") or ("x_groq" in chunk and dig(chunk, "x_groq", "usage")):
                answer.count(usage)
            choices = items(chunk, "choices")
            for choice in choices:
                if choice.get("index") in (0, None):
                    yield from answer.grow(choice)
            if not whole:
                answer.check(chunk, choices)
            if answer.stop_reason is None:
                continue
            if ended_at < 0 and answer.said_something:
                ended_at = heard.length
                heard.mark()
            elif 0 <= ended_at < heard.length:  # some servers give a reason with every chunk: it is no end
                heard.unmark()
    except InStreamError:
        raise
    except Exception:
        if answer.stop_reason is None or heard.length > max(ended_at, 0) or not answer.said_something:
            yield from answer.settle()
            raise
    yield from answer.settle()
    if answer.stop_reason is None and answer.complaint is not None:
        raise InStreamError(answer.complaint)
    if answer.stop_reason is not None or (heard.done and answer.said_something):
        yield from answer.end()


class _Answer:
    def __init__(self) -> None:
        self._calls = ChatCalls()
        self._tag = ThinkTag()
        self._thought: list[str] = []
        self._details = ReasoningDetails()
        self._usage = Usage()
        self._spoke = self._refused = False
        self.stop_reason: str | None = None
        self.complaint: Json = None  # an object with words and without choices: an error, if nothing comes after it

    @property
    def said_something(self) -> bool:
        """Thinking alone is no answer."""
        return self._spoke or bool(self._calls)

    def grow(self, choice: Json) -> Iterator[Event]:
        delta = choice.get("delta")
        if not delta and not self.said_something:
            delta = choice.get("message")  # an answer that was not streamed, in one event
        match delta:
            case {"content": str() as said, **rest} if not any(rest.values()):  # nearly always
                yield from self._split(said)
            case dict():
                yield from self._grow_by(delta)
        if usage := choice.get("usage"):
            self.count(usage)  # Moonshot
        if choice.get("finish_reason"):
            self.stop_reason = text(choice, "finish_reason") or self.stop_reason

    def _grow_by(self, delta: Json) -> Iterator[Event]:
        said, thought = _content(delta.get("content"))
        self._details.add(items(delta, "reasoning_details"))
        yield from self._think(thought or _reasoning(delta))
        yield from self._split(said)
        if refusal := text(delta, "refusal"):
            self._refused = True
            yield from self._say(refusal)
        for call in items(delta, "tool_calls") or _legacy_call(delta):
            yield from self._calls.merge(call)

    def _split(self, said: str) -> Iterator[Event]:
        for thinking, piece in self._tag.split(said):
            yield from self._think(piece) if thinking else self._say(piece)

    def check(self, chunk: Json, choices: list[Json]) -> None:
        """Raises: InStreamError for an error in the chunk, in its place, or beside its choices."""
        for part in (chunk, *choices):
            if part.get("error"):
                raise InStreamError(part)
        if chunk.get("object") == "error" or chunk.get("type") == "error":  # vLLM
            raise InStreamError({"error": chunk})
        if choices:
            self.complaint = None
        elif "message" in chunk or "detail" in chunk:
            self.complaint = {"error": chunk}

    def settle(self) -> Iterator[Event]:
        """What was held back because it might have been a tag."""
        for thinking, piece in self._tag.rest():
            yield from self._think(piece) if thinking else self._say(piece)

    def end(self) -> Iterator[Event]:
        yield from self._close_thinking()
        yield from self._calls.complete(cut=self.stop_reason not in (None, *_WHOLE))  # None: `[DONE]` alone
        stop = _STOP.get(self.stop_reason or "", "other")
        if self._calls and (stop == "end" or self.stop_reason is None):
            stop = "tool_use"  # Gemini's endpoint says "stop" with tool calls, Kimi's at some hosts nothing
        elif stop == "end" and self._refused:
            stop = "refusal"
        yield StreamEnd(stop, self.stop_reason, self._usage)

    def count(self, usage: Json) -> None:
        self._usage = self._usage.merged(_usage(usage))

    def _say(self, said: str) -> Iterator[Event]:
        if said:
            self._spoke = True
            if self._thought or self._details:
                yield from self._close_thinking()
            yield TextDelta(said)

    def _think(self, thought: str) -> Iterator[Event]:
        if thought:
            self._thought.append(thought)
            yield ThinkingDelta(thought)

    def _close_thinking(self) -> Iterator[Event]:
        details = self._details.take()
        if self._thought or details:
            yield ThinkingComplete(ThinkingBlock("".join(self._thought), tagged=self._tag.raw, details=details))
            self._thought.clear()


def _content(content: Json) -> tuple[str, str]:
    """(text, thinking) of a content that is a string, null, or a list of parts (Mistral, Databricks)."""
    if isinstance(content, str):
        return content, ""
    said = thought = ""
    for part in content if isinstance(content, list) else []:
        match part:
            case {"type": "text", "text": str(piece)}:
                said += piece
            case {"type": "thinking", "thinking": str(piece)} | {"type": "reasoning", "text": str(piece)}:
                thought += piece
            case {"type": "thinking", "thinking": list(parts)} | {"type": "reasoning", "summary": list(parts)}:
                thought += "".join(text(inner, "text") for inner in parts)
    return said, thought


def _reasoning(delta: Json) -> str:
    """Reasoning under any of its names; a delta that carries several repeats itself, so the first counts."""
    for name in _REASONING:
        match delta.get(name):
            case str(found) | {"text": str(found)} if found:
                return found
    return "".join(text(detail, "text") or text(detail, "summary") for detail in items(delta, "reasoning_details"))


def _legacy_call(delta: Json) -> list[Json]:
    """The one call of the protocol before `tool_calls`: a name and arguments, without an id."""
    function = delta.get("function_call")
    return [{"function": function}] if function else []


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
        cache_write_tokens=_written(usage),
        thinking_tokens=thinking,
    )


def _written(usage: Json) -> int | None:
    """Tokens written to the cache. Under the names that LiteLLM gives them 0 stands for servers that do not say."""
    said = number(usage, "prompt_tokens_details", "cache_write_tokens")
    if said is not None:
        return said
    return _first(usage, ("prompt_tokens_details", "cache_creation_tokens"), ("cache_creation_input_tokens",)) or None


def _first(usage: Json, *paths: tuple[str, ...]) -> int | None:
    return next((found for path in paths if (found := number(usage, *path)) is not None), None)
