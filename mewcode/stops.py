"""Why an answer ended, in words, and what asks for the rest of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewcode.llm.events import StreamEnd

WHOLE = ("end", "stop_sequence", "tool_use", "refusal")  # after which there is nothing to go on with
_STOPS = {
    "end": None,
    "stop_sequence": None,
    "max_tokens": "Cut off at the token limit.",
    "tool_use": "The model asked for a tool{names}, which mewcode does not run.",
    "refusal": "The model declined.",
    "content_filter": "Stopped by the provider's content filter.",
    "pause": "The server paused a long turn.",
    "context_full": "The conversation filled the context window; the answer is cut off.",
}
_UNSAID = {"end": "The model ended without an answer.", "max_tokens": "The token limit came before any answer."}
_ONLY_THOUGHT = {
    "end": "The model only thought, and ended without an answer.",
    "max_tokens": "The token limit came while the model still thought: raise max_output_tokens, or lower the effort.",
}
_GO_ON = (
    "Your last answer was cut off. It ended with:\n\n{tail}\n\n"
    "Go on exactly from there. Repeat nothing of it, and do not mention the interruption."
)
_TAIL = 240  # characters of a cut answer that are quoted: enough to find the place


def go_on(text: str) -> str:
    """The question that asks for the rest of this answer."""
    return _GO_ON.format(tail=text[-_TAIL:])


def stop_note(end: StreamEnd, tools: Sequence[str] = (), *, said: bool = True, thought: bool = False) -> str | None:
    """One sentence; None for a regular end. `tools` are the names of those it asked for, `said` is whether any text
    came, `thought` whether any thinking did."""
    reason = end.stop_reason
    if reason == "other":
        return f"Stopped: {end.raw_stop_reason}." if end.raw_stop_reason else "The server gave no reason for the end."
    if not said:
        silent = _ONLY_THOUGHT if thought else _UNSAID
        if words := silent.get("end" if reason == "stop_sequence" else reason):
            return words
    words = _STOPS[reason]
    named = ", ".join(dict.fromkeys(name for name in tools if name))
    return words and words.format(names=f" ({named})" if named else "")
