"""The command line inside this process: for what does not need one of its own, at a tenth of the price."""

from __future__ import annotations

import io
import logging
import os
import signal
import sys
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING

from mewcode.cli import main
from tests.fakes.program import Ran

if TYPE_CHECKING:
    from collections.abc import Generator

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_inside(*arguments: str, given: bytes = b"") -> Ran:
    """`mewcode` with these arguments; `given`, which has to fit a pipe, comes through stdin."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with ExitStack() as stack:
        stack.enter_context(_kept())
        stack.enter_context(_piped(given))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        try:
            code = main(arguments)
        except SystemExit as end:  # argparse
            code = int(end.code or 0)
    out.flush()
    written = out.buffer.getvalue() if isinstance(out.buffer, io.BytesIO) else b""
    return Ran(code, written, err.getvalue())


@contextmanager
def _piped(given: bytes) -> Generator[None, None, None]:
    read, write = os.pipe()
    os.write(write, given)
    os.close(write)
    before = sys.stdin
    with os.fdopen(read) as sys.stdin:
        try:
            yield
        finally:
            sys.stdin = before


@contextmanager
def _kept() -> Generator[None, None, None]:
    """A run leaves its signal handlers and its log behind: it would end now."""
    handlers = [(number, signal.getsignal(number)) for number in _SIGNALS]
    root = logging.getLogger()
    before, level, raises = root.handlers[:], root.level, logging.raiseExceptions
    try:
        yield
    finally:
        for number, handler in handlers:
            signal.signal(number, handler)
        logging.captureWarnings(False)
        root.handlers[:], logging.raiseExceptions = before, raises
        root.setLevel(level)
