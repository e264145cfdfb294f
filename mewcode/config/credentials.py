"""A provider's key and headers as a config writes them. Variables are found here, and looked up much later."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mewcode.config.fields import Fields
from mewcode.config.keys import REFERENCE, EnvKey, Header, LiteralKey, NoKey
from mewcode.secret import Secret

if TYPE_CHECKING:
    from mewcode.config.keys import KeyRef

_USUAL_VARIABLE = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}


def read_key(fields: Fields, protocol: str) -> KeyRef:
    """Raises: ConfigError, also for an entry that names no key."""
    if protocol == "local":
        for key in ("api_key", "api_key_env"):
            if key in fields:
                raise fields.error(key, "does not go with protocol local, which needs no key: remove the line")
        return NoKey()
    if "api_key" in fields and "api_key_env" in fields:
        raise fields.error("api_key_env", "does not go with `api_key`: keep one of the two")
    if "api_key_env" in fields:
        return _read_variable(fields)
    if "api_key" in fields:
        return _read_api_key(fields)
    variable = _USUAL_VARIABLE.get(protocol, "VARIABLE")
    raise fields.start.error(
        f"this provider names no key: add `api_key: ${{{variable}}}`, or `api_key: none` if the server wants none"
    )


def _read_variable(fields: Fields) -> EnvKey:
    variable = fields.text("api_key_env") or ""
    if not REFERENCE.fullmatch(f"${{{variable}}}"):
        raise fields.error("api_key_env", "must be the name of a variable, such as ANTHROPIC_API_KEY, and nothing else")
    return EnvKey(variable, fields.place("api_key_env"))


def _read_api_key(fields: Fields) -> KeyRef:
    text = (fields.prose("api_key") or "").strip()
    place = fields.place("api_key")
    if text.lower() == "none":
        return NoKey()
    if found := REFERENCE.fullmatch(text):
        return EnvKey(found[1], place)
    if not text:
        raise fields.error("api_key", "is empty: write the key, `${VARIABLE}`, or `none` if the server wants none")
    if text.startswith("$") or "${" in text:
        raise fields.error("api_key", "must be the whole key, or `${VARIABLE}` with both braces and nothing around it")
    if not re.fullmatch(r"[!-~]+", text):
        raise fields.error("api_key", "holds a blank, a control character or a letter that no key has: copy it again")
    return LiteralKey(Secret(text), place)


def read_headers(fields: Fields) -> tuple[Header, ...]:
    """Raises: ConfigError."""
    table = fields.table("headers")
    if table is None:
        return ()
    values = Fields(table, tuple(table.entries), {})
    headers: dict[str, Header] = {}
    for name, entry in table.entries.items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):  # RFC 9110, 5.6.2
            raise entry.place.error("this is no name for a header: use letters, digits and `-`")
        if name.lower() in headers:
            raise entry.place.error("this header is here twice, in other letters: remove one")
        headers[name.lower()] = Header(name, _read_template(values, name), entry.place)
    return tuple(headers.values())


def _read_template(values: Fields, name: str) -> Secret:
    text = (values.prose(name) or "").strip()
    if not re.fullmatch(r"[ -~]+", text):
        raise values.place(name).error("a header's value must be printable ASCII in one line: mend it")
    if "${" in REFERENCE.sub("", text):
        raise values.place(name).error("a variable in a header must be written `${VARIABLE}`: mend it")
    return Secret(text)
