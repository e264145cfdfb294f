"""Calls that a gateway split: each piece came as a call of its own, with another id and the name once more.

Nothing may run with arguments that are not its own: what cannot be put together without doubt stays broken.
"""

from __future__ import annotations

import json
import re

from mewcode.providers._calls import is_nothing, is_whole

_EMPTY = "{}"
_BLANKS = re.compile(r"\s*")


def joined(raws: list[str], *, cut: bool) -> list[tuple[int, str]]:
    """The calls that the raw arguments of such neighbours make: the place of the first one of each, and its arguments.

    Where others have arguments, one without any is the beginning or the end of another, and is no call. `cut`: the
    last one is not all there.
    """
    if all(map(is_nothing, raws)):
        return list(enumerate(raws))
    calls = [(place, raw) for place, raw in enumerate(raws) if not is_nothing(raw) or (cut and place == len(raws) - 1)]
    if cut or all(is_whole(raw) for _, raw in calls):
        return calls
    whole = _put_together([raw for _, raw in calls])
    return [(calls[first][0], raw) for first, raw in whole if raw.strip() != _EMPTY] if whole else calls


def _put_together(pieces: list[str]) -> list[tuple[int, str]]:
    """Objects, each made of whole pieces, with the place of its first; none where the pieces do not come out even."""
    starts: dict[int, int] = {}
    length = 0
    for place, piece in enumerate(pieces):
        starts[length] = place
        length += len(piece)
    text, begin, found = "".join(pieces), 0, []
    while begin < length:
        try:
            _, end = json.JSONDecoder().raw_decode(text, _beyond_blanks(text, begin))
        except (ValueError, RecursionError):
            return []
        end = _beyond_blanks(text, end)
        if end not in starts and end != length:
            return []
        found.append((starts[begin], text[begin:end]))
        begin = end
    return found if all(is_whole(raw) for _, raw in found) else []


def _beyond_blanks(text: str, place: int) -> int:
    blanks = _BLANKS.match(text, place)
    return blanks.end() if blanks else place
