"""The log: one private file, never the terminal, never conversation text, never a key."""

from __future__ import annotations

import logging
import os
import re
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING, Any

from mewcode.secret import redact

if TYPE_CHECKING:
    from io import TextIOWrapper
    from pathlib import Path

    from mewcode.secret import Secret

LEVELS = ("error", "info", "debug")
_LIKE_A_KEY = re.compile(r"(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{24,}|[A-Za-z0-9+/]{32,}={0,2}")
_SIZE = 1_000_000  # bytes, then the file moves aside; two are kept


class Log:
    """Where records go from now on. Only our own loggers go below warnings: the SDKs log whole requests."""

    def __init__(self, folder: Path, level: str) -> None:
        """Nothing is created before the first record."""
        self._formatter = _Redacting("%(asctime)s %(levelname)s %(name)s: %(message)s")
        handler = _PrivateFile(
            folder / "mewcode.log",
            maxBytes=_SIZE,
            backupCount=1,
            encoding="utf-8",
            delay=True,
            errors="backslashreplace",
        )
        handler.setFormatter(self._formatter)
        handler.addFilter(_may_enter)
        logging.getLogger().handlers[:] = [handler]
        logging.getLogger().setLevel(logging.ERROR)
        logging.getLogger("mewcode").setLevel(level.upper())
        # urwid 5.1 writes every key at debug, with a logger named after the class, which here is ours
        logging.getLogger("mewcode.tui.screen").setLevel(logging.ERROR)
        logging.captureWarnings(True)  # a warning on stderr would tear the screen
        logging.raiseExceptions = False  # so would a log that cannot be written

    def hide(self, secret: Secret | None) -> None:
        """Keep this key out of the log, whatever an exception may say."""
        if secret is not None:
            self._formatter.secrets.append(secret)


def _may_enter(record: logging.LogRecord) -> bool:
    """Levels do not keep the SDKs out: OPENAI_LOG and ANTHROPIC_LOG set those of their loggers (3.57, 2.14)."""
    return record.levelno >= logging.ERROR or record.name.partition(".")[0] == "mewcode"


class _Redacting(logging.Formatter):
    """Without the keys that are known, and in the words of an exception without anything that may be one."""

    def __init__(self, fmt: str) -> None:
        super().__init__(fmt)
        self.secrets: list[Secret] = []

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record), tuple(self.secrets))

    def formatException(self, ei: Any) -> str:  # logging's own name
        """A fault may come before any key is known, and its words are anybody's."""
        return _LIKE_A_KEY.sub("***", super().formatException(ei))


class _PrivateFile(RotatingFileHandler):
    def _open(self) -> TextIOWrapper:
        path = os.path.dirname(self.baseFilename)
        os.makedirs(path, mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.fdopen(os.open(self.baseFilename, flags, 0o600), "a", encoding=self.encoding, errors=self.errors)
