"""From a command line's wishes to settings: which file, what it holds, and what a project file may not do."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from mewcode.config.document import read_document
from mewcode.config.keys import EnvKey, LiteralKey, named
from mewcode.config.place import Place, shown
from mewcode.config.schema import read_settings
from mewcode.config.source import read
from mewcode.errors import ConfigError
from mewcode.paths import project_config, user_config
from mewcode.text import clean

if TYPE_CHECKING:
    from pathlib import Path

    from mewcode.config.settings import ProviderEntry, Settings
    from mewcode.config.source import Source


def find(config: Path | None, cwd: Path) -> Path:
    """The first of: the file asked for, the project's, the user's. Raises: ConfigError."""
    if config is not None:
        return config
    places = (project_config(cwd), user_config())
    for path in places:
        if os.path.isfile(path):  # a pipe left in a project's folder would block
            return path
    raise ConfigError(
        f"no config file: neither {shown(places[0])} nor {shown(places[1])} is there; copy config.yaml.example of the"
        " project to one of them and edit it, or run mewcode --local, which needs none"
    )


def load(path: Path) -> Settings:
    """The settings of a file, which is read once. Raises: ConfigError."""
    return _settings(read(path))


def load_settings(config: Path | None, cwd: Path) -> tuple[Settings, list[str]]:
    """The settings to use and the warnings to show, a sentence each. Raises: ConfigError."""
    source = read(find(config, cwd))
    settings = _settings(source)
    if config is None and source.path == project_config(cwd):
        for entry in settings.providers:
            _refuse_foreign(entry)
    return settings, _warnings(source, settings)


def _settings(source: Source) -> Settings:
    return read_settings(read_document(source), source.path)


def _refuse_foreign(entry: ProviderEntry) -> None:
    """Anybody may have written a project's file: it takes no secret from outside itself, and runs nothing."""
    match entry.key:
        case EnvKey(variable, place):
            raise _foreign(place, f"take {named(variable)} from the environment", "write the key here")
        case _:
            pass
    for header in entry.headers:
        for variable in header.variables:
            raise _foreign(header.place, f"take {named(variable)} from the environment", "write the value here")
    if entry.protocol == "local" and entry.model and entry.place:
        raise _foreign(entry.place, "run a model file", "remove `model`")


def _foreign(place: Place, deed: str, way_out: str) -> ConfigError:
    return place.error(f"a project file may not {deed}: pass the file with -c if you trust it, or {way_out}")


def _warnings(source: Source, settings: Settings) -> list[str]:
    if not source.open_to_others or not any(_holds_key(entry) for entry in settings.providers):
        return []
    command = clean(f"chmod 600 {shlex.quote(str(source.path))}")
    return [f"{shown(source.path)} holds a key and is open to other users: run {command}"]


def _holds_key(entry: ProviderEntry) -> bool:
    match entry.key:
        case LiteralKey():
            return True
        case _:
            return False
