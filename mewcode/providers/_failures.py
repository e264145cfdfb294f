"""What breaks between us and a server, as one of our errors, in one sentence that names the host and the cause.

What a server itself answers is read in mewcode.providers._errors.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from mewcode.errors import LLMError, NetworkError, ProtocolError, ServerError, StreamInterrupted, TimedOut
from mewcode.providers._body import TooLarge
from mewcode.providers._coding import UnknownCoding
from mewcode.providers._errors import Fault, host, parse, read_fault, to_error
from mewcode.providers._sentences import address
from mewcode.secret import redact
from mewcode.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewcode.llm.client import ProviderConfig
    from mewcode.providers._http import Json
    from mewcode.providers._stream import Heard

_NOTHING_THERE = re.compile(r"unexpected endpoint|unknown (endpoint|url|path|route)|no (such )?route", re.IGNORECASE)
_AGAIN = re.compile(r"5\d\d\b")  # a proxy that could not get through, for now
_PROXY_LOGIN = 407  # a proxy's own word: no server may say it
_NOBODY_THERE = 2  # attempts: who does not listen, or is not known by that name, will hardly be there in a second


class SdkErrors(NamedTuple):
    """The exceptions of one SDK: the same three names in both, with no common base."""

    status: type[Any]
    timeout: type[Exception]
    connection: type[Exception]


class InStreamError(Exception):
    """A translate() found an error object in the stream; `body` is its JSON."""

    def __init__(self, body: Json) -> None:
        super().__init__("error in the stream")
        self.body = body


class Failures:
    """Says what went wrong with a request to `url`, given what had come until then."""

    def __init__(self, config: ProviderConfig, errors: SdkErrors) -> None:
        self._config = config
        self._errors = errors

    def fault(self, error: Exception, heard: Heard) -> Fault | None:
        """What the server answered, when it is the server that refused."""
        match error:
            case InStreamError(body=body):
                return read_fault(200, body, heard.headers)
            case self._errors.status() if error.status_code != _PROXY_LOGIN:
                body = error.body if error.status_code < 300 else parse(error.response.text)
                return read_fault(error.status_code, body, error.response.headers)
        return None

    def error(self, error: Exception, fault: Fault | None, heard: Heard, url: str) -> LLMError:
        """Raises: `error` itself, when it is none of ours to explain."""
        if fault is not None:
            return to_error(fault, self._config, url)
        match error:
            case self._errors.status():
                return self._proxy_refuses(url, f"{_PROXY_LOGIN} Proxy Authentication Required")
            case self._errors.timeout() | httpx2.TimeoutException():
                return self._timed_out(error, heard, url)
            case self._errors.connection() | httpx2.HTTPError():
                return self._unreachable(error, heard, url)
            case TooLarge() | UnknownCoding():
                return self._unreadable(str(error), heard, url)
            case ValueError() | RecursionError():
                return self._malformed(error, heard, url)
        raise error

    def overdue(self, heard: Heard) -> LLMError:
        """For a turn whose whole time is up."""
        limit = f"the answer took longer than total_timeout ({self._config.total_timeout:g} s)"
        if heard.events:
            return self.interrupted(limit, heard, retryable=False)
        name = self._config.name
        return TimedOut(f"{name}: {limit}.", provider=name, retryable=False)

    def unusable(self, response: Any) -> LLMError:
        """For a success without any event: a page, a document, or nothing at all."""
        name, status, words = self._config.name, response.status_code, ""
        match parse(response.stream.document.decode(errors="replace")):
            case {"error": dict() | str()} | {"detail": _} | {"message": str()} as body:
                told = read_fault(200, body, response.headers)
                if _NOTHING_THERE.search(told.words):  # LM Studio says so with a 200
                    told = replace(told, status=404)
                failed = to_error(told, self._config, str(response.url))
                if told.status >= 300 or not isinstance(failed, ServerError):  # it is known what it is
                    return failed
                words = f": {one_line(redact(told.words, self._config.secrets), 200)}" if told.words else ""
        kind = one_line(response.headers.get("content-type", "no type"), 60)
        what = "an empty stream" if kind.startswith("text/event-stream") else f"no event stream ({kind})"
        return ProtocolError(
            f"{name}: {address(str(response.url))} answered with {what} ({status}){words}; check base_url.",
            provider=name,
            status=status,
        )

    def interrupted(self, reason: str, heard: Heard, *, retryable: bool = True) -> StreamInterrupted:
        name, partial = self._config.name, heard.text.getvalue()
        return StreamInterrupted(f"{name}: {reason}.", partial=partial, provider=name, retryable=retryable)

    def _timed_out(self, error: Exception, heard: Heard, url: str) -> LLMError:
        config = self._config
        if heard.events:
            return self.interrupted(f"the server was silent for {config.idle_timeout:g} s", heard)
        connecting = any(isinstance(cause, httpx2.ConnectTimeout) for cause in _chain(error))
        limit, what = (config.connect_timeout, "connection to") if connecting else (config.idle_timeout, "answer from")
        return TimedOut(f"{config.name}: no {what} {self._where(url)} within {limit:g} s.", provider=config.name)

    def _unreachable(self, error: Exception, heard: Heard, url: str) -> LLMError:
        causes = list(_chain(error))
        # "connection lost" alone says nothing: the innermost cause has the system's own words
        words = one_line(str(causes[-1]), 200).rstrip(".") or type(causes[-1]).__name__
        if heard.events:
            return self.interrupted(f"the connection broke ({words})", heard)
        name, where = self._config.name, self._where(url)
        if any(_is_tls(cause) for cause in causes):
            unknown = any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes)
            fix = "; set ca_bundle if the certificate is your own" if unknown else ""
            return NetworkError(
                f"{name}: no secure connection to {where}: {words}{fix}.", provider=name, retryable=False
            )
        if any(isinstance(cause, httpx2.ProxyError) for cause in causes) and not _AGAIN.match(words):
            return self._proxy_refuses(url, words)
        bound = _NOBODY_THERE if any(_is_nobody(cause) for cause in causes) else None
        return NetworkError(f"{name}: cannot reach {where}: {words}.", provider=name, max_attempts=bound)

    def _proxy_refuses(self, url: str, words: str) -> LLMError:
        name, where = self._config.name, self._where(url)
        words = redact(words, self._config.secrets)
        return NetworkError(
            f"{name}: cannot reach {where}, which says {words}; correct the proxy.", provider=name, retryable=False
        )

    def _where(self, url: str) -> str:
        """Whom a request goes to, and through whom."""
        proxy = _proxy(self._config, url)
        return f"{host(url)} through the proxy {proxy}" if proxy else host(url)

    def _unreadable(self, what: str, heard: Heard, url: str) -> LLMError:
        if heard.events:
            return self.interrupted(f"the server sent {what}", heard, retryable=False)
        return ProtocolError(f"{self._config.name}: {address(url)} sent {what}.", provider=self._config.name)

    def _malformed(self, error: Exception, heard: Heard, url: str) -> LLMError:
        name, kind = self._config.name, type(error).__name__
        if heard.events:
            return self.interrupted(f"the server sent a damaged event ({kind})", heard)
        return ProtocolError(f"{name}: {address(url)} sent a malformed event ({kind}).", provider=name)


def _proxy(config: ProviderConfig, url: str) -> str | None:
    """The host of the proxy on the way to `url`; None when there is none."""
    parts = urlsplit(url)
    if config.proxy is not None:
        return None if config.proxy == "none" else host(config.proxy)
    if proxy_bypass(parts.hostname or ""):
        return None
    found = getproxies()
    address = found.get(parts.scheme) or found.get("all")
    return host(address) if address else None


def _is_tls(cause: BaseException) -> bool:
    """A connection that ends inside the handshake is no fault of TLS, though it comes as one."""
    ended = (ssl.SSLEOFError, ssl.SSLZeroReturnError)  # the second with Python 3.11.2
    return isinstance(cause, ssl.SSLError) and not isinstance(cause, ended)


def _is_nobody(cause: BaseException) -> bool:
    if isinstance(cause, socket.gaierror):
        return cause.errno != socket.EAI_AGAIN
    return isinstance(cause, OSError) and cause.errno in (errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes, outermost first."""
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__
