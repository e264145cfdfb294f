"""Private files: readable by their owner alone, and whole or not there at all, whatever ends the writing."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from typing import TYPE_CHECKING

from mewcode.errors import MewcodeError
from mewcode.text import clean

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST = 200  # characters of a path in a sentence
_WAYS_OUT = {
    errno.ENOSPC: "the disk is full; make room, or choose another place",
    errno.EDQUOT: "your quota is used up; make room, or choose another place",
    errno.EFBIG: "a file may not be that large here; choose another place",
    errno.EACCES: "you may not write there; choose another place",
    errno.EPERM: "you may not write there; choose another place",
    errno.EROFS: "the file system is read-only; choose another place",
    errno.ENOENT: "its directory is not there; make it first, or choose another place",
    errno.ENOTDIR: "its directory is not there; make it first, or choose another place",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
}
# of os.link, where a file system has no hard links: vfat, some network and user-space ones
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES)


class SaveError(MewcodeError):
    """A file was not written; what was there before is as it was."""


class AlreadyThere(SaveError):
    """There is a file of this name, and it was not to be overwritten."""


def write_private(path: Path, data: bytes, *, force: bool = False) -> None:
    """Write a file of mode 0600 beside its place, and then move it there. A symbolic link is not followed.

    Killed at any moment, it leaves the old file or the new one, and at most one `.mewcode-*.tmp` beside it.
    `force` replaces a file that is there, whose mode is then 0600 too. Raises: SaveError.
    """
    place = path.parent / f".mewcode-{secrets.token_hex(8)}.tmp"
    try:
        _refuse(path, force=force)
        try:
            _fill(place, data)
            _move(place, path, force=force)
        finally:
            with contextlib.suppress(FileNotFoundError):
                place.unlink()
        _settle(path.parent)
    except FileExistsError:
        raise AlreadyThere(f"{shown(path)} is there already; choose another name") from None
    except OSError as error:
        raise SaveError(f"cannot write {shown(path)}: {_reason(error)}") from None
    except ValueError:  # a zero byte, or a letter that the locale's encoding has not
        raise SaveError(f"cannot write {shown(path)}: no file can have that name; choose another") from None


def shown(path: Path | str) -> str:
    """A path for a sentence, with nothing in it that a terminal would obey."""
    text = clean(str(path)).replace("\n", "␊")
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _refuse(path: Path, *, force: bool) -> None:
    """What a move would put aside: a directory's failure has no good words, and a device would be replaced."""
    if not os.path.lexists(path):
        return
    if not path.is_symlink() and not path.is_file():
        raise SaveError(f"cannot write {shown(path)}: it is no ordinary file; choose another name")
    if not force:
        raise FileExistsError


def _fill(place: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(place, flags, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _move(place: Path, path: Path, *, force: bool) -> None:
    if not force:
        try:
            os.link(place, path)  # in one step, as a move would be, but it refuses what is there
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            _refuse(path, force=False)
        else:
            return
    os.replace(place, path)


def _settle(folder: Path) -> None:
    """Let the new name outlive a loss of power. The file is in place: a directory that cannot be synced is no fault."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _reason(error: OSError) -> str:
    words = _WAYS_OUT.get(error.errno or 0)
    return words or f"{(error.strerror or 'the system refused').lower()}; choose another place"
