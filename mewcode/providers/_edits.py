"""Bodies with one field less or another value, and the words in which a server names a field that it does not take."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mewcode.providers._heal import Remedy

if TYPE_CHECKING:
    from mewcode.providers._heal import Body

NEVER_TAKEN = (
    r"unsupported|(?:not|n't) (?:be )?support|unrecogni[sz]ed|unknown(?!_error)|deprecated|removed|additional propert"
    r"|unexpected (?:keyword|argument|parameter|field|property)|extra (?:inputs?|fields?|param)|extra_forbidden"
    r"|not (?:permitted|allowed|available)|not a valid (?:parameter|field|argument)"
    r"|only the default|only \S{1,40} is (?:allowed|supported)|only be set to|不支持"
)
REST = r"(?:(?![.;!] |[}。；]).){0,200}?"  # of the same sentence: the next one speaks of another field


def pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE | re.DOTALL)


def complaint(named: str, verbs: str = NEVER_TAKEN) -> str:
    return rf"{named}{REST}(?:{verbs})|(?:{verbs}){REST}{named}"


def refused(name: str) -> str:
    """The words name the field and say that it is not taken at all: a value out of range is the user's to mend."""
    return complaint(rf"(?<!\w){re.escape(name)}(?!\w)")


def without(body: Body, *path: str) -> Body | None:
    """The body with one field less; None when it is not there. What it leaves empty goes too."""
    name, *rest = path
    if name not in body:
        return None
    others = {key: value for key, value in body.items() if key != name}
    if not rest:
        return others
    inner = without(body[name], *rest) if isinstance(body[name], dict) else None
    if inner is None:
        return None
    return {**body, name: inner} if inner else others


def altered(body: Body, value: Any, *path: str) -> Body:
    name, *rest = path
    return {**body, name: altered(body[name], value, *rest) if rest else value}


def dropping(*path: str, remark: str | None = None, says: re.Pattern[str] | None = None) -> Remedy:
    return Remedy(
        ".".join(path),
        says or pattern(refused(path[-1])),
        lambda body, request, refusal: without(body, *path),
        remark=lambda before, after, request: remark and f"{request.model} does not take {remark}: left out.",
    )
