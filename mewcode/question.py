"""The message of `mewcode once`, from the command line and from a pipe."""

from __future__ import annotations

import select
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

SILENCE = 1.0  # seconds that a pipe beside a message may be silent


def read_question(given: str | None, pipe: BinaryIO | None, note: Callable[[str], None]) -> str:
    """The message: what was given, then, after a blank line, what is piped in; "" when there is neither.

    A pipe beside a message may be one that nobody writes to (cron, ssh -n): silent for a second, it is left unread.
    """
    if pipe is None:
        return given or ""
    if given is not None and not select.select([pipe], [], [], SILENCE)[0]:
        note("nothing came through the pipe on stdin for a second; it is left unread")
        return given
    piped = pipe.read().decode("utf-8", "replace").strip("\n")
    return "\n\n".join(part for part in (given, piped) if part)


def piped_stdin() -> BinaryIO | None:
    """stdin, unless it is a terminal or closed."""
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return None
    return sys.stdin.buffer
