"""`python -m mewcode`, and the `mewcode` command."""

from __future__ import annotations

import signal
import sys


def run() -> None:
    """The process: until a command takes SIGINT over, Ctrl+C ends it without a word."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from mewcode.cli import main

    sys.exit(main())


if __name__ == "__main__":
    run()
