"""`python -m mewcode`, and the `mewcode` command."""

from __future__ import annotations

import gc
import signal
import sys


def run() -> None:
    """The process: until a command takes SIGINT over, Ctrl+C ends it without a word."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from mewcode.cli import main

    code = main()
    gc.freeze()  # spares the last look through all objects: with an SDK loaded it takes 0.2 s
    sys.exit(code)


if __name__ == "__main__":
    run()
