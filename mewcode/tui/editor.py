"""A text in the user's own editor, while the screen is put aside."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from mewcode.errors import MewcodeError
from mewcode.private import shown
from mewcode.text import one_line
from mewcode.tui.paste import line_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from contextlib import AbstractContextManager

_USUAL = ("nano", "vi")
_SET_ONE = "set $VISUAL or $EDITOR to one that is there"
_NAME = "prompt.md"


class EditorError(MewcodeError):
    """The text is as it was before."""


def edited(
    text: str, paused: Callable[[], AbstractContextManager[object]], environ: Mapping[str, str] = os.environ
) -> str:
    """The text as the user left it in $VISUAL, else $EDITOR, else nano or vi.

    `paused()`: a block in which the terminal is the editor's, such as urwid's `loop.paused`. Returns when the editor
    has ended. Thread: the main one. Raises: EditorError.
    """
    command = _command(environ)
    try:
        folder = Path(tempfile.mkdtemp(prefix="mewcode-", dir=environ.get("TMPDIR") or None))  # of mode 0700
    except OSError as error:
        raise EditorError(f"cannot make a file to edit: {_reason(error)}; make room in $TMPDIR") from None
    keep = False
    try:
        file = folder / _NAME
        _write(file, text)
        _run([*command, str(file)], paused)
        try:
            return _read(file, text)
        except UnicodeDecodeError:
            keep = True
            raise EditorError(f"what the editor left is not UTF-8; it is still in {shown(file)}") from None
    except OSError as error:
        raise EditorError(f"cannot use a file to edit: {_reason(error)}; make room in $TMPDIR") from None
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _command(environ: Mapping[str, str]) -> list[str]:
    path = environ.get("PATH")
    for name in ("VISUAL", "EDITOR"):
        if value := environ.get(name, "").strip():
            try:
                return shlex.split(value)
            except ValueError:
                raise EditorError(f"${name} has a quote without an end: {one_line(value, 80)}") from None
    usual = next((found for name in _USUAL if (found := shutil.which(name, path=path))), None)
    if usual is None:
        raise EditorError(f"there is no editor: neither nano nor vi is installed; {_SET_ONE}")
    return [usual]


def _write(file: Path, text: str) -> None:
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
        opened.write(text.encode("utf-8", "replace"))


def _run(command: Sequence[str], paused: Callable[[], AbstractContextManager[object]]) -> None:
    name = one_line(command[0], 80)
    with paused(), _deaf():
        try:
            code = subprocess.run(command, check=False).returncode
        except (OSError, ValueError) as error:
            raise EditorError(f"cannot start the editor {name}: {_reason(error)}; {_SET_ONE}") from None
    if code < 0:
        raise EditorError(f"the editor {name} was ended by signal {-code}; the prompt is as it was")
    if code:
        raise EditorError(f"the editor {name} ended with exit code {code}; the prompt is as it was")


def _read(file: Path, before: str) -> str:
    text = line_ends(file.read_bytes().decode("utf-8"))
    # most editors end the last line when they write it
    return text[:-1] if text.endswith("\n") and not before.endswith("\n") else text


@contextlib.contextmanager
def _deaf() -> Generator[None, None, None]:
    """Ctrl+C and Ctrl+\\ are the editor's. Handlers, as what is ignored would be ignored by the editor, too."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or "the system refused").lower()
