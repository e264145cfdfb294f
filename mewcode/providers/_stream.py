"""One request, from the body to the events, with whatever goes wrong on the way as one of our errors.

The SDK's generic call yields parsed JSON instead of typed objects: three to fourteen times cheaper, and nothing is
misread (unknown events fall into the first class of the SDKs' unions). Source: anthropic 2.14, openai 3.57.
"""

from __future__ import annotations

import logging
import ssl
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx2

from mewcode.errors import (
    LLMError,
    NetworkError,
    ProtocolError,
    StreamInterrupted,
    TimedOut,
)
from mewcode.llm.events import StreamEnd, TextDelta
from mewcode.providers._errors import host, parse, read_fault, to_error
from mewcode.providers._http import Watched
from mewcode.providers._json import well_formed
from mewcode.secret import redact
from mewcode.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

    from mewcode.llm.cancel import CancelToken
    from mewcode.llm.client import ProviderConfig
    from mewcode.llm.events import Event
    from mewcode.providers._http import Json, Line, Lines

_log = logging.getLogger(__name__)


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


@dataclass(slots=True)
class Heard:
    """What has come so far of one answer. `done` is a chat stream's `[DONE]`."""

    events: int = 0
    text: list[str] = field(default_factory=list)
    done: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    def listen(self, raw: Iterable[object]) -> Iterator[Json]:
        """Count the stream's events; only objects are passed on, since a server may send a list or null."""
        for item in raw:
            self.events += 1
            if isinstance(item, dict):
                yield item

    def note(self, event: Event) -> Event:
        """Keep the text of an event; half a character of it becomes U+FFFD."""
        match event:
            case TextDelta(text):
                event = TextDelta(well_formed(text))
                self.text.append(event.text)
        return event


class Endpoint:
    """Where one provider entry sends its requests."""

    def __init__(
        self,
        config: ProviderConfig,
        lines: Lines,
        path: str,
        *,
        stream_cls: type,
        errors: SdkErrors,
        options: Json = None,
    ) -> None:
        self._config = config
        self._lines = lines
        self._path = path
        self._stream_cls = stream_cls
        self._errors = errors
        self._options = options or {}
        self._secrets = (*([config.api_key] if config.api_key else []), *config.headers.values())

    def events(
        self,
        body: dict[str, Json],
        messages: int,
        translate: Callable[[Iterable[Json], Heard], Iterator[Event]],
        cancel: CancelToken,
    ) -> Generator[Event, None, None]:
        """Send the body, yield what `translate` makes of the stream. `messages` is for the log only.

        Raises: LLMError, also when the stream ends and `translate` has seen no end mark.
        """
        heard = Heard()
        config = self._config
        _log.debug("%s: protocol %s, %d messages beside the system prompt", config.name, config.protocol, messages)
        with self._lines.lease(cancel) as line:
            url = f"{str(line.sdk.base_url).rstrip('/')}{self._path}"
            try:
                for event in self._translated(line, well_formed(body), heard, translate):
                    yield self._inert(heard.note(event))
                    if isinstance(event, StreamEnd):
                        return
            except LLMError as error:
                raise self._redacted(error) from error.__cause__
            except Exception as error:
                raise self._redacted(self._mapped(error, heard, url)) from error

    def _inert(self, event: Event) -> Event:
        """A server's word that is shown beside the answer, without our key."""
        match event:
            case StreamEnd(raw_stop_reason=str(word)):
                return replace(event, raw_stop_reason=redact(word, self._secrets))
        return event

    def _redacted(self, error: LLMError) -> LLMError:
        error.args = (redact(str(error), self._secrets),)
        if error.request_id is not None:
            error.request_id = one_line(redact(error.request_id, self._secrets), 200)
        return error

    def _translated(
        self,
        line: Line,
        body: dict[str, Json],
        heard: Heard,
        translate: Callable[[Iterable[Json], Heard], Iterator[Event]],
    ) -> Iterator[Event]:
        with line.sdk.post(
            self._path,
            cast_to=object,
            body=body,
            options=self._options,
            stream=True,
            stream_cls=self._stream_cls,
        ) as raw:
            heard.headers = raw.response.headers
            for event in translate(self._watched(raw, heard), heard):
                if isinstance(event, StreamEnd) and isinstance(raw.response.stream, Watched):
                    raw.response.stream.done = True
                yield event
            if heard.events:
                raise self._interrupted("the server closed the stream before its end", heard)
            raise self._unusable(raw.response)

    def _watched(self, raw: Any, heard: Heard) -> Iterator[Json]:
        yield from heard.listen(raw)
        stream = raw.response.stream
        heard.done = isinstance(stream, Watched) and stream.done

    def _mapped(self, error: Exception, heard: Heard, url: str) -> LLMError:
        match error:
            case InStreamError(body=body):
                return to_error(read_fault(200, body, heard.headers), self._config, url)
            case self._errors.status():
                body = error.body if error.status_code < 300 else parse(error.response.text)
                return to_error(read_fault(error.status_code, body, error.response.headers), self._config, url)
            case self._errors.timeout() | httpx2.TimeoutException():
                return self._timed_out(error, heard, url)
            case self._errors.connection() | httpx2.HTTPError():
                return self._unreachable(error, heard, url)
            case ValueError() | RecursionError():
                return ProtocolError(
                    f"{self._config.name}: {url} sent a malformed event ({type(error).__name__}).",
                    provider=self._config.name,
                )
            case _:
                raise error

    def _timed_out(self, error: Exception, heard: Heard, url: str) -> LLMError:
        config = self._config
        if heard.events:
            return self._interrupted(f"the server was silent for {config.idle_timeout:g} s", heard)
        connecting = any(isinstance(cause, httpx2.ConnectTimeout) for cause in _chain(error))
        limit, what = (config.connect_timeout, "connection to") if connecting else (config.idle_timeout, "answer from")
        return TimedOut(f"{config.name}: no {what} {host(url)} within {limit:g} s.", provider=config.name)

    def _unreachable(self, error: Exception, heard: Heard, url: str) -> LLMError:
        causes = list(_chain(error))
        # a connection that ends inside the handshake is no fault of TLS, though it comes as one
        tls = any(isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError) for cause in causes)
        # "connection lost" alone says nothing: the innermost cause has the system's own words
        words = one_line(str(causes[-1]), 200) or type(causes[-1]).__name__
        if heard.events:
            return self._interrupted(f"the connection broke ({words})", heard)
        name, where = self._config.name, host(url)
        if tls:
            fix = "set ca_bundle if the certificate is your own"
            return NetworkError(
                f"{name}: no secure connection to {where}: {words}; {fix}.", provider=name, retryable=False
            )
        return NetworkError(f"{name}: cannot reach {where}: {words}.", provider=name)

    def _unusable(self, response: Any) -> ProtocolError:
        """For a success without any event: a page, a document, or nothing at all."""
        name, status = self._config.name, response.status_code
        kind = one_line(response.headers.get("content-type", "no type"), 60)
        what = "an empty stream" if kind.startswith("text/event-stream") else f"no event stream ({kind})"
        url = str(response.url.copy_with(query=None))
        return ProtocolError(
            f"{name}: {url} answered with {what} ({status}); check base_url.", provider=name, status=status
        )

    def _interrupted(self, reason: str, heard: Heard) -> StreamInterrupted:
        name = self._config.name
        return StreamInterrupted(f"{name}: {reason}.", partial="".join(heard.text), provider=name)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes, outermost first."""
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__
