"""The environment's proxies, checked before the screen is taken and before anything is sent."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mewcode.config.url import is_proxy
from mewcode.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCHEMES = ("http", "https", "all")


def environment_proxy(environ: Mapping[str, str], base_url: str | None) -> str | None:
    """The proxy for this endpoint: a URL, `none` where NO_PROXY says so, None when the environment names none.

    Raises: ConfigError for any proxy variable that cannot be used, with its name; its value may hold a password.
    """
    found = {scheme: _variable(environ, f"{scheme}_proxy") for scheme in _SCHEMES}
    set_ones = {scheme: variable for scheme, variable in found.items() if variable is not None}
    if not set_ones:
        return None
    parts = urlsplit(base_url or "https://")
    if _bypassed(environ, parts.hostname or ""):
        return "none"
    for name in set_ones.values():
        _check(name, environ[name])
    chosen = set_ones.get(parts.scheme) or set_ones.get("all")
    return environ[chosen] if chosen else "none"


def _variable(environ: Mapping[str, str], name: str) -> str | None:
    """The variable that holds it, in lower or upper case; an empty one is none."""
    return next((spelled for spelled in (name, name.upper()) if environ.get(spelled)), None)


def _bypassed(environ: Mapping[str, str], host: str) -> bool:
    name = _variable(environ, "no_proxy")
    if name is None or not host:
        return False
    from urllib.request import proxy_bypass  # 30 ms, which only those pay who need it

    return bool(proxy_bypass(host, {"no": environ[name]}))


def _check(name: str, value: str) -> None:
    way_out = "correct or unset it, or set `proxy: none`"
    if not is_proxy(value):
        wanted = "it must begin with http://, https:// or socks5:// and name a host"
        raise ConfigError(f"{name} is not a proxy that can be used: {wanted}; {way_out}")
    if value.lower().startswith("socks") and find_spec("socksio") is None:
        raise ConfigError(f"{name} asks for SOCKS, for which the package socksio is missing; install it, or {way_out}")
