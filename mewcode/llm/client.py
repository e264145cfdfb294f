"""What a provider is to the rest of the program: a client that turns a conversation into a running turn."""

from __future__ import annotations

import json
import logging
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from mewcode.llm.history import asking, tools_as_text
from mewcode.llm.messages import Origin
from mewcode.llm.models import LOCAL_CONTEXT, context_window, resolve_model
from mewcode.llm.pairing import respell_calls
from mewcode.llm.retry import RetryPolicy, attempts
from mewcode.llm.thinking import own_thinking
from mewcode.llm.turn import Turn
from mewcode.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from mewcode.llm.cancel import CancelToken
    from mewcode.llm.conversation import Conversation
    from mewcode.llm.events import Event
    from mewcode.llm.messages import ApiMessage


_CLOSING = 0.2  # seconds

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProviderConfig:
    """One entry under `providers:`, complete and checked. Times are in seconds.

    `api_key` is None where the server wants none; `key_source` says where the key came from, for the sentence that
    asks to mend it. `base_url` None means the protocol's own endpoint; `proxy` None the environment's, `none` none.
    `total_timeout` bounds a whole turn, its retries included; None is no bound.
    """

    name: str
    protocol: str
    model: str
    api_key: Secret | None = None
    key_source: str = ""
    base_url: str | None = None
    thinking: bool | None = None
    effort: str | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    headers: Mapping[str, Secret] = field(default_factory=dict)
    ca_bundle: str | None = None
    proxy: str | None = field(default=None, repr=False)  # it may hold a password
    connect_timeout: float = 10.0
    idle_timeout: float = 180.0
    total_timeout: float | None = None
    max_retries: int = 9
    prompt_cache: bool = True

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """What must not be shown: the key, the headers' values, those in the address's query, the proxy's password."""
        query = [Secret(value) for _, value in parse_qsl(urlsplit(self.base_url or "").query)]
        login = [Secret(unquote(found)) for found in [urlsplit(self.proxy or "").password] if found]
        return (*([self.api_key] if self.api_key else []), *self.headers.values(), *query, *login)


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool offered to the model; `parameters` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """Everything one request says. None leaves a setting to the model.

    The thinking in `messages` may go back as it is. `conversation` names the conversation for the server's cache, ""
    when there is to be none. `remark` takes a sentence for the user: what was asked for and had to be left out.
    """

    model: str
    system: str
    messages: tuple[ApiMessage, ...]
    tools: tuple[ToolSchema, ...] = ()
    max_output_tokens: int | None = None
    temperature: float | None = None
    effort: str | None = None
    thinking: bool | None = None
    conversation: str = ""
    remark: Callable[[str], None] = _log.info


class Provider(Protocol):
    """What a protocol's module gives. Its SDK is imported with it: both happen in a worker."""

    def open(self, request: Request, cancel: CancelToken) -> Generator[Event, None, None]:
        """Send the request; yield its events, a StreamEnd last. Raises: LLMError. Thread: a turn's worker."""

    def close(self) -> None:
        """Release connections and processes. Thread: any."""


class LLMClient(Protocol):
    """A provider entry, ready to talk."""

    @property
    def name(self) -> str:
        """The entry's name, as the configuration gives it."""

    @property
    def model(self) -> str:
        """The full id of the model, or its file's stem."""

    @property
    def origin(self) -> Origin:
        """What marks an answer of this client, so that its thinking comes back to it alone."""

    @property
    def context_window(self) -> int | None:
        """The most tokens that a conversation may have; None where that is not known before the server says it."""

    def stream(
        self,
        conversation: Conversation,
        tools: Sequence[ToolSchema] = (),
        on_ready: Callable[[], None] | None = None,
    ) -> Turn:
        """Ask for the next answer; returns at once. `on_ready` runs in the worker after each event put."""

    def set_max_output_tokens(self, n: int | None) -> None:
        """Limit the answers from the next request on; None is the model's own maximum."""

    def warm(self) -> None:
        """Import the SDK and build its client now rather than with the first turn. Thread: any."""

    def close(self) -> None:
        """Release connections and processes. Thread: any."""


class Client:
    """The client of every protocol: settings and conversation become a request, the provider does the rest."""

    def __init__(
        self, config: ProviderConfig, system_prompt: str, make_provider: Callable[[ProviderConfig], Provider]
    ) -> None:
        self._config = replace(config, model=resolve_model(config.model, config.protocol))
        self._system = system_prompt
        self._make_provider = make_provider
        self._provider: Provider | None = None
        self._lock = threading.Lock()  # a turn may start while warm() is still at it

    @property
    def name(self) -> str:
        return self._config.name

    @property
    def model(self) -> str:
        return self._config.model

    @property
    def origin(self) -> Origin:
        return Origin(self._config.name, self._config.base_url or "", self._config.model)

    @property
    def context_window(self) -> int | None:
        return LOCAL_CONTEXT if self._config.protocol == "local" else context_window(self._config.model)

    def stream(
        self,
        conversation: Conversation,
        tools: Sequence[ToolSchema] = (),
        on_ready: Callable[[], None] | None = None,
    ) -> Turn:
        remarks: list[str] = []
        request = self._request(conversation, tools, remarks.append)
        config = self._config
        policy = RetryPolicy(config.max_retries)

        def source(cancel: CancelToken) -> Generator[Event, None, None]:
            provider = self._ready()
            with cancel.limited(config.total_timeout):
                yield from attempts(lambda: provider.open(request, cancel), policy, cancel)

        return Turn(source, on_ready, remarks)

    def set_max_output_tokens(self, n: int | None) -> None:
        self._config = replace(self._config, max_output_tokens=n)

    def warm(self) -> None:
        self._ready()

    def close(self) -> None:
        if not self._lock.acquire(timeout=_CLOSING):
            return  # warm() is still importing; the end of the process releases the rest
        try:
            if self._provider is not None:
                self._provider.close()
                self._provider = None
        finally:
            self._lock.release()

    def _ready(self) -> Provider:
        with self._lock:
            if self._provider is None:
                self._provider = self._make_provider(self._config)
            return self._provider

    def _request(
        self, conversation: Conversation, tools: Sequence[ToolSchema], remark: Callable[[str], None]
    ) -> Request:
        config = self._config
        history = asking(conversation.to_api())
        spelled = (
            respell_calls(history, self.origin, {tool.name for tool in tools}) if tools else tools_as_text(history)
        )
        messages, fingerprint = own_thinking(spelled, self.origin, _opening(self._system, tools))
        conversation.asked(self.origin, fingerprint)
        return Request(
            model=config.model,
            system=self._system,
            messages=tuple(messages),
            tools=tuple(tools),
            max_output_tokens=config.max_output_tokens,
            temperature=config.temperature,
            effort=config.effort,
            thinking=config.thinking,
            conversation=conversation.id if config.prompt_cache else "",
            remark=remark,
        )


def _opening(system: str, tools: Sequence[ToolSchema]) -> str:
    """What stands before the history, spelled the same way each time."""
    return json.dumps([system, [(tool.name, tool.description, dict(tool.parameters)) for tool in tools]])
