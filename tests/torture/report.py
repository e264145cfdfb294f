"""What `scripts/torture` does: runs the rows that were asked for and prints a line for each, examples of faults below.

Nothing of the caller's environment reaches the clients: neither keys nor proxies.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time
from typing import TYPE_CHECKING

from tests.fakes.dialects import settle_sdks
from tests.torture.rows import ROWS
from tests.torture.tally import FULL, Share

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TextIO

    from tests.torture.rows import Row

SAMPLE = Share(0.05)
_FOREIGN = ("ANTHROPIC_", "OPENAI_", "SSL_CERT_")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/torture",
        description="Try the promises about network and protocols, each by faults that are counted.",
        allow_abbrev=False,
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"{', '.join(ROWS)} (all)")
    parser.add_argument("--full", action="store_true", help="every case there is, not one in twenty; some minutes")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.rows if name not in ROWS]:
        parser.error(f"there is no row {', '.join(unknown)}: use some of {', '.join(ROWS)}")
    _forget_the_caller()
    settle_sdks()
    return report(given.rows or ROWS, ROWS, FULL if given.full else SAMPLE, sys.stdout)


def report(names: Iterable[str], rows: Mapping[str, Row], share: Share, out: TextIO) -> int:
    """The exit code: 1 if a promise does not hold."""
    code = 0
    for name in names:
        began = time.monotonic()
        tally = rows[name](share)
        lines = [f"{tally.line()} ({time.monotonic() - began:.0f} s)", *(f"    {said}" for said in tally.examples)]
        out.write("\n".join(lines) + "\n")
        out.flush()
        code = code if tally.holds else 1
    return code


def _forget_the_caller() -> None:
    for name in list(os.environ):
        if name.startswith(_FOREIGN) or name.upper().endswith(("_API_KEY", "_PROXY")):
            del os.environ[name]
    logging.getLogger().addHandler(logging.NullHandler())  # a turn that crashes is counted, not printed
