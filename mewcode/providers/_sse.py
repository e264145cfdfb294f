"""Server-sent events, however they are spelled, in the one spelling that both SDKs read right.

Mended is the framing, never the JSON inside. What the SDKs lose or choke on otherwise: a byte order mark, an event that
has no data, bytes that are no UTF-8, and in Messages an event without its name. Source: WHATWG HTML, server-sent
events; the decoders of anthropic 2.14 and openai 3.57.
"""

from __future__ import annotations

import json
import re

_BOM = b"\xef\xbb\xbf"
_DONE = b"data: [DONE]\n\n"
_BLANK_LINES = (b"\n\n", b"\n\r", b"\r\r")

# Events that need no mending, in a row. Nearly every chunk is that and no more, so it is found out by one match.
_PLAIN_NAMED = re.compile(rb"(?>event: ?+(?!ping\n).++\ndata: ?+\{.*+\n\n)++")
_PLAIN = re.compile(rb"(?>(?:event: ?+(?!ping\n|error\n).++\n)?data: ?+\{.*+\n\n)++")

_BLOCK = re.compile(rb"[^\n]++(?:\n[^\n]++)*+")  # lines up to a blank one
_HEARTBEAT = re.compile(rb"[:\s]*(?:ping|pong|keep[-_ ]?alive|heart[-_ ]?beat|connected|ok)[.!]?", re.IGNORECASE)
_NAME = re.compile(r"[\w.-]+", re.ASCII)


class Repair:
    """Takes a body in any pieces and gives out whole events. `done`: `[DONE]` went by.

    `named`: for Messages, whose SDK drops an event that has no name. The other protocols' SDK reads no names.
    """

    def __init__(self, *, named: bool) -> None:
        self._named = named
        self._plain = _PLAIN_NAMED if named else _PLAIN
        self._held = bytearray()  # an event that has not ended
        self.done = False

    @property
    def waiting(self) -> int:
        """Bytes of the event that has not ended."""
        return len(self._held)

    def feed(self, chunk: bytes) -> bytes:
        """The events that are whole with this chunk; empty when none is."""
        if (self._held or not chunk.endswith(b"\n\n")) and not (chunk := self._completed(chunk)):
            return b""
        if b"\r" not in chunk and self._plain.fullmatch(chunk) and (chunk.isascii() or _is_utf8(chunk)):
            return chunk
        return self._respelled(chunk)

    def rest(self, *, framed: bool) -> bytes:
        """The last event, if only the blank line after it is missing. `framed`: the body's end is known to be its end.

        Elsewhere it is dropped, as the standard has it: there a cut looks the same.
        """
        if not framed:
            return b""
        event = self._respelled(bytes(self._held) + b"\n\n")
        return event if event == _DONE or _is_json(b"\n".join(_fields(event)[1])) else b""

    def _completed(self, chunk: bytes) -> bytes:
        """Everything up to the last blank line; only what is new is searched."""
        held = self._held
        new = max(len(held) - 1, 0)
        held += chunk
        if b"\n" not in chunk and b"\r" not in chunk:
            return b""
        blank_lines = _BLANK_LINES if held.find(b"\r", new) >= 0 else _BLANK_LINES[:1]
        end = max(held.rfind(blank, new) for blank in blank_lines) + 2
        if end < 2:
            return b""
        end += held.endswith(b"\r", 0, end) and held.startswith(b"\n", end)
        whole = bytes(held[:end])
        del held[:end]
        return whole

    def _respelled(self, whole: bytes) -> bytes:
        text = whole.replace(b"\r\n", b"\n").replace(b"\r", b"\n").lstrip(b"\n")
        text = text.decode("utf-8", "replace").encode()
        if self._plain.fullmatch(text):
            return text
        return b"".join(self._event(block[0]) for block in _BLOCK.finditer(text))

    def _event(self, block: bytes) -> bytes:
        """One event anew, or nothing for what says nothing. What is no JSON goes on: the SDK's refusal is an error."""
        name, lines = _fields(block)
        data = b"\n".join(lines).strip()
        if data.startswith(b"[DONE]"):
            self.done = True
            return b"" if self._named else _DONE
        if not data or name == b"ping" or (name != b"error" and _HEARTBEAT.fullmatch(data)):
            return b""
        if self._named:
            name = name or _name(data)
        elif name == b"error":
            data = _as_error(data)
        head = b"event: %b\n" % name if name else b""
        return b"%bdata: %b\n\n" % (head, data.replace(b"\n", b"\ndata: "))


def _fields(block: bytes) -> tuple[bytes, list[bytes]]:
    """(name, lines of data); comments and every other field are passed over."""
    name, data = b"", []
    for line in block.removeprefix(_BOM).split(b"\n"):
        field, _, value = line.partition(b":")
        if field == b"data":
            data.append(value.removeprefix(b" "))
        elif field == b"event":
            name = value.removeprefix(b" ")
    return name, data


def _name(data: bytes) -> bytes:
    """What Messages calls this event; none for an object of another protocol."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return b"message"  # some name, or the SDK would drop a damaged event in silence
    match found:
        case {"error": dict() | str()}:
            return b"error"
        case {"type": str(kind)} if _NAME.fullmatch(kind):
            return kind.encode()
    return b""


def _as_error(data: bytes) -> bytes:
    """The body of an event named `error`, so that it says itself what it is: the name does not come through the SDK."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = data.decode()
    match found:
        case str():
            return json.dumps({"error": {"message": found}}).encode()
        case {"message": _} | {"detail": _} if "error" not in found:
            return json.dumps({"error": found}).encode()
    return data


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
