"""The schema: which keys there are, what each may hold, and what does not go together."""

from __future__ import annotations

import math
import os
import re
from typing import TYPE_CHECKING

from mewcode.config import url
from mewcode.config.credentials import read_headers, read_key
from mewcode.config.document import Scalar, Table
from mewcode.config.fields import Fields
from mewcode.config.settings import MOTIONS, ON_EXIT, THEMES, ProviderEntry, Settings, Ui
from mewcode.llm.models import EFFORTS
from mewcode.price import Price

if TYPE_CHECKING:
    from pathlib import Path

    from mewcode.config.document import Node
    from mewcode.config.place import Place

TOP_KEYS = ("providers", "default", "system_prompt", "ui")
ENTRY_KEYS = (
    *("name", "protocol", "model", "api_key", "api_key_env", "base_url"),
    *("thinking", "effort", "max_output_tokens", "temperature"),
    *("headers", "ca_bundle", "proxy", "allow_http"),
    *("connect_timeout", "idle_timeout", "total_timeout", "max_retries", "prompt_cache", "price"),
)
PRICE_KEYS = ("input", "output", "cache_read", "cache_write")
UI_KEYS = ("theme", "mouse", "timestamps", "thinking", "on_exit", "motion")
_AT_TOP = dict.fromkeys(TOP_KEYS, "at the top of the file, not indented")
_IN_ENTRY = dict.fromkeys(ENTRY_KEYS, "in an item of `providers:`")
_IN_UI = dict.fromkeys(UI_KEYS, "under `ui:`")
PROTOCOLS = ("anthropic", "openai", "openai-compat", "local")


def read_settings(root: Node, path: Path) -> Settings:
    """A document as settings. Raises: ConfigError."""
    match root:
        case Table():
            top = Fields(root, TOP_KEYS, _IN_UI | _IN_ENTRY)
        case Scalar(value=None, place=place):
            raise place.error("the file is empty: config.yaml.example shows what it can hold")
        case _:
            raise root.place.error("the file must be a mapping: begin it with `providers:`")
    entries = _read_entries(top, path)
    default = top.text("default")
    if default is not None and default not in [entry.name for entry in entries]:
        raise top.error("default", "must be the `name` of an item of `providers:`")
    return Settings(entries, default, top.prose("system_prompt"), path, _read_ui(top))


def _read_ui(top: Fields) -> Ui:
    table = top.table("ui")
    if table is None:
        return Ui()
    fields = Fields(table, UI_KEYS, _IN_ENTRY | _AT_TOP)
    built_in = Ui()
    return Ui(
        theme=fields.choice("theme", THEMES) or built_in.theme,
        mouse=bool(fields.flag("mouse")),
        timestamps=bool(fields.flag("timestamps")),
        thinking=bool(fields.flag("thinking")),
        on_exit=fields.choice("on_exit", ON_EXIT) or built_in.on_exit,
        motion=fields.choice("motion", MOTIONS) or built_in.motion,
    )


def _read_entries(top: Fields, path: Path) -> tuple[ProviderEntry, ...]:
    items = top.items("providers")
    if items is None:
        raise top.error("providers", "is missing: list at least one provider under it")
    if not items.nodes:
        raise top.error("providers", "is empty: list at least one provider under it")
    entries: list[ProviderEntry] = []
    places: dict[str, Place] = {}
    for index, node in enumerate(items.nodes):
        match node:
            case Table():
                fields = Fields(node, ENTRY_KEYS, _IN_UI | _AT_TOP)
            case _:
                raise node.place.error("a provider must be a mapping: begin it with `- name:`")
        entry = _read_entry(fields, index, path)
        if entry.name in places:
            raise fields.error("name", f"is taken by the provider of line {places[entry.name].line}: choose another")
        places[entry.name] = fields.start
        entries.append(entry)
    return tuple(entries)


def _read_entry(fields: Fields, index: int, path: Path) -> ProviderEntry:
    protocol = _read_protocol(fields)
    return ProviderEntry(
        name=_read_name(fields),
        protocol=protocol,
        model=_read_model(fields, protocol, path),
        key=read_key(fields, protocol),
        base_url=_read_base_url(fields, protocol),
        thinking=fields.flag("thinking"),
        effort=fields.choice("effort", EFFORTS),
        max_output_tokens=fields.whole("max_output_tokens"),
        temperature=_read_temperature(fields, protocol),
        headers=read_headers(fields),
        ca_bundle=_beside(path, fields.text("ca_bundle")),
        proxy=_read_proxy(fields),
        allow_http=bool(fields.flag("allow_http")),
        connect_timeout=_read_seconds(fields, "connect_timeout") or 10.0,
        idle_timeout=_read_seconds(fields, "idle_timeout") or 180.0,
        total_timeout=_read_seconds(fields, "total_timeout"),
        max_retries=_read_retries(fields),
        prompt_cache=fields.flag("prompt_cache") is not False,
        price=_read_price(fields),
        index=index,
        place=fields.start,
    )


def _read_price(entry: Fields) -> Price | None:
    table = entry.table("price")
    if table is None:
        return None
    fields = Fields(table, PRICE_KEYS, _IN_ENTRY | _IN_UI | _AT_TOP)
    words = "the dollars that a million tokens cost, 0 or more"
    found = {key: fields.number(key, words, lambda price: 0 <= price < math.inf) for key in PRICE_KEYS}
    for key in ("input", "output"):
        if found[key] is None:
            raise fields.error(key, f"is missing in this price: give {words}")
    return Price(found["input"] or 0.0, found["output"] or 0.0, found["cache_read"], found["cache_write"])


def _required(fields: Fields, key: str, hint: str) -> str:
    text = fields.text(key)
    if text is None:
        raise fields.error(key, f"is missing in this provider: {hint}")
    return text


def _looks_like_a_key(name: str) -> bool:
    """A long run of letters and digits, as vendors make them: a name is shown on the screen and in errors."""
    return re.search(r"(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{24,}", name) is not None


def _read_name(fields: Fields) -> str:
    name = _required(fields, "name", "give it a short name")
    if _looks_like_a_key(name):
        raise fields.error("name", "looks like a key: give a short name here, and the key as `api_key`")
    if len(name) > 40:
        raise fields.error("name", "is too long for the status bar: use at most 40 characters")
    return name


def _read_protocol(fields: Fields) -> str:
    protocol = _required(fields, "protocol", f"use one of {', '.join(PROTOCOLS)}")
    if protocol in PROTOCOLS:
        return protocol
    from mewcode.llm.registry import protocols  # imports pkgutil, 20 ms, which nobody else needs at the start

    known = sorted({*PROTOCOLS, *protocols()})
    if protocol not in known:
        raise fields.error("protocol", f"must be one of {', '.join(known)}")
    return protocol


def _read_model(fields: Fields, protocol: str, path: Path) -> str:
    if protocol == "local":
        return _beside(path, fields.text("model")) or ""
    return _required(fields, "model", "name the model, in full or by its short name")


def _read_base_url(fields: Fields, protocol: str) -> str | None:
    address = fields.text("base_url")
    if address is None:
        return None
    if protocol == "local":
        raise fields.error("base_url", "does not go with protocol local, which runs its own server: remove the line")
    if not url.is_endpoint(address):
        raise fields.error("base_url", "must be http:// or https:// and a host, without user or blanks")
    if url.is_exposed(address) and not fields.flag("allow_http"):
        raise fields.error(
            "base_url", "is plain http to another machine: use https://, or add `allow_http: true` to this provider"
        )
    return address


def _read_temperature(fields: Fields, protocol: str) -> float | None:
    temperature = fields.number("temperature", "a number from 0 to 2", lambda number: 0 <= number <= 2)
    if temperature is not None and protocol == "anthropic":
        raise fields.error("temperature", "does not go with protocol anthropic, which has none: remove the line")
    return temperature


def _read_proxy(fields: Fields) -> str | None:
    proxy = fields.text("proxy")
    if proxy is None or proxy == "none" or url.is_proxy(proxy):
        return proxy
    raise fields.error("proxy", "must be `none` or http://, https:// or socks5:// and a host: mend the address")


def _read_retries(fields: Fields) -> int:
    retries = fields.number("max_retries", "a whole number from 0 to 100", lambda number: number in range(101))
    return 9 if retries is None else int(retries)


def _read_seconds(fields: Fields, key: str) -> float | None:
    # a socket's timeout overflows far above a day
    return fields.number(key, "a number of seconds above 0 and up to 86400", lambda number: 0 < number <= 86_400)


def _beside(path: Path, text: str | None) -> str | None:
    """A path of the file: `~` is the home directory, a relative one begins at the config's folder."""
    return None if text is None else os.path.abspath(path.absolute().parent / os.path.expanduser(text))
