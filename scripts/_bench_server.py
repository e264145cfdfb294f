"""A server for measurements: streams an answer in the three protocols, over loopback, one burst at a time.

POST /DELTAS/EVENTS_A_CHUNK/…: the answer's beginning with one delta; then, when a line comes on stdin, the deltas in
one write; when the next line comes, the end. It prints its port, and a line after each of the first two parts.
"""

from __future__ import annotations

import itertools
import json
import socketserver
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

TEXT = """\
## Rolling it out

The queue is drained **before** the new worker starts, so that a message is handled by *exactly one* process. Then
change `MAX_BATCH`, keep the old value until the second week, and read [the notes](https://example.invalid/notes).

先检查日志，再比较两张表的行数。 手順は毎回同じです。 한 번에 하나씩 확인합니다.

1. Stop the scheduler and wait until the lag is below 20 ms.
2. Copy the table, then compare both counts.

```python
while not queue.empty():
    handle(queue.get(timeout=0.5))  # at most half a second
```

"""
_SIZE = 4  # characters a delta

Json = dict[str, Any]


def deltas(count: int) -> list[str]:
    pieces = [TEXT[at : at + _SIZE] for at in range(0, len(TEXT), _SIZE)]
    return list(itertools.islice(itertools.cycle(pieces), count))


class Chat:
    def begin(self) -> list[Json]:
        return [self._chunk({"role": "assistant", "content": "", "refusal": None})]

    def delta(self, text: str) -> Json:
        return self._chunk({"content": text})

    def end(self) -> list[Json]:
        usage = {"prompt_tokens": 12, "completion_tokens": 9, "total_tokens": 21}
        return [self._chunk({}, "stop"), {**self._chunk({}), "choices": [], "usage": usage}]

    def _chunk(self, delta: Json, finish: str | None = None) -> Json:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1790000000,
            "model": "tiny",
            "service_tier": "default",
            "system_fingerprint": "fp_1",
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
            "usage": None,
        }


class Responses:
    def __init__(self) -> None:
        self._numbers = itertools.count()

    def begin(self) -> list[Json]:
        item = {"id": "msg_1", "type": "message", "status": "in_progress", "content": [], "role": "assistant"}
        return [
            self._event("response.created", response=self._response("in_progress")),
            self._event("response.output_item.added", output_index=0, item=item),
        ]

    def delta(self, text: str) -> Json:
        where = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        return self._event("response.output_text.delta", **where, delta=text, logprobs=[])

    def end(self) -> list[Json]:
        return [self._event("response.completed", response=self._response("completed"))]

    def _event(self, kind: str, **fields: Any) -> Json:
        return {"type": kind, "sequence_number": next(self._numbers), **fields}

    def _response(self, status: str) -> Json:
        return {"id": "resp_1", "object": "response", "created_at": 1790000000, "model": "tiny", "status": status} | {
            "output": [],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }


class Messages:
    def begin(self) -> list[Json]:
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "tiny", "content": []}
        usage = {"input_tokens": 12, "output_tokens": 1}
        return [
            {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        ]

    def delta(self, text: str) -> Json:
        return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}

    def end(self) -> list[Json]:
        delta = {"stop_reason": "end_turn", "stop_sequence": None}
        return [
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 9}},
            {"type": "message_stop"},
        ]


def sse(events: Iterable[Json]) -> Iterator[bytes]:
    for event in events:
        data = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        yield (f"event: {event['type']}\ndata: {data}\n\n" if "type" in event else f"data: {data}\n\n").encode()


def chunked(events: Iterable[bytes], events_a_chunk: int) -> bytes:
    """HTTP's chunked coding."""
    left = list(events)
    chunks = [b"".join(left[at : at + events_a_chunk]) for at in range(0, len(left), events_a_chunk)]
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)


ANSWERS: Mapping[str, Callable[[], Chat | Responses | Messages]] = {
    "completions": Chat,
    "responses": Responses,
    "messages": Messages,
}


class Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        path, length = self._request()
        self.rfile.read(length)
        count, events_a_chunk = (int(part) for part in path.split("/")[1:3])
        answer = ANSWERS[path.rsplit("/", 1)[-1]]()
        begin = sse([*answer.begin(), answer.delta("Well. ")])
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        self._part(chunked(begin, 1))
        self._part(chunked(sse(map(answer.delta, deltas(count))), events_a_chunk))
        done = [b"data: [DONE]\n\n"] if isinstance(answer, Chat) else []
        self.wfile.write(chunked([*sse(answer.end()), *done], 1) + b"0\r\n\r\n")

    def _request(self) -> tuple[str, int]:
        """Its path, and the length of its body."""
        path = self.rfile.readline().decode().split()[1]
        length = 0
        while header := self.rfile.readline().strip().lower():
            if header.startswith(b"content-length:"):
                length = int(header.split(b":")[1])
        return path, length

    def _part(self, data: bytes) -> None:
        self.wfile.write(data)
        print("sent", flush=True)
        sys.stdin.readline()


if __name__ == "__main__":
    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever()
