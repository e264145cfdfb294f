"""Which module speaks which protocol.

A protocol's module registers itself when it is imported, and it is imported by its name, on first use, in a worker:
a new provider is one new file, and no SDK loads before it is needed. This is the one registry there is.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import pkgutil
import re
from typing import TYPE_CHECKING

from mewcode.errors import ConfigError
from mewcode.llm.client import Client

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from mewcode.llm.client import LLMClient, Provider, ProviderConfig
    from mewcode.secret import Secret

_PACKAGE = "mewcode.providers"
_HTTP = re.compile(r"\s*https?://[^/?#\s]", re.IGNORECASE)
_factories: dict[str, Callable[[ProviderConfig], Provider]] = {}


def register(protocol: str, factory: Callable[[ProviderConfig], Provider]) -> None:
    """Say how a provider of this protocol is made. Called by the protocol's module when it is imported."""
    _factories[protocol] = factory


def protocols() -> list[str]:
    """Every protocol there is, without importing one."""
    path = importlib.import_module(_PACKAGE).__path__
    files = {module.name.replace("_", "-") for module in pkgutil.iter_modules(path) if module.name[0] != "_"}
    return sorted(files | set(_factories))


def create_client(config: ProviderConfig, system_prompt: str) -> LLMClient:
    """A client for this entry; cheap, since the protocol's module is imported by the first turn, or by `warm()`.

    Raises: ConfigError for a protocol that no module speaks, or for what no request could carry.
    """
    if config.protocol not in protocols():
        raise ConfigError(f"unknown protocol `{config.protocol}`: use one of {', '.join(protocols())}")
    _check(config)
    return Client(config, system_prompt, _make_provider)


def _check(config: ProviderConfig) -> None:
    """What the configuration's schema refuses with its line; here for callers that have no file."""
    if not _HTTP.match(config.base_url or "https://host"):
        raise ConfigError(f"{config.name}: base_url must begin with http:// or https:// and name a host")
    if config.api_key is not None and not _is_sendable(config.api_key):
        raise ConfigError(f"{config.name}: the key holds a line break or another character that no header may hold")
    for header, value in config.headers.items():
        if not _is_sendable(value):
            raise ConfigError(f"{config.name}: the header {header} holds a character that no header may hold")


def _is_sendable(value: Secret) -> bool:
    return value.reveal().isascii() and value.reveal().isprintable()


def _make_provider(config: ProviderConfig) -> Provider:
    if config.protocol not in _factories:
        with _collector_off():
            importlib.import_module(f"{_PACKAGE}.{config.protocol.replace('-', '_')}")
    return _factories[config.protocol](config)


@contextlib.contextmanager
def _collector_off() -> Generator[None, None, None]:
    """An SDK's import makes a hundred thousand objects that stay: looking them over costs a fifth of its time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
