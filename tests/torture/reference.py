"""What a body means, read a second time by other code than the program's: the measure of every row.

Event streams are read as WHATWG's HTML standard says (section 9.2.6), and of each protocol only the text and the end
mark. An event counts once its blank line is there.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_END = {
    "anthropic": ("message_stop",),
    "openai": ("response.completed", "response.incomplete", "response.failed"),
}
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r)")


@dataclass(slots=True)
class Meaning:
    """`heard` counts whole events that carry data; `broken` is the place among them of the first that is no JSON."""

    texts: list[str] = field(default_factory=list)
    heard: int = 0
    ended: bool = False
    broken: int | None = None

    @property
    def text(self) -> str:
        return "".join(self.texts)


def meaning(body: bytes, protocol: str, *, framed: bool = False) -> Meaning:
    """What of the body can be known: up to its end mark, to its first malformed event, or to its last whole one.

    `framed`: HTTP says that the body is whole. Then its last event is, too, if it is but for the blank line.
    """
    found = Meaning()
    for name, data in _all_events(body) if framed else whole_events(body):
        if protocol == "anthropic" and name == "ping":
            continue  # it carries nothing, so nothing can be wrong with it
        found.heard += 1
        if protocol == "openai-compat" and data.startswith("[DONE]"):
            found.ended = True
            break
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            found.broken = found.heard
            break
        found.texts += _texts(event, protocol)
        if _ends(event, protocol):
            found.ended = True
            break
    return found


def whole_events(body: bytes) -> Iterator[tuple[str, str]]:
    """Name and data of each event that its blank line closed; without data it is none."""
    name, lines = "", list[str]()
    for found in _LINE.finditer(body.decode("utf-8", "replace").removeprefix("\ufeff")):
        line = found[1]
        if line == "":
            if lines:
                yield name, "\n".join(lines)
            name, lines = "", []
        elif line == "data" or line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))
        elif line.startswith("event:"):
            name = line[6:].removeprefix(" ")


def _all_events(body: bytes) -> list[tuple[str, str]]:
    events, more = list(whole_events(body)), list(whole_events(body + b"\n\n"))
    return more if len(more) > len(events) and _is_whole(more[-1][1]) else events


def _is_whole(data: str) -> bool:
    try:
        return data.startswith("[DONE]") or bool(json.loads(data))
    except (ValueError, RecursionError):
        return False


def _texts(event: Any, protocol: str) -> Iterator[str]:
    match protocol, event:
        case "anthropic", {"type": "content_block_delta", "delta": {"type": "text_delta", "text": str(said)}}:
            yield said
        case "anthropic", {"type": "content_block_start", "content_block": {"type": "text", "text": str(said)}}:
            yield said
        case "openai", {"type": "response.output_text.delta", "delta": str(said)}:
            yield said
        case "openai-compat", {"choices": [{"delta": {"content": str(said)}}, *_]}:
            yield said


def _ends(event: Any, protocol: str) -> bool:
    match protocol, event:
        case "openai-compat", {"choices": [{"finish_reason": str(reason)}, *_]}:
            return reason != ""
        case "anthropic" | "openai", {"type": str(kind)}:
            return kind in _END[protocol]
    return False
