"""What a server says when it refuses, in whatever shape it says so: an object, a list, a text, a page of HTML.

Nothing here is fit for a terminal yet: text.one_line makes it so. Source: payloads of the protocol notes, 2026-11.
"""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Any

from mewcode.providers._json import dig, items

if TYPE_CHECKING:
    from collections.abc import Iterator

# What is looked at, in characters: a body may hold a megabyte, a sentence does not. The number of html.unescape() may
# have 4,300 digits (Python 3.11), and fewer fit here.
_LONGEST = 4_000
_PAGE = 64_000
_DEEPEST = 8
_MOST = 3  # complaints of one list
_KEYS = ("error", "message", "detail", "msg", "errors")  # from the most telling to the least
_NO_WORDS = ("none", "null", "undefined")  # a server's own missing value, printed

_NAMES = (
    "a|article|b|body|br|center|code|div|em|font|footer|form|h[1-6]|head|header|hr|html|i|img|li|link|main|meta|nav|ol|p"
    "|pre|script|section|small|span|strong|style|table|tbody|td|th|title|tr|u|ul"
)
_TELLING = re.compile(r'"(type|code|message)"\s*:\s*"((?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}){0,4000})')
_TAG = re.compile(rf"<(?:!|/?(?:{_NAMES})\b)[^<>]*>", re.IGNORECASE)
_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
_UNSEEN = re.compile(r"</?(?:script|style)\b[^<>]*>", re.IGNORECASE)


def parse(text: str) -> Any:
    """A body as JSON where it is JSON, else as it is; None for one that is nested too deep to be anything."""
    try:
        return json.loads(text)
    except RecursionError:
        return None
    except ValueError:
        return _cut(text) or text


def _cut(text: str) -> dict[str, Any] | None:
    """What tells in an object that was not read to its end, as in a body that only began to be read."""
    if not text.lstrip().startswith("{"):
        return None
    pairs = reversed(_TELLING.findall(text[:_PAGE]))  # the first one of a name counts
    found = {key: json.loads(f'"{value}"') for key, value in pairs if value != "error"}
    return {"error": found} if "message" in found else None


def words_of(body: object) -> str:
    """The sentence in a body; empty where there is none."""
    return _found(_unwrapped(body)).strip()


def codes_of(body: object) -> list[str]:
    """Everything in a body that stands for a kind of error, the outer before the inner, each once."""
    outer = _unwrapped(body)
    inner = dig(outer, "error")
    return list(dict.fromkeys(str(code)[:100] for code in _codes(outer, inner) if _is_code(code)))


def request_id_of(body: object) -> str | None:
    """The request's name where it stands in the body (Anthropic)."""
    found = dig(_unwrapped(body), "request_id")
    return found if isinstance(found, str) and found else None


def _unwrapped(body: object) -> object:
    return body[0] if isinstance(body, list) and body else body  # Gemini's endpoint wraps the object


def _codes(outer: object, inner: object) -> Iterator[object]:
    yield dig(inner, "details", "error_code")  # Anthropic
    for part in (outer, inner):
        yield from (dig(part, key) for key in ("type", "status", "code"))
    yield from (detail.get("reason") for detail in items(inner, "details"))  # Gemini


def _is_code(value: object) -> bool:
    return bool(value) and isinstance(value, (str, int)) and not isinstance(value, bool)


def _found(value: object, depth: int = 0) -> str:
    if depth > _DEEPEST:
        return ""
    match value:
        case str():
            return _said(value, depth)
        case {"loc": list(path), "msg": str(complaint)}:  # what pydantic says of a field: Mistral, vLLM, LiteLLM
            return f"{'.'.join(str(step) for step in path if isinstance(step, (str, int)))}: {complaint}"[:_LONGEST]
        case list():
            return "; ".join(filter(None, (_found(item, depth + 1) for item in value[:_MOST])))
        case dict():
            words = next(filter(None, (_found(value.get(key), depth + 1) for key in _KEYS)), "")
            raw = _found(dig(value, "metadata", "raw"), depth + 1)  # OpenRouter: the inner provider's own words
            return ": ".join(filter(None, (words, raw)))
    return ""


def _said(text: str, depth: int) -> str:
    """A text: of JSON its inner message only, of a page its title."""
    if text.lstrip()[:1] in ("{", "["):
        inner = parse(text)
        return (text if isinstance(inner, str) else _found(inner, depth + 1))[:_LONGEST]
    text = _without_tags(text)
    return "" if text.strip().lower() in _NO_WORDS else text


def _without_tags(text: str) -> str:
    """The title of a page, else its text."""
    text = text[:_PAGE]
    if not _TAG.search(text):
        return text[:_LONGEST]
    title = _TITLE.search(text)
    seen = title[1] if title and title[1].strip() else "".join(_UNSEEN.split(text)[::2])
    return _TAG.sub(" ", html.unescape(_TAG.sub(" ", seen)[:_LONGEST]))
