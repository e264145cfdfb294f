"""The recorded streams of real servers, and what the independent oracle beside them says they hold."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from tests.fakes.dialects import ALL
from tests.fakes.player import Player

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mewcode.llm.client import ProviderConfig
    from mewcode.llm.events import Event
    from tests.fakes.dialects import Dialect

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


@cache
def _oracle() -> Any:
    spec = importlib.util.spec_from_file_location("expect", FOLDER / "expect.py")
    assert spec is not None
    assert spec.loader is not None
    expect = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(expect)
    return expect


class Stage:
    """One server for all streams, and a client of each protocol, to play them on."""

    def __init__(self) -> None:
        self._player = Player()
        self._clients = {dialect.protocol: create_client(self._config(dialect), "You are helpful.") for dialect in ALL}
        for client in self._clients.values():
            client.warm()

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients.values():
            client.close()
        self._player.close()

    def play(self, row: dict[str, Any], delivery: Callable[[bytes, str], Iterator[bytes]]) -> list[Event]:
        """What our adapter makes of the stream when it is delivered so."""
        self._player.put_on(delivery((FOLDER / row["file"]).read_bytes(), row["file"]))
        conversation = Conversation()
        conversation.add("user", "Hello")
        events = list(self._clients[row["protocol"]].stream(conversation))
        self._player.wait()
        return events

    def _config(self, dialect: Dialect) -> ProviderConfig:
        return replace(dialect.config(self._player.url), name="recorded")


def differences(row: dict[str, Any], events: list[Event]) -> list[str]:
    """Where the events and the oracle disagree: empty when the stream was understood."""
    ours, oracle = _found(events), _expected(row)
    wrong = [f"{name}: {ours[name]!r}, not {oracle[name]!r}" for name in oracle if ours[name] != oracle[name]]
    ids = [call["id"] for call in row["tool_calls"]]
    if [known or mine for known, mine in zip(ids, ours["call ids"], strict=False)] != ours["call ids"]:
        wrong.append(f"call ids: {ours['call ids']!r}, not {ids!r}")
    if row["error"] and row["error"]["message"][:40] not in (ours["error"] or ""):
        wrong.append(f"error: {ours['error']!r}, not {row['error']!r}")
    return wrong


def _found(events: list[Event]) -> dict[str, Any]:
    end = events[-1]
    thought = "".join(event.text for event in events if isinstance(event, ThinkingDelta))
    blocks = [event.block for event in events if isinstance(event, ThinkingComplete)]
    calls = [event for event in events if isinstance(event, ToolCallComplete)]
    data = [block.redacted_data for block in blocks if block.redacted_data is not None]
    return {
        "text": "".join(event.text for event in events if isinstance(event, TextDelta)),
        "thinking": thought,
        "thinking but for line ends": thought.replace("\n", ""),
        "thinking kept but for line ends": "".join(block.text for block in blocks).replace("\n", ""),
        "signatures": [block.signature for block in blocks if block.signature is not None],
        "redacted": [held for held in data if not _is_item(held)],
        "items": [json.loads(held) for held in data if _is_item(held)],
        "call ids": [call.tool_id for call in calls],
        "calls": [(call.tool_name, call.arguments if call.error is None else call.error.raw) for call in calls],
        "stop": end.raw_stop_reason if isinstance(end, StreamEnd) else None,
        "usage": end.usage if isinstance(end, StreamEnd) else None,
        "error": str(end.error) if isinstance(end, StreamError) else None,
    }


def _expected(row: dict[str, Any]) -> dict[str, Any]:
    """The oracle's values in our terms; a failed stream is compared by what came and by its words."""
    result, failed = row["result"], row["error"] is not None
    text, thinking = result.text + result.refusal, result.thinking
    if row["think_tag"]:
        _, thinking, text = re.split(r"^\s*<think>(.*?)</think>", text, maxsplit=1, flags=re.DOTALL)
    expected = {
        "text": text,
        "calls": [(call["name"], call["arguments"]) for call in row["tool_calls"]],
        "stop": None if failed else row["stop_reason"],
        # the parts of a Responses summary are set apart by a blank line, which the oracle leaves to the client
        "thinking but for line ends": thinking.replace("\n", ""),
        **_verbatim(row),
    }
    if row["protocol"] != "openai":
        expected["thinking"] = thinking
    if not failed:
        expected |= {"usage": _usage(row), "error": None, "thinking kept but for line ends": thinking.replace("\n", "")}
    return expected


def _verbatim(row: dict[str, Any]) -> dict[str, Any]:
    """What has to go back as it came. The oracle only counts it, so it is read off the stream here."""
    signatures: dict[int, str] = {}
    redacted, items = [], []
    for _, data in _oracle().sse_events((FOLDER / row["file"]).read_bytes()):
        match json.loads(data) if data.startswith("{") else None:
            case {"type": "content_block_start", "content_block": {"type": "redacted_thinking", "data": data}}:
                redacted.append(data)
            case {"delta": {"type": "signature_delta", "signature": signature}, "index": index}:
                signatures[index] = signature
            case {"type": "response.output_item.done", "item": {"type": "reasoning"} as item}:
                items.append(item)
    lengths = [length for length in row["signatures"] if length]
    assert [len(signature) for signature in signatures.values()] == lengths
    assert (len(redacted), sum(bool(item.get("encrypted_content")) for item in items)) == (
        row["redacted"],
        row["encrypted"],
    )
    return {"signatures": list(signatures.values()), "redacted": redacted, "items": items}


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
