"""One request, from the body to the events, with whatever goes wrong on the way as one of our errors.

The SDK's generic call yields parsed JSON instead of typed objects: three to fourteen times cheaper, and nothing is
misread (unknown events fall into the first class of the SDKs' unions). Source: anthropic 2.14, openai 3.57.
"""

from __future__ import annotations

import io
import logging
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mewcode.errors import AuthError, LLMError, PermissionDenied, ProtocolError
from mewcode.llm.events import StreamEnd, TextDelta, ThinkingComplete, ThinkingDelta, ToolCallDelta
from mewcode.providers._body import TooLarge, Watched
from mewcode.providers._coding import UnknownCoding
from mewcode.providers._failures import Failures, InStreamError, SdkErrors
from mewcode.providers._heal import Healing
from mewcode.providers._json import well_formed
from mewcode.providers._memory import MEMORY, Place
from mewcode.secret import redact
from mewcode.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from mewcode.llm.cancel import CancelToken
    from mewcode.llm.client import ProviderConfig, Request
    from mewcode.llm.events import Event
    from mewcode.providers._errors import Fault
    from mewcode.providers._heal import Body, Remedy
    from mewcode.providers._http import Json, Line, Lines

__all__ = ["Endpoint", "Heard", "InStreamError", "SdkErrors"]

_log = logging.getLogger(__name__)
_MOST = 16 * 1024 * 1024  # characters of one answer; nobody reads more, and a server that never ends sends more
_OBJECT = 200  # characters that an event without text counts for
_SAME_KEY = 2  # attempts with a key that was good a moment ago: gateways refuse one now and then


@dataclass(slots=True)
class Heard:
    """What has come so far of one answer. `done` is a chat stream's `[DONE]`; `mark` takes note of the end mark of a
    protocol in which more may come after it.
    """

    events: int = 0
    text: io.StringIO = field(default_factory=io.StringIO)  # a million short strings would take ten times the room
    length: int = 0  # characters of text, thinking and arguments, and what other events take
    shown: bool = False  # whether anything was passed on
    done: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: Fault | None = None
    mark: Callable[[], None] = lambda: None
    unmark: Callable[[], None] = lambda: None  # it was none

    def listen(self, raw: Iterable[object]) -> Iterator[Json]:
        """Count the stream's events; only objects are passed on, since a server may send a list or null."""
        for item in raw:
            self.events += 1
            if isinstance(item, dict):
                yield item

    def note(self, event: Event) -> Event:
        """Keep the text of an event, which half a character of it, now U+FFFD, no longer keeps from being encoded."""
        match event:
            case TextDelta(text):
                if not text.isascii():
                    event = replace(event, text=well_formed(text))
                self.text.write(event.text)
                self.length += len(text)
            case ThinkingDelta(text) | ToolCallDelta(text=text) if text.isascii():
                self.length += len(text)
            case _:
                event = _encodable(event)
                self.length += _weight(event)
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
        remedies: Sequence[Remedy] = (),
    ) -> None:
        self._config = config
        self._lines = lines
        self._path = path
        self._stream_cls = stream_cls
        self._failures = Failures(config, errors)
        self._remedies = remedies
        self._secrets = config.secrets

    def events(
        self,
        request: Request,
        body: Body,
        translate: Callable[[Iterable[Json], Heard], Iterator[Event]],
        cancel: CancelToken,
    ) -> Generator[Event, None, None]:
        """Send the body, yield what `translate` makes of the stream; a body that is refused is corrected if it can be.

        Raises: LLMError, also when the stream ends and `translate` has seen no end mark.
        """
        config = self._config
        count = len(request.messages)
        _log.debug("%s: protocol %s, %d messages beside the system prompt", config.name, config.protocol, count)
        route = Route(self._lines.base_url, self._path)
        healing = Healing(self._remedies, Place(route.base_url, request.model), request)
        body = healing.prepared(well_formed(body))
        while True:
            heard = Heard()
            with self._lines.lease(cancel) as line:  # each time: one that has been aborted is of no use
                try:
                    for event in self._attempt(line, route.path, body, heard, translate):
                        if not heard.shown:
                            heard.shown = True
                            self._worked(healing, route)
                        yield event
                    return
                except Exception as error:
                    failed, cause = self._explained(error, heard, route, cancel), _harmless(error)
            better = None if heard.shown else self._better(healing, body, failed, heard, route)
            if better is None:
                raise route.verdict(failed) from cause
            body = better

    def _worked(self, healing: Healing, route: Route) -> None:
        """The server answers: what this request was has to hold for the next ones."""
        healing.worked()
        route.keep()
        if self._config.api_key:
            MEMORY.accept(route.base_url, self._config.api_key)

    def _better(self, healing: Healing, body: Body, failed: LLMError, heard: Heard, route: Route) -> Body | None:
        """What to send instead, or somewhere else; None when there is nothing better."""
        if _is_nothing_there(failed) and route.turn_off(failed):
            return body
        if heard.fault is not None and not _is_nothing_there(failed):
            route.keep()
        return healing.correct(body, failed, heard.fault)

    def _explained(self, error: Exception, heard: Heard, route: Route, cancel: CancelToken) -> LLMError:
        if cancel.expired:
            return self._failures.overdue(heard)
        if isinstance(error, LLMError):
            return self._redacted(error)
        fault = heard.fault = self._failures.fault(error, heard)
        failed = self._failures.error(error, fault, heard, route.url)
        key = self._config.api_key
        if isinstance(failed, (AuthError, PermissionDenied)) and key and MEMORY.accepted(route.base_url, key):
            final = fault is not None and fault.headers.get("x-should-retry", "").lower() == "false"
            failed.max_attempts = 1 if final else _SAME_KEY
        return self._redacted(failed)

    def _redacted(self, error: LLMError) -> LLMError:
        error.args = (redact(str(error), self._secrets),)
        if error.request_id is not None:
            error.request_id = one_line(redact(error.request_id, self._secrets), 200)
        return error

    def _attempt(
        self,
        line: Line,
        path: str,
        body: Body,
        heard: Heard,
        translate: Callable[[Iterable[Json], Heard], Iterator[Event]],
    ) -> Iterator[Event]:
        with line.sdk.post(
            path,
            cast_to=object,
            body=body,
            stream=True,
            stream_cls=self._stream_cls,
        ) as raw:
            stream = raw.response.stream
            assert isinstance(stream, Watched)
            heard.headers, heard.mark = raw.response.headers, stream.hurry
            heard.unmark = stream.take_time
            for event in translate(self._watched(raw, stream, heard), heard):
                if isinstance(event, StreamEnd):
                    stream.done = True
                    yield self._inert(event)
                    return
                yield heard.note(event)
                if heard.length > _MOST:
                    limit = f"the answer is longer than {_MOST // 2**20} million characters"
                    raise self._failures.interrupted(limit, heard, retryable=False)
            if heard.events:
                raise self._failures.interrupted("the server closed the stream before its end", heard)
            raise self._failures.unusable(raw.response)

    def _inert(self, end: StreamEnd) -> StreamEnd:
        """A server's word that is shown beside the answer, without our key."""
        if end.raw_stop_reason is None:
            return end
        return replace(end, raw_stop_reason=redact(well_formed(end.raw_stop_reason), self._secrets))

    def _watched(self, raw: Iterable[object], stream: Watched, heard: Heard) -> Iterator[Json]:
        yield from heard.listen(raw)
        heard.done = stream.done


class Route:
    """The way to the endpoint. A base URL without a path that answers 404 mostly lacks `/v1`, which is tried once."""

    def __init__(self, base_url: str, path: str) -> None:
        self.base_url = base_url
        self._first: LLMError | None = None  # what the way without the detour led to
        self._path = path
        self._detour = MEMORY.detour(base_url)

    @property
    def path(self) -> str:
        return self._detour + self._path

    @property
    def url(self) -> str:
        return self.base_url + self.path

    def turn_off(self, failed: LLMError) -> bool:
        """Take the detour; False when there is none, or when it is taken already."""
        if self._detour or self._path.startswith("/v1") or urlsplit(self.base_url).path:
            return False
        self._detour, self._first = "/v1", failed
        return True

    def verdict(self, failed: LLMError) -> LLMError:
        """What to say: where the detour led nowhere either, the way that was configured is what there is to mend."""
        return self._first if self._first and _is_nothing_there(failed) else failed

    def keep(self) -> None:
        """It led somewhere."""
        if self._detour:
            MEMORY.take_detour(self.base_url, self._detour)


def _harmless(error: Exception) -> Exception | None:
    """What stands behind our error: anew, for what the SDKs and the HTTP library threw, or threw before, may hold the
    key.
    """
    match error:
        case TooLarge(limit=limit, what=what):
            return TooLarge(limit, what)
        case UnknownCoding(coding=coding):
            return UnknownCoding(coding)
        case ValueError() | RecursionError():
            return ValueError(type(error).__name__)
    return None


def _weight(event: Event) -> int:
    """What an event that is no delta takes, in characters."""
    match event:
        case ThinkingDelta(text) | ToolCallDelta(text=text):
            return len(text)
        case ThinkingComplete(block):
            return len(block.signature or "") + len(block.redacted_data or "")
    return _OBJECT


def _encodable(value: Any) -> Any:
    """A value of ours with no half characters in it."""
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{item.name: _encodable(getattr(value, item.name)) for item in fields(value)})
    return well_formed(value)


def _is_nothing_there(failed: LLMError) -> bool:
    return isinstance(failed, ProtocolError) and failed.status in (404, 405)
