"""Requests as plain dicts over plain HTTP, for the tests of the strict server: no client of ours is in between."""

from __future__ import annotations

import http.client
import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

from tests.fakes.sse_server import LIMIT
from tests.fakes.strict_plans import Answer, Said
from tests.fakes.strict_server import strict

if TYPE_CHECKING:
    from tests.fakes.strict_memory import Options
    from tests.fakes.strict_server import StrictServer

Json = dict[str, Any]

PATHS = {"anthropic": "/v1/messages", "openai": "/v1/responses", "openai-compat": "/v1/chat/completions"}
SAYS_HI = Answer((Said("Hi"),))
GONE = object()


def post(server: StrictServer, path: str, body: Json | bytes) -> tuple[int, bytes]:
    """Status and whole body of the answer; what was cut off is as far as it came."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    with closing(http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=LIMIT)) as connection:
        connection.request("POST", path, raw, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        try:
            return answer.status, answer.read()
        except http.client.IncompleteRead as cut:
            return answer.status, cut.partial


def refusal(server: StrictServer, protocol: str, body: Json | bytes) -> str | None:
    """The sentence of the refusal, as it is in the answer; None where the request is accepted."""
    status, raw = post(server, PATHS[protocol], body)
    if status == 200:
        return None
    assert status == 400
    answer = json.loads(raw)
    said = answer.get("error", answer)["message"]
    assert said == server.refused[-1]
    return str(said)


def alone(protocol: str, body: Json | bytes, options: Options | None = None) -> str | None:
    """The refusal of a request that is the first one of its server."""
    with strict(SAYS_HI, options=options) as server:
        return refusal(server, protocol, body)


def changed(body: Json, *changes: tuple[Any, ...]) -> Json:
    """A copy in which each path has another value, or is GONE. A change is its path, then the value."""
    body = json.loads(json.dumps(body))  # nothing in it is shared
    for *path, last, value in changes:
        holder: Any = body
        for step in path:
            holder = holder[step]
        if value is GONE:
            del holder[last]
        elif isinstance(holder, list):
            holder[last:last] = [value]  # in a list it is put in, not in place of
        else:
            holder[last] = value
    return body


def said_so(sentence: str | None, expected: str | None) -> bool:
    return sentence is None if expected is None else sentence is not None and expected in sentence
