"""The config as values: checked, but with its variables not looked up yet."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from mewcode.config.keys import EnvKey, Header, KeyRef, LiteralKey, NoKey, source_of
from mewcode.config.place import Place, shown
from mewcode.config.proxy import environment_proxy
from mewcode.errors import ConfigError
from mewcode.llm.client import ProviderConfig
from mewcode.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mewcode.price import Price
    from mewcode.secret import Secret

__all__ = [
    "EnvKey",
    "Header",
    "KeyRef",
    "LiteralKey",
    "NoKey",
    "ProviderChoiceError",
    "ProviderEntry",
    "Settings",
    "Ui",
]

Theme: TypeAlias = Literal["auto", "dark", "light", "mono"]
OnExit: TypeAlias = Literal["transcript", "nothing"]
Motion: TypeAlias = Literal["full", "none"]
THEMES: tuple[Theme, ...] = get_args(Theme)
ON_EXIT: tuple[OnExit, ...] = get_args(OnExit)
MOTIONS: tuple[Motion, ...] = get_args(Motion)


class ProviderChoiceError(ConfigError):
    """The provider asked for is not there, or none was asked for and there are several: a matter of usage."""


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """One item of `providers:`. Paths are absolute; `place` is None when no file says this.

    `proxy` is a URL, `none` to use no proxy whatever the environment says, or None for the environment's.
    """

    name: str
    protocol: str
    model: str
    key: KeyRef
    base_url: str | None = None
    thinking: bool | None = None
    effort: str | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    headers: tuple[Header, ...] = ()
    ca_bundle: str | None = None
    proxy: str | None = field(default=None, repr=False)  # may hold a password
    allow_http: bool = False
    connect_timeout: float = 10.0
    idle_timeout: float = 180.0
    total_timeout: float | None = None
    max_retries: int = 9
    prompt_cache: bool = True
    price: Price | None = None  # of the entry's own model
    index: int = 0
    place: Place | None = None

    def resolve(self, environ: Mapping[str, str]) -> ProviderConfig:
        """The entry with its variables looked up. Raises: ConfigError, which names the variable and the line."""
        if self.ca_bundle is not None and not os.path.isfile(self.ca_bundle):
            raise self._error("ca_bundle is not a file; give the path of a PEM file")
        return ProviderConfig(
            name=self.name,
            protocol=self.protocol,
            model=self.model,
            api_key=self._read_key(environ),
            key_source=source_of(self.key),
            base_url=self.base_url,
            thinking=self.thinking,
            effort=self.effort,
            max_output_tokens=self.max_output_tokens,
            temperature=self.temperature,
            headers={header.name: header.read(environ, self._label) for header in self.headers},
            ca_bundle=self.ca_bundle,
            proxy=self.proxy or environment_proxy(environ, self.base_url),
            connect_timeout=self.connect_timeout,
            idle_timeout=self.idle_timeout,
            total_timeout=self.total_timeout,
            max_retries=self.max_retries,
            prompt_cache=self.prompt_cache,
        )

    def _read_key(self, environ: Mapping[str, str]) -> Secret | None:
        match self.key:
            case EnvKey():
                return self.key.read(environ, self._label)
            case LiteralKey(secret):
                return secret
            case NoKey():
                return None

    @property
    def _label(self) -> str:
        return f"providers[{self.index}] `{self.name}`"

    def _error(self, sentence: str) -> ConfigError:
        sentence = f"{self._label}: {sentence}"
        return ConfigError(sentence) if self.place is None else self.place.error(sentence)


@dataclass(frozen=True, slots=True)
class Ui:
    """How the chat begins: the keys of `ui:`. What a command switches later is the chat's own.

    `theme` auto takes what the terminal has, mono no colour at all; `motion` none keeps the status line still.
    `timestamps` and `thinking` show them; `on_exit` is what stays on the main screen after the end.
    """

    theme: Theme = "auto"
    mouse: bool = False
    timestamps: bool = False
    thinking: bool = False
    on_exit: OnExit = "transcript"
    motion: Motion = "full"


@dataclass(frozen=True, slots=True)
class Settings:
    """A whole config; `path` is None when no file was read."""

    providers: tuple[ProviderEntry, ...]
    default: str | None = None
    system_prompt: str | None = None
    path: Path | None = None
    ui: Ui = field(default_factory=Ui)

    def choose(self, name: str | None) -> ProviderEntry:
        """The entry of this name; without one the default, or the only one. Raises: ProviderChoiceError."""
        wanted = name if name is not None else self.default
        for entry in self.providers:
            if entry.name == wanted or (wanted is None and len(self.providers) == 1):
                return entry
        known = ", ".join(entry.name for entry in self.providers)
        where = shown(self.path) if self.path else "the config"
        if wanted is None:
            raise ProviderChoiceError(f"{where} has several providers and no default: choose one with -p: {known}")
        raise ProviderChoiceError(f"{where} has no provider `{one_line(wanted, 40)}`: choose one with -p: {known}")
