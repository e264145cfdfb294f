"""The JSON in a body that Repair has put in order: whole events in each piece, and nothing but `event` and `data`.

The SDKs' own decoders read such a body line by line, at three times the price of a delta: their streams are told to
iterate this instead. Source: anthropic 2.14, openai 3.57.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import httpx2

from mewcode.providers._body import TooLarge
from mewcode.providers._failures import InStreamError
from mewcode.providers._server_words import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewcode.providers._http import Json


_LARGE = 20_000  # bytes: more than any delta
_LARGE_ONES = 50_000_000  # bytes of all such events: what one is kept of, nobody knows beforehand


def payloads(response: httpx2.Response) -> Iterator[Json]:
    """One value an event, up to `[DONE]`. Raises: InStreamError at an `error` that is no object; ValueError."""
    assert isinstance(response.stream, httpx2.SyncByteStream)
    room = _LARGE_ONES
    for whole in response.stream:
        for event in whole.decode().split("\n\n"):
            if event.startswith("data:"):
                data = event[5:]
            else:
                name, _, data = event.partition("\ndata:")
                if name == "event: error" and not isinstance(said := parse(data), dict):
                    raise InStreamError(said)
                if not data:
                    continue  # behind the last event
            if len(data) > _LARGE:
                room -= len(data)
                if room < 0:
                    raise TooLarge(_LARGE_ONES, "answer with large events")
            if "\n" in data:
                data = data.replace("\ndata:", "\n")
            if data.startswith((" [DONE]", "[DONE]")):
                return
            yield json.loads(data)
