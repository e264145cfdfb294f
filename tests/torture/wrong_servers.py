"""What may be at an address instead of the server: every case of R12, with what the user has to be told."""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.fakes.certificate import make_certificate
from tests.fakes.raw_server import closed_port, handling, hang_up, listening_only, read_request

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tests.fakes.certificate import Certificate
    from tests.fakes.raw_server import Handler

UNKNOWN = "no-such-host.invalid"
_ENDED = "(?i)eof|closed|reset|disconnect|hung up|ended"
_LOGIN = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 20\r\n\r\n<title>Log in</title"
_WHO = b"HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True, slots=True)
class WrongServer:
    """`host` and `cause` are patterns that the error has to fit; where a proxy is at fault, `named` is one, too."""

    name: str
    url: str
    host: str
    cause: str
    ca_bundle: str | None = None
    proxy: str | None = None
    named: str = ""


def wrong_servers(folder: Path) -> Iterator[AbstractContextManager[WrongServer]]:
    """Fifteen: a name, two ports, six faults of TLS, six of a proxy. The folder is for certificates."""
    known, stranger = _certificate(folder / "known"), _certificate(folder / "stranger")
    expired = _expired(_certificate(folder / "expired"))
    refusing = f"127.0.0.1:{closed_port()}"
    yield _nowhere("no such name", f"http://{UNKNOWN}:8080", f"{UNKNOWN}:8080", "(?i)name|address|resol")
    yield _nowhere("nobody at the port", f"http://{refusing}", refusing, "(?i)refused")
    yield _full()
    yield _encrypted("a stranger's certificate", stranger, known, cause="(?i)certificate")
    yield _encrypted("another host's certificate", known, known, cause="(?i)certificate.*host", host="localhost")
    yield _encrypted("an expired certificate", expired, expired, cause="(?i)expired")
    yield _handled("no TLS at all", _speaking(_LOGIN), "(?i)ssl|tls|secure")
    yield _handled("a handshake that is hung up on", lambda client: client.recv(65536), _ENDED)
    yield _handled("a handshake that nobody answers", listening_only, "within 1 s")
    yield _nowhere("a proxy of no kind", "http://127.0.0.1:9", "", "proxy", proxy="gopher://127.0.0.1:9")
    yield _nowhere("a socks proxy", "http://127.0.0.1:9", "", "proxy", proxy="socks5://127.0.0.1:9")
    yield _nowhere("nobody at the proxy", "http://127.0.0.1:9", "", "(?i)refused", proxy=f"http://{refusing}")
    yield _proxied("a proxy that asks who we are", _speaking(_WHO), "407")
    yield _proxied("a proxy that hangs up", hang_up, _ENDED)
    yield _proxied("a proxy with a page of its own", _speaking(_LOGIN), "(?i)html|ssl|tls|secure")


def _nowhere(
    name: str, url: str, host: str, cause: str, proxy: str | None = None
) -> AbstractContextManager[WrongServer]:
    return contextlib.nullcontext(WrongServer(name, url, host, cause, proxy=proxy, named=_either(proxy)))


@contextlib.contextmanager
def _full() -> Generator[WrongServer, None, None]:
    """A listener whose queue is full: whoever comes next waits for a place in it, as in a black hole."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        yield WrongServer("a black hole", f"http://{address}", address, "within 1 s")


@contextlib.contextmanager
def _encrypted(
    name: str, shown: Certificate, trusted: Certificate, *, cause: str, host: str = "127.0.0.1"
) -> Generator[WrongServer, None, None]:
    context = shown.server_side()

    def serve(client: socket.socket) -> None:
        with contextlib.suppress(ssl.SSLError), context.wrap_socket(client, server_side=True) as secure:
            read_request(secure)

    with handling(serve) as server:
        address = f"{host}:{server.port}"
        yield WrongServer(name, f"https://{address}", address, cause, ca_bundle=str(trusted.pem))


@contextlib.contextmanager
def _handled(name: str, handler: Handler, cause: str) -> Generator[WrongServer, None, None]:
    with handling(handler) as server:
        yield WrongServer(name, f"https://127.0.0.1:{server.port}", f"127.0.0.1:{server.port}", cause)


@contextlib.contextmanager
def _proxied(name: str, handler: Handler, cause: str) -> Generator[WrongServer, None, None]:
    """In front of a server that is asked for over TLS, so that the proxy only has to connect."""
    with handling(handler) as server:
        proxy = f"http://127.0.0.1:{server.port}"
        yield WrongServer(name, "https://127.0.0.1:9", "", cause, proxy=proxy, named=_either(proxy))


def _either(proxy: str | None) -> str:
    """The word or the address: otherwise the user looks for the fault at the wrong host."""
    return f"proxy|{proxy.rpartition('/')[2]}" if proxy else ""


def _speaking(said: bytes) -> Handler:
    def speak(client: socket.socket) -> None:
        client.recv(65536)
        client.sendall(said)
        client.shutdown(socket.SHUT_WR)
        listening_only(client)  # closed with something unread, the words would be lost in a reset

    return speak


def _certificate(folder: Path) -> Certificate:
    folder.mkdir()
    return make_certificate(folder)


def _expired(made: Certificate) -> Certificate:
    """The same one, signed anew for a day that is over."""
    name, key = str(made.pem), str(made.key)
    sign = ("openssl", "x509", "-in", name, "-signkey", key, "-days", "-1", "-out", name)
    subprocess.run(sign, check=True, capture_output=True)
    return made
