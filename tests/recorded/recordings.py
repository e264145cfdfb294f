"""The recorded streams of real servers, and what the independent oracle beside them says they hold."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mewcode.llm.client import ProviderConfig
from mewcode.llm.conversation import Conversation
from mewcode.llm.events import (
    StreamEnd,
    StreamError,
    TextDelta,
    ThinkingComplete,
    ThinkingDelta,
    ToolCallComplete,
)
from mewcode.llm.messages import Usage
from mewcode.llm.registry import create_client
from mewcode.secret import Secret
from tests.fakes.sse_server import Reply, serving

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from mewcode.llm.events import Event

_BESIDE = Path(__file__).resolve().parents[3] / "shared" / "recorded"
FOLDER = Path(os.environ.get("MEWCODE_RECORDED") or _BESIDE)
THERE = (FOLDER / "INDEX.tsv").is_file()


def rows() -> list[dict[str, Any]]:
    """The index, a row a stream, with the oracle's whole result beside it; none where the recordings are missing."""
    if not THERE:
        return []
    expect = _oracle()
    found = expect.read_index(FOLDER / "INDEX.tsv")
    return [{**row, "result": expect.read_file(FOLDER / row["file"], row["protocol"])} for row in found]


def _oracle() -> Any:
    spec = importlib.util.spec_from_file_location("expect", FOLDER / "expect.py")
    assert spec is not None
    assert spec.loader is not None
    expect = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(expect)
    return expect


def play(row: dict[str, Any], rng: random.Random) -> list[Event]:
    """What our adapter makes of the stream, served in random pieces."""
    wire = (FOLDER / row["file"]).read_bytes()
    with serving(Reply(tuple(_pieces(wire, rng)))) as server:
        base_url = server.url if row["protocol"] == "anthropic" else f"{server.url}/v1"
        config = ProviderConfig("recorded", row["protocol"], row["model"], Secret("key-of-the-test"), base_url=base_url)
        client = create_client(config, "You are helpful.")
        conversation = Conversation()
        conversation.add("user", "Hello")
        events = list(client.stream(conversation))
        client.close()
    return events


def _pieces(wire: bytes, rng: random.Random) -> Iterator[bytes]:
    at = 0
    while at < len(wire):
        size = rng.choice((1, 7, 100, 1000, 4000))
        yield wire[at : at + size]
        at += size


def differences(row: dict[str, Any], events: list[Event]) -> list[str]:
    """Where the events and the oracle disagree: empty when the stream was understood."""
    ours, oracle = _found(events), _expected(row)
    wrong = [f"{name}: {ours[name]!r}, not {oracle[name]!r}" for name in oracle if ours[name] != oracle[name]]
    ids = [call["id"] for call in row["tool_calls"]]
    if any(known and known != mine for known, mine in zip(ids, ours["call ids"], strict=False)):
        wrong.append(f"call ids: {ours['call ids']!r}, not {ids!r}")
    if row["error"] and row["error"]["message"][:40] not in (ours["error"] or ""):
        wrong.append(f"error: {ours['error']!r}, not {row['error']!r}")
    if row["think_tag"] and ours["thinking"] != row["think_tag"]["thinking"]:
        wrong.append(f"thinking: {ours['thinking']} characters, not {row['think_tag']['thinking']}")
    return wrong


def _found(events: list[Event]) -> dict[str, Any]:
    end = events[-1]
    said = "".join(event.text for event in events if isinstance(event, TextDelta))
    thought = "".join(event.text for event in events if isinstance(event, ThinkingDelta))
    blocks = [event.block for event in events if isinstance(event, ThinkingComplete)]
    calls = [event for event in events if isinstance(event, ToolCallComplete)]
    data = [block.redacted_data for block in blocks if block.redacted_data is not None]
    return {
        "text": _sha(said),
        "thinking": len(thought),
        "thinking words": thought.replace("\n", ""),
        "signatures": [len(block.signature) for block in blocks if block.signature is not None],
        "redacted": sum(not _is_item(held) for held in data),
        "encrypted": sum(_is_item(held) and bool(json.loads(held).get("encrypted_content")) for held in data),
        "call ids": [call.tool_id for call in calls],
        "calls": [(call.tool_name, call.arguments if call.error is None else call.error.raw) for call in calls],
        "stop": end.raw_stop_reason if isinstance(end, StreamEnd) else None,
        "usage": end.usage if isinstance(end, StreamEnd) else None,
        "error": str(end.error) if isinstance(end, StreamError) else None,
    }


def _expected(row: dict[str, Any]) -> dict[str, Any]:
    """The oracle's values in our terms; a failed stream is compared by what came and by its words."""
    result, tag, failed = row["result"], row["think_tag"], row["error"] is not None
    expected: dict[str, Any] = {
        "text": tag["text_sha256"] if tag else _sha(result.text + result.refusal),
        "calls": [(call["name"], call["arguments"]) for call in row["tool_calls"]],
        "signatures": [length for length in row["signatures"] if length],
        "redacted": row["redacted"],
        "encrypted": row["encrypted"],
        "stop": None if failed else row["stop_reason"],
    }
    if not tag:
        expected["thinking words"] = result.thinking.replace("\n", "")
    if not failed:
        expected |= {"usage": _usage(row), "error": None}
    return expected


def _usage(row: dict[str, Any]) -> Usage:
    """Ours count cached input in (Anthropic counts it apart), and thinking in the output (xAI counts it apart)."""
    usage = row["usage"]
    fresh, written = usage.get("input"), usage.get("output")
    if row["protocol"] == "anthropic" and fresh is not None:
        fresh += usage.get("cache_read", 0) + usage.get("cache_write", 0)
    if row["vendor"] == "xai" and row["protocol"] == "openai-compat" and written is not None:
        written += usage.get("reasoning", 0)
    return Usage(fresh, written, usage.get("cache_read"), usage.get("cache_write"), usage.get("reasoning"))


def _is_item(held: str) -> bool:
    """Whether redacted_data holds a Responses reasoning item rather than Anthropic's opaque string."""
    return held.startswith("{")


def _sha(said: str) -> str:
    return hashlib.sha256(said.encode()).hexdigest()
