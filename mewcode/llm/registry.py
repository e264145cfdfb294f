"""Which module speaks which protocol.

A protocol's module registers itself when it is imported, and it is imported by its name, on first use, in a worker:
a new provider is one new file, and no SDK loads before it is needed. This is the one registry there is.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import pkgutil
from typing import TYPE_CHECKING

from mewcode.errors import ConfigError
from mewcode.llm.client import Client

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from mewcode.llm.client import LLMClient, Provider, ProviderConfig

_PACKAGE = "mewcode.providers"
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

    Raises: ConfigError for a protocol that no module speaks.
    """
    if config.protocol not in protocols():
        raise ConfigError(f"unknown protocol `{config.protocol}`: use one of {', '.join(protocols())}")
    return Client(config, system_prompt, _make_provider)


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
