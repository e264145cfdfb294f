"""Every byte that the screen, the line mode and `once` write to a real terminal, checked against a list of our own.

`python -m tests.property.escapes --full` shows 100,000 strings on each way out and prints the counts.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import termios
from fcntl import ioctl
from typing import TYPE_CHECKING

from tests.property.drawn import SIZE, WAYS
from tests.property.inert import UNSEEN

if TYPE_CHECKING:
    from collections.abc import Mapping

FULL, SAMPLE = 100_000, 240
_BATCH = 1_000  # strings for one process: what it has said it keeps
_OURS = re.compile(
    rb"\x1b\[\?25l\x1b\[0;39;49m\x1b\[H"  # a frame begins
    rb"|\x1b\[\d+;\d+H|\x1b\[K"  # and goes on, row by row
    rb"|\x1b\[0;(?:39|38;5;\d+)(?:;[13479])*;49m"
    rb"|\x08\x1b\[4h|\x1b\[4l|\r\n(?=\x1b\[\?1049l)"  # the last cell, and the last line
    rb"|\x1b\[\?(?:1049|2004|25|1007)[hl]|\x1b\[\?(?:1000|1002|1006)l|\x1b\[\?1007[sr]|\x1b\)0|\x0f"  # modes
)
_LINE = re.compile(rb"\r?\n|\t")
_TEXT = re.compile("[^\x00-\x1f\x7f-\x9f\ud800-\udfff]*")
_ALLOWED: Mapping[str, re.Pattern[bytes]] = {"screen": _OURS, "plain": _LINE, "once": _LINE}


def strangers(way: str, written: bytes) -> list[str]:
    """What of these bytes is neither ours nor text that can be seen."""
    found = []
    for piece in _ALLOWED[way].split(written):
        text = piece.decode("utf-8", "backslashreplace")
        if not _TEXT.fullmatch(text) or UNSEEN.search(text):
            found.append(text)
    return found


def written_by(way: str, count: int, seed: int) -> bytes:
    """All that such a process writes to its terminal. Raises: CalledProcessError when it crashes."""
    master, slave = os.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0))
    environ = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-m", "tests.property.drawn", way, str(count), str(seed)]
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.PIPE, env=environ)
    os.close(slave)
    written = bytearray()
    try:
        while data := os.read(master, 1 << 16):
            written += data
    except OSError:  # EIO: the process has closed its end
        pass
    finally:
        os.close(master)
        said = process.communicate()[1]
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, stderr=said)
    return bytes(written)


def report(count: int) -> int:
    """A line for each way out; the exit code, 1 if there was anything strange."""
    code = 0
    for way in WAYS:
        sizes, found = 0, []
        for seed in range(-(-count // _BATCH)):
            written = written_by(way, min(_BATCH, count - seed * _BATCH), seed)
            sizes += len(written)
            found += strangers(way, written)
        sys.stdout.write(f"{way}: {count:,} strings, {sizes:,} bytes written, {len(found)} that are not ours\n")
        sys.stdout.writelines(f"    {stranger[:200]!r}\n" for stranger in found[:5])
        sys.stdout.flush()
        code = code or bool(found)
    return code


if __name__ == "__main__":
    sys.exit(report(FULL if "--full" in sys.argv[1:] else SAMPLE))
