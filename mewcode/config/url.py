"""URLs of the config: where a key and a conversation may go."""

from __future__ import annotations

import ipaddress
import re

# Narrow on purpose: what two URL parsers could read as two different hosts does not pass.
_HOST = r"(?P<host>\w(?:[\w.-]*\w)?\.?|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
_ENDPOINT = re.compile(rf"(?P<scheme>https?)://{_HOST}(?P<path>[/?][!-~]*)?", re.IGNORECASE)
_PROXY = re.compile(rf"(?P<scheme>https?|socks5h?)://([^\s/@\\]+@)?{_HOST}/?", re.IGNORECASE)


def is_endpoint(url: str) -> bool:
    """An http(s) URL with a host, without user and fragment. A query may be in it, such as Azure's api-version."""
    found = _ENDPOINT.fullmatch(url)
    return found is not None and _sound(found) and not re.search(r"[#\\]", url)


def is_proxy(url: str) -> bool:
    """A user and a password may be in it."""
    found = _PROXY.fullmatch(url)
    return found is not None and _sound(found)


def is_exposed(url: str) -> bool:
    """Whether an endpoint is plain http to a host that is not this one."""
    found = _ENDPOINT.fullmatch(url)
    if found is None or found["scheme"].lower() == "https":
        return False
    host = found["host"].strip("[]").lower()
    return host != "localhost" and not _is_loopback(host)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _sound(found: re.Match[str]) -> bool:
    if found["port"] and not 0 < int(found["port"]) < 65536:
        return False
    host = found["host"]
    if not host.startswith("["):
        return ".." not in host
    try:
        ipaddress.IPv6Address(host.strip("[]"))
    except ValueError:
        return False
    return True
