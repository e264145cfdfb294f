"""From flags and configuration to a client: what `chat` and `once` share."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mewcode.config.load import load_settings
from mewcode.config.settings import NoKey, ProviderEntry, Settings
from mewcode.errors import ConfigError
from mewcode.llm.registry import create_client
from mewcode.prompt import system_prompt

if TYPE_CHECKING:
    from mewcode.llm.client import LLMClient, ProviderConfig
    from mewcode.log import Log


@dataclass(frozen=True, slots=True)
class Options:
    """The flags of `chat` and `once`, as given; None where one was not."""

    config: Path | None = None
    provider: str | None = None
    local: str | None = None  # "" is the packaged model
    model: str | None = None
    max_tokens: int | None = None
    effort: str | None = None
    thinking: bool | None = None
    system: str | None = None


class Launcher:
    """Reads the configuration once; then makes a client of any of its entries."""

    def __init__(self, options: Options, log: Log) -> None:
        """Raises: ConfigError."""
        self._options = options
        self._log = log
        self.warnings: list[str] = []
        self.settings = self._read()
        given = (options.system, self.settings.system_prompt)
        self.system = next((text for text in given if text is not None), None)  # None: our own

    @property
    def asked_for_one(self) -> bool:
        """Whether a flag named an entry: then there is nothing to pick from."""
        return self._options.provider is not None

    def choose(self) -> ProviderEntry:
        """The entry that flags and configuration name. Raises: ProviderChoiceError."""
        return self.settings.choose(self._options.provider)

    def entries(self) -> list[ProviderEntry]:
        """Every entry with the model that would answer, for a list to choose from."""
        with contextlib.suppress(ConfigError):  # without the packaged model the entry says so when it is chosen
            return [self._with_model(entry) for entry in self.settings.providers]
        return list(self.settings.providers)

    def _with_model(self, entry: ProviderEntry) -> ProviderEntry:
        model = self._options.model or entry.model or _packaged_model()
        return entry if model == entry.model else replace(entry, model=model, price=None)

    def prompt(self) -> str:
        """The system prompt of the clients that are made now."""
        return system_prompt(_current_directory()) if self.system is None else self.system

    def client(self, entry: ProviderEntry, model: str | None = None) -> LLMClient:
        """`model` goes before the entry's and the flag's. Raises: ConfigError when the entry's key is not there."""
        config = self._overridden(entry.resolve(os.environ))
        if model is not None:
            config = replace(config, model=model)
        for secret in config.secrets:
            self._log.hide(secret)
        return create_client(config, self.prompt())

    def _read(self) -> Settings:
        if self._options.local is not None:
            return Settings((ProviderEntry("local", "local", self._options.local, NoKey()),))
        settings, self.warnings = load_settings(self._options.config, _current_directory())
        return settings

    def _overridden(self, config: ProviderConfig) -> ProviderConfig:
        options = self._options
        return replace(
            config,
            model=options.model or config.model or _packaged_model(),
            max_output_tokens=options.max_tokens or config.max_output_tokens,
            effort=options.effort or config.effort,
            thinking=config.thinking if options.thinking is None else options.thinking,
        )


def _packaged_model() -> str:
    """What an entry without a model means: only `local` may have none. Raises: ConfigError when it is not installed."""
    from mewcode.providers.local import default_model

    return str(default_model())


def _current_directory() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise ConfigError("the current directory has been deleted; change to one that is there") from None
