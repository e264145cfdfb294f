"""Text to the user's clipboard, as far as that can be known: OSC 52, tmux's buffer, or a private file. And back.

Nothing answers, so nothing here says "copied". urwid's own `copy_to_clipboard` (5.1) is not used: it writes past the
caller, ends with BEL, knows neither tmux's buffer nor screen's wrapping, has no limit, and says nothing of all that.
"""

from __future__ import annotations

import base64
import contextlib
import os
import re
import secrets
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from mewcode.paths import state_home
from mewcode.private import SaveError, shown, write_private
from mewcode.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

# Bytes of text. The sequence is then 100,000 bytes, which hterm's script and Emacs (xterm-max-cut-length) take for the
# most that terminals accept; tmux accepts 1 MiB (input-buffer-size), kitty 8 MB, so that this one decides.
LIMIT = 74_994
# GNU screen drops a string longer than 256 bytes (MAXSTR; 768 since 4.2.1)
_SCREEN_PIECE = 240
_TMUX_PATIENCE = 1.0  # seconds
_WITHOUT = re.compile(r"(linux([\d.-].*)?|fbterm|dumb|unknown|vt\d.*|)\Z", re.IGNORECASE)
_SILENT = "which does not say whether it took it; /save FILE writes a file"


def copy(text: str, write: Callable[[bytes], None], environ: Mapping[str, str], *, files: bool = True) -> str:
    """Send the text, and say in one sentence what was done with it.

    `write` takes whole sequences, between two frames. Without `files` nothing is put on the disk. Thread: the loop's,
    which waits for tmux up to a second.
    """
    data = text.encode("utf-8", "replace")
    if _WITHOUT.match(environ.get("TERM", "")) and not environ.get("TMUX"):
        return _file(data, "This terminal has no clipboard", environ if files else None)
    if len(data) > LIMIT:
        why = f"{len(data):,} bytes are too many for a terminal's clipboard ({LIMIT:,})"
        return _file(data, why, environ if files else None)
    inside = bool(environ.get("TMUX"))
    in_buffer = inside and _in_tmux_buffer(data, environ)
    write(b"".join(_sequences(data, wrapped=not inside and _is_screen(environ))))
    kept = "Put into tmux's buffer, and sent" if in_buffer else "Sent"
    return f"{kept} to the terminal (OSC 52), {_SILENT}{_warning(text)}."


def _warning(text: str) -> str:
    """The screen shows marks for what is copied as it came."""
    changed = clean(text) != text.replace("\r\n", "\n")
    return "; control or invisible characters are in it, as the model wrote them" if changed else ""


def _is_screen(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("STY")) or environ.get("TERM", "").startswith("screen")


def _sequences(data: bytes, *, wrapped: bool) -> Iterator[bytes]:
    coded = base64.b64encode(data)
    if not wrapped:
        yield b"\x1b]52;c;" + coded + b"\x1b\\"
        return
    # screen hands on what stands between DCS and ST; an ST inside would end it, so that the inner end is BEL
    whole = b"\x1b]52;c;" + coded + b"\x07"
    for start in range(0, len(whole), _SCREEN_PIECE):
        yield b"\x1bP" + whole[start : start + _SCREEN_PIECE] + b"\x1b\\"


def _in_tmux_buffer(data: bytes, environ: Mapping[str, str]) -> bool:
    """`load-buffer -w` also hands the text to the terminal outside, whatever `set-clipboard` says (tmux 3.2)."""
    return _tmux("load-buffer", "-w", "-", data=data, environ=environ) is not None


def tmux_buffer(environ: Mapping[str, str]) -> str | None:
    """What tmux pastes by itself, its line ends unchanged; None outside of tmux. Thread: the loop's, as in `copy`."""
    if not environ.get("TMUX"):
        return None
    found = _tmux("show-buffer", data=b"", environ=environ)
    return None if found is None else found.decode("utf-8", "replace")


def _tmux(*command: str, data: bytes, environ: Mapping[str, str]) -> bytes | None:
    """What a command of tmux writes; None when it fails."""
    import subprocess  # only when somebody copies or pastes inside tmux

    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            ["tmux", *command],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TMUX_PATIENCE,
            env=dict(environ),
        )
        return done.stdout if done.returncode == 0 else None
    return None


def _file(data: bytes, why: str, environ: Mapping[str, str] | None) -> str:
    if environ is None:
        return f"{why}, and nothing may be written to the disk: save it with /save FILE."
    for folder in _folders(environ):
        path = folder / f"mewcode-copy-{secrets.token_hex(4)}.txt"
        with contextlib.suppress(SaveError, OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(path, data)
            return f"{why}: the text is in {shown(path)}."
    return f"{why}, and no private file could be written: save it with /save FILE."


def _folders(environ: Mapping[str, str]) -> Iterator[Path]:
    """From the most private and most passing place on."""
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and os.path.isdir(runtime):
        yield Path(runtime)
    yield state_home()
    yield Path(tempfile.gettempdir())
