"""The one way to a server: an HTTP client that follows no redirect and whose sockets can be woken, the SDK on top of
it, and the SDK's plain stream of parsed JSON.

Source for every decision here: httpx2 2.16, anthropic 2.14, openai 3.57, measured 2026-11.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
import ssl
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qsl, urlsplit

import httpx2

from mewcode.errors import ConfigError
from mewcode.providers._body import watching

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from mewcode.llm.cancel import CancelToken
    from mewcode.llm.client import ProviderConfig

Json = Any  # what a server sends: parsed, not checked

_log = logging.getLogger(__name__)
_environment = threading.Lock()
_KEEPALIVE = (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 60), ("TCP_KEEPCNT", 5))


class Sockets:
    """The sockets of one HTTP client. `abort()` wakes whoever is blocked on them, from the TLS handshake on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._handshake: socket.socket | None = None
        self.aborted = False
        self.on_sent: Callable[[], None] = lambda: None  # called when a request has gone out

    def on_request(self, request: httpx2.Request) -> None:
        """Event hook of the client."""
        request.extensions = {**request.extensions, "trace": self._trace}

    def abort(self) -> None:
        """Shut every socket down; the client is of no use afterwards. Thread: any."""
        with self._lock:
            self.aborted = True
            sockets = self._open + ([self._handshake] if self._handshake else [])
        for sock in sockets:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _trace(self, name: str, info: Mapping[str, Any]) -> None:
        if name.endswith("send_request_body.complete"):
            self.on_sent()
        with self._lock:
            if name.endswith("start_tls.started") and self._open:
                # wrap_socket() detaches the plain socket; a duplicate still reaches the connection
                self._handshake = self._open[-1].dup()
            elif name.endswith(("start_tls.complete", "start_tls.failed")) and self._handshake:
                self._handshake.close()
                self._handshake = None
            if name.endswith(("connect_tcp.complete", "start_tls.complete")):
                self._open = [sock for sock in self._open if sock.fileno() != -1]
                self._open.append(_kept_alive(info["return_value"].get_extra_info("socket")))
            late = self.aborted
        if late:
            self.abort()


def _kept_alive(sock: socket.socket) -> socket.socket:
    """Keep-alive on: a path that died silently (NAT) is noticed within minutes, not at the idle limit."""
    with contextlib.suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _KEEPALIVE:
            if hasattr(socket, option):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    return sock


Sdk: TypeAlias = Any  # anthropic.Anthropic or openai.OpenAI: alike, with no common type; used are post() and base_url


@dataclass(frozen=True, slots=True)
class Line:
    """An SDK client and the HTTP client and sockets under it. One turn at a time."""

    sdk: Sdk
    http: httpx2.Client
    sockets: Sockets


class Lines:
    """The lines of one provider entry. A turn leases one; a line whose turn was cancelled is thrown away."""

    def __init__(self, config: ProviderConfig, make_sdk: Callable[[httpx2.Client], Sdk]) -> None:
        self._config = config
        self._make_sdk = make_sdk
        self._tls = _tls_context(config)
        self._lock = threading.Lock()
        self._idle = [self._make()]  # the first one now, so that a wrong setting shows before the first turn
        self.base_url = str(self._idle[0].sdk.base_url).rstrip("/")

    @contextlib.contextmanager
    def lease(self, cancel: CancelToken) -> Generator[Line, None, None]:
        """A line of this turn's own, woken by `cancel`."""
        with self._lock:
            line = self._idle.pop() if self._idle else None
        line = line or self._make()
        try:
            line.sockets.on_sent = cancel.mark_sent
            with cancel.aborting(line.sockets.abort):
                yield line
        finally:
            if line.sockets.aborted:
                line.http.close()
            else:
                with self._lock:
                    self._idle.append(line)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for line in idle:
            line.http.close()

    def _make(self) -> Line:
        sockets = Sockets()
        config = self._config
        try:
            http = httpx2.Client(
                timeout=httpx2.Timeout(config.idle_timeout, connect=config.connect_timeout, write=30.0, pool=10.0),
                follow_redirects=False,  # a redirect would resend the conversation to another host
                event_hooks={
                    "request": [sockets.on_request, _note_request],
                    "response": [watching(config.protocol, sockets.abort)],
                },
                headers={"Accept-Encoding": "identity"},
                verify=self._tls,
                proxy=None if config.proxy == "none" else config.proxy,
                trust_env=config.proxy is None,
            )
        except (ValueError, ImportError, httpx2.InvalidURL) as error:
            where = "proxy" if config.proxy else "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY or NO_PROXY"
            raise ConfigError(f"{config.name}: {where} is not a proxy that can be used; correct or unset it") from error
        with _sealed_environment():
            return Line(self._make_sdk(http), http, sockets)


def _tls_context(config: ProviderConfig) -> ssl.SSLContext:
    """One context for all lines: building one takes 25 ms."""
    try:
        if config.ca_bundle:
            return ssl.create_default_context(cafile=config.ca_bundle)
        return httpx2.create_ssl_context()
    except (OSError, ssl.SSLError) as error:
        where = "ca_bundle" if config.ca_bundle else "SSL_CERT_FILE or SSL_CERT_DIR"
        raise ConfigError(f"{config.name}: {where} names no readable certificates; correct or unset it") from error


@contextlib.contextmanager
def _sealed_environment() -> Generator[None, None, None]:
    """Hide the SDKs' own variables while a client is built: base URL, headers and organisation would apply silently."""
    with _environment:
        hidden = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(("ANTHROPIC_", "OPENAI_"))}
        try:
            yield
        finally:
            os.environ.update(hidden)


def _note_request(request: httpx2.Request) -> None:
    _log.debug("%s %s, %s bytes", request.method, request.url.path, request.headers.get("content-length", "?"))


def split_base_url(url: str, *endings: str) -> tuple[str, dict[str, str]]:
    """A base URL without the endpoint's path, when that was pasted too, and the query as its own dict."""
    parts = urlsplit(url.strip())
    path = re.sub(r"(/v1)+(?=/|$)", "/v1", re.sub(r"/+", "/", parts.path).rstrip("/"))
    for ending in endings:
        path = path.removesuffix(ending)
    return f"{parts.scheme}://{parts.netloc}{path}", dict(parse_qsl(parts.query, keep_blank_values=True))
