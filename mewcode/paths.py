"""Where mewcode's own files live: the XDG places. Nothing here opens a file or creates a directory."""

from __future__ import annotations

import os
from pathlib import Path


def config_home() -> Path:
    return _xdg("XDG_CONFIG_HOME", ".config")


def state_home() -> Path:
    """The log, trust and kept conversations; never settings."""
    return _xdg("XDG_STATE_HOME", ".local/state")


def user_config() -> Path:
    return config_home() / "config.yaml"


def project_config(cwd: Path) -> Path:
    return cwd / ".mewcode" / "config.yaml"


def _xdg(variable: str, fallback: str) -> Path:
    # a relative value is invalid and is to be ignored. Source: XDG Base Directory Specification 0.8
    value = os.environ.get(variable, "")
    root = Path(value) if os.path.isabs(value) else Path(os.path.expanduser("~"), fallback)
    return root / "mewcode"
