"""One embedded server for all the tests here, since loading the model is what costs; and processes to look at."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mewcode.llm.cancel import CancelToken
from mewcode.llm.client import ProviderConfig, Request
from mewcode.llm.events import StreamEnd, TextDelta
from mewcode.llm.messages import ApiMessage, TextBlock
from mewcode.providers._embedded import EmbeddedServer
from mewcode.providers.local import LocalProvider, default_model

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
BY_HAND = [sys.executable, "-m", "mewcode.providers.local"]

# A program that starts a server, tells its number, and does what the test wants then. The package is on its own
# sys.path only, and it runs in another directory.
PARENT = """
import os, sys
sys.path[:0] = [{root!r}]
from mewcode.llm.cancel import CancelToken
from mewcode.providers._embedded import EmbeddedServer
from mewcode.providers.local import default_model
server = EmbeddedServer(default_model())
server.{method}
print(server.pid, flush=True)
{then}
"""


@pytest.fixture(scope="session")
def embedded() -> Iterator[EmbeddedServer]:
    """A server that answers at `.url` to the key `.key.reveal()`; it calls its model `.model`."""
    with closing(EmbeddedServer(default_model())) as server:
        server.start(CancelToken())
        yield server


def parent(method, then):
    return [sys.executable, "-c", PARENT.format(root=str(ROOT), method=method, then=then)]


@contextmanager
def running(command, **more):
    """The process of a command, with pipes; killed when the block is left."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, **{"stdin": pipe, "stdout": pipe, "stderr": pipe, "text": True, "cwd": "/", **more}
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def watching(pid):
    """A call that waits for the end of process `pid` and says how many seconds it took, None for too many."""
    descriptor = os.pidfd_open(pid)

    def gone_within(seconds):
        began = time.monotonic()
        ready, _, _ = select.select([descriptor], [], [], seconds)
        return time.monotonic() - began if ready else None

    try:
        yield gone_within
    finally:
        os.close(descriptor)


def descriptors():
    return sorted(os.listdir("/proc/self/fd"))


def children():
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):  # by parent: a child moves on when the thread that started it ends
        with suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                found.add(int(stat.parent.name))
    return found


def until(condition):
    deadline = time.monotonic() + 5.0
    while not condition():
        assert time.monotonic() < deadline
        select.select([], [], [], 0.01)


def ask(server, path, body, key):
    """The status and the whole answer, or the error's."""
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
    data = json.dumps({"model": server.model, "stream": True, **body}).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(server.url + path, data, headers), timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.status, error.read().decode()


def request(text, limit=8):
    message = ApiMessage("user", (TextBlock(text),))
    return Request("", "", (message,), max_output_tokens=limit)


def answer(provider, text):
    events = list(provider.open(request(text), CancelToken()))
    assert isinstance(events[-1], StreamEnd)
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def provider():
    return closing(LocalProvider(ProviderConfig(name="tiny", protocol="local", model=str(default_model()))))
