"""How long a server asks to wait. The header is the server's to write: what is not a good value counts as none."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_NUMBER = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?")  # whole in RFC 9110; some servers send a fraction
_DATE = re.compile(r"[A-Z][a-z]{2,8},? [ -:A-Za-z]{15,30}")
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait; None when no good value is there. The headers' names are in lower case, `now` is aware.

    A date is measured against the server's own clock where it tells its time. Source: RFC 9110 10.2.3;
    `retry-after-ms`: openai 3.57, anthropic 2.14.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds:  # none at all says nothing
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    return _until(value, _date(headers.get("date", "")) or now) if seconds is None else seconds


def in_words(seconds: float) -> str:
    """A time as a person says it, rounded up: "16 days", "1 hour 30 minutes"."""
    grain = 3_600 if seconds > 86_400 else 60 if seconds > 3_600 else 1
    rest = math.ceil(seconds / grain) * grain
    parts = []
    for size, unit in _UNITS:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count:,} {unit}{'' if count == 1 else 's'}")
    return " ".join(parts) or "0 seconds"


def _number(value: str) -> float | None:
    value = value.strip(" \t")
    return float(value) if _NUMBER.fullmatch(value) else None


def _until(value: str, start: datetime) -> float | None:
    moment = _date(value)
    wait = (moment - start).total_seconds() if moment else -1.0
    return wait if wait >= 0 else None


def _date(value: str) -> datetime | None:
    """An HTTP date in any of its three forms. Not strptime: its names of months follow the user's locale."""
    value = value.strip(" \t")
    if not _DATE.fullmatch(value):
        return None
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)  # asctime names no zone
