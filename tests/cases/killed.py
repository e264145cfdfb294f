"""`python -m tests.cases.killed FOLDER ROUNDS`: saves that are killed anywhere, and what each leaves behind.

A process of its own, since it forks. It prints one JSON line a round: whether the file is the whole old one (`old`) or
the whole new one (`new`) or something else, and the modes of whatever else is in the folder.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import stat
import sys
import time
from pathlib import Path
from typing import Any

from mewcode.export import save
from mewcode.llm.messages import Message, TextBlock

LINE = "x" * 99 + "\n"
TALKS = {name: [Message(name, "user", (TextBlock(LINE * 5000),))] for name in ("old", "new")}  # 500 kB each


def main(folder: Path, rounds: int) -> int:
    chance = random.Random(88)
    path = folder / "talk.json"
    save(str(path), TALKS["old"])
    began = time.monotonic()
    save(str(path), TALKS["old"], force=True)
    takes = time.monotonic() - began
    for _ in range(rounds):
        _kill_a_save(path, chance.uniform(0, 2 * takes))
        sys.stdout.write(json.dumps(_found(path)) + "\n")
        save(str(path), TALKS["old"], force=True)
    return 0


def _kill_a_save(path: Path, after: float) -> None:
    child = os.fork()
    if child == 0:
        save(str(path), TALKS["new"], force=True)
        os._exit(0)
    select.select([], [], [], after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _found(path: Path) -> dict[str, Any]:
    """What a round has left; the rest of the folder is cleared."""
    try:
        (message,) = json.loads(path.read_bytes())["messages"]
        is_whole = message["blocks"][0]["text"] == LINE * 5000
    except (ValueError, OSError, LookupError) as error:
        return {"file": repr(error), "mode": None, "others": []}
    others = [other for other in path.parent.iterdir() if other != path]
    modes = [_mode(other) for other in others]
    for other in others:
        other.unlink()
    return {"file": message["id"] if is_whole else "cut", "mode": _mode(path), "others": modes}


def _mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):o}"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
