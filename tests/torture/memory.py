"""How much memory this process takes at its peak. Linux: /proc/self."""

from __future__ import annotations

import gc
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

MB = 1_000_000
_STATUS = Path("/proc/self/status")
_FORGET = Path("/proc/self/clear_refs")  # writing 5 sets the peak back to what is in use now


@dataclass(slots=True)
class Growth:
    """Bytes by which the peak was above the beginning; known when the block has ended."""

    size: int = 0


@contextmanager
def growing() -> Generator[Growth, None, None]:
    growth = Growth()
    gc.collect()
    _FORGET.write_text("5", encoding="ascii")
    before = _bytes("VmRSS")
    yield growth
    growth.size = _bytes("VmHWM") - before


def _bytes(name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB$", _STATUS.read_text(encoding="ascii"), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0
