"""The processes of a measurement: the Python to use, the CPU time of another process, and when it has nothing to do.

Linux only: the CPU clock of another process and /proc have no counterpart elsewhere.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 120.0  # seconds that a measured process may take
_POLL = 0.02
_STILL = 3  # polls in a row


def find_python() -> str:
    """The private environment's interpreter."""
    python = Path(os.environ.get("MEWCODE_VENV") or ROOT / ".venv").absolute() / "bin" / "python"
    if not python.exists():
        sys.exit(f"mewcode: there is no {python}: run scripts/test once, or name the environment in MEWCODE_VENV.")
    return str(python)


def environment(home: str) -> dict[str, str]:
    """Nothing of the caller's: no keys, no proxies, no Python settings."""
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "LANG": "C.UTF-8"}


def cpu_seconds(pid: int) -> float:
    """User and system time of all threads of a process, ended ones included; to the nanosecond, unlike times()."""
    return time.clock_gettime((~pid << 3) | 2)  # clock_getcpuclockid(3)


def settled_cpu(pid: int) -> float:
    """The CPU time once every thread sleeps and none has run for a while."""
    deadline = time.monotonic() + LIMIT
    before, still = -1.0, 0
    while still < _STILL:
        if time.monotonic() > deadline:
            raise TimeoutError(f"process {pid} is never idle")
        time.sleep(_POLL)
        now = cpu_seconds(pid)
        still = still + 1 if now == before and _asleep(pid) else 0
        before = now
    return before


def _asleep(pid: int) -> bool:
    stats = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/stat")]
    return all(stat.rpartition(")")[2].split()[0] == "S" for stat in stats)
