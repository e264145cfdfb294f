"""llmock, a fault server by others, and what a test needs to leave nothing behind."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes.dialects import settle_sdks
from tests.fakes.sse_server import LIMIT

if TYPE_CHECKING:
    from collections.abc import Generator

    from llmock.pytest_plugin import LLMock
    from llmock.testing import LLMockServer


@pytest.fixture(scope="session", autouse=True)
def _settled(llmock_server: LLMockServer) -> None:
    """The SDKs are imported and the server listens before a test's sockets are counted."""
    settle_sdks()


@pytest.fixture
def faults(llmock: LLMock, llmock_server: LLMockServer) -> Generator[LLMock, None, None]:
    """The server, at its usual pace; afterwards its side of every connection is closed too."""
    yield llmock.pace(20)
    server: Any = llmock_server._server
    deadline, pause = time.monotonic() + LIMIT, threading.Event()
    while server.server_state.connections and time.monotonic() < deadline:
        pause.wait(0.005)
