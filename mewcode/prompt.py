"""What mewcode says of itself: the built-in system prompt and the banner."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mewcode import __version__

if TYPE_CHECKING:
    from pathlib import Path

CAT = (
    r" /\_/\ ",
    r"( o.o )",
    r" > ^ < ",
)


def system_prompt(cwd: Path) -> str:
    """Role, system and directory. Made once per conversation: a changed prefix costs the server's cache."""
    system = os.uname()
    return (
        "You are mewcode, a helpful assistant in a terminal chat. Answer in Markdown, and keep it short unless asked. "
        f"You cannot run commands or read files. The user's system is {system.sysname} {system.release}; "
        f"the current directory is {os.fsencode(cwd).decode(errors='replace')}."
    )


def banner(cwd: Path, home: Path) -> list[tuple[str, str]]:
    """Rows of (a part of the cat, what stands beside it)."""
    shown = f"~/{cwd.relative_to(home)}" if home in cwd.parents else "~" if cwd == home else str(cwd)
    return list(zip(CAT, ("", f"mewcode {__version__}", shown), strict=True))
