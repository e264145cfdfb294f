"""What `mewcode once` is compared with: the loops that somebody could write instead. Each prints how many deltas came.

python _bench_clients.py socket|typed|plain openai-compat|openai|anthropic BASE_URL
"""

from __future__ import annotations

import json
import socket
import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ASK = [{"role": "user", "content": "hi"}]
BODIES: dict[str, dict[str, Any]] = {
    "openai-compat": {"model": "tiny", "stream": True, "messages": ASK},
    "openai": {"model": "tiny", "stream": True, "input": "hi"},
    "anthropic": {"model": "tiny", "stream": True, "messages": ASK, "max_tokens": 100},
}
PATHS = {"openai-compat": "/chat/completions", "openai": "/responses", "anthropic": "/v1/messages"}


def raw_socket(protocol: str, base_url: str) -> int:
    """No HTTP to speak of: chunk sizes are lines that hold no data."""
    where = urlsplit(base_url)
    body = json.dumps(BODIES[protocol]).encode()
    with socket.create_connection((where.hostname, where.port)) as connection:
        head = f"POST {where.path}{PATHS[protocol]} HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: {len(body)}\r\n"
        connection.sendall(head.encode() + b"\r\n" + body)
        return sum(1 for event in _events(connection) if _text(protocol, event))


def _events(connection: socket.socket) -> Iterator[Any]:
    rest = b""
    while data := connection.recv(65536):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            if line.startswith(b"data: {"):
                yield json.loads(line[6:])


def _text(protocol: str, event: Any) -> str | None:
    text: str | None = None
    if protocol == "openai-compat":
        for choice in event["choices"]:
            text = choice["delta"].get("content")
    elif protocol == "openai":
        if event["type"] == "response.output_text.delta":
            text = event["delta"]
    elif event["type"] == "content_block_delta" and event["delta"]["type"] == "text_delta":
        text = event["delta"]["text"]
    return text


def _sdk(protocol: str, base_url: str) -> Any:
    if protocol == "anthropic":
        from anthropic import Anthropic

        return Anthropic(api_key="none", base_url=base_url, max_retries=0)
    from openai import OpenAI

    return OpenAI(api_key="none", base_url=base_url, max_retries=0)


def typed(protocol: str, base_url: str) -> int:
    """The SDK as its manual shows it: an object for each event."""
    sdk = _sdk(protocol, base_url)
    if protocol == "openai-compat":
        chunks = sdk.chat.completions.create(**BODIES[protocol])
        return sum(1 for chunk in chunks for choice in chunk.choices if choice.delta.content)
    if protocol == "openai":
        events = sdk.responses.create(**BODIES[protocol])
        return sum(1 for event in events if event.type == "response.output_text.delta" and event.delta)
    events = sdk.messages.create(**BODIES[protocol])
    return sum(1 for event in events if event.type == "content_block_delta" and event.delta.type == "text_delta")


def plain(protocol: str, base_url: str) -> int:
    """The SDK's generic call: a dict for each event."""
    sdk = _sdk(protocol, base_url)
    if protocol == "anthropic":
        from anthropic import Stream as AnthropicStream

        stream_cls: Any = AnthropicStream[object]
    else:
        from openai import Stream as OpenAIStream

        stream_cls = OpenAIStream[object]
    path, body = PATHS[protocol], BODIES[protocol]
    events: Iterable[Any] = sdk.post(path, cast_to=object, body=body, stream=True, stream_cls=stream_cls)
    return sum(1 for event in events if _text(protocol, event))


if __name__ == "__main__":
    way, *where = sys.argv[1:]
    print({"socket": raw_socket, "typed": typed, "plain": plain}[way](*where))
