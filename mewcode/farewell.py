"""The plain transcript that is left on the main screen after the chat: no escape sequence, no colour, nothing cut.

Written last and with patience for two seconds: a terminal that is closed or takes nothing never holds up the end.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import TYPE_CHECKING

from mewcode.readable import ended
from mewcode.text import clean, one_line, takes_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mewcode.llm.messages import Message

_PATIENCE = 2.0  # seconds, all in all
_CHUNK = 1024  # bytes: less than any terminal's buffer, so that a slow one is noticed between two of them
_UNFINISHED = "\n[not all of it: the terminal is too slow]\n"


def transcript(messages: Sequence[Message], reasons: Mapping[str, str] | None = None, encoding: str = "utf-8") -> bytes:
    """Prompts and answers as their source, whole however long; empty if nothing was said.

    `reasons` says by a message's id why it failed or ended as it did. What the encoding cannot write is a `?`, and
    where the terminal is not one of UTF-8, our own marks are ASCII.
    """
    ascii = not takes_utf8(encoding)
    parts = [part for message in messages for part in _parts(message, ascii, reasons or {})]
    return ("\n\n".join(parts) + "\n").encode(encoding, "replace") if parts else b""


def leave(text: bytes, descriptor: int, patience: float = _PATIENCE) -> bool:
    """Write to a terminal or a file, for at most `patience` seconds; whether all of it went out.

    A thread writes: one that is stuck ends with the process, and no flag is set on a terminal that the shell shares.
    """
    done = threading.Event()
    deadline = time.monotonic() + 0.9 * patience  # the rest is for the words that say so
    arguments = (text, descriptor, deadline, done)
    writer = threading.Thread(target=_write, args=arguments, name="mewcode-farewell", daemon=True)
    writer.start()
    writer.join(patience)
    return done.is_set()


def _write(text: bytes, descriptor: int, deadline: float, done: threading.Event) -> None:
    with contextlib.suppress(OSError):  # EPIPE, EIO: nobody is there to be told
        while text:
            if time.monotonic() > deadline:
                os.write(descriptor, _UNFINISHED.encode())
                return
            text = text[os.write(descriptor, text[:_CHUNK]) :]
        done.set()


def _parts(message: Message, ascii: bool, reasons: Mapping[str, str]) -> Iterator[str]:
    text = clean(message.text, ascii=ascii).strip("\n")
    if message.role == "user":
        yield f"{'>' if ascii else '❯'} {text}"
    elif text:
        yield text
    notes = (ended(message), one_line(reasons.get(message.id, ""), ascii=ascii))
    if remark := ": ".join(filter(None, notes)):
        yield f"[{remark}]"
