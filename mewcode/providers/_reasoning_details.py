"""Reasoning that a chat server sealed, as it has to go back: OpenRouter's `reasoning_details`, and gateways like it.

A stream cuts one detail into pieces, and its seal is only right for the whole: pieces of one type and index are joined
here as in an answer that was not streamed. Source: streams recorded from OpenRouter and Vercel's gateway, 2026-11.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mewcode.providers._json import number, text, well_formed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewcode.providers._http import Json

_TEXTS = ("text", "summary")


@dataclass(slots=True)
class _Detail:
    fields: Json = field(default_factory=dict)
    texts: dict[str, io.StringIO] = field(default_factory=dict)

    def grow(self, piece: Json) -> None:
        """Texts go on; of any other field the first value counts."""
        for name, value in piece.items():
            if name in _TEXTS and isinstance(value, str):
                self.texts.setdefault(name, io.StringIO()).write(value)
            if self.fields.get(name) is None:
                self.fields[name] = value

    def goes_on_with(self, piece: Json) -> bool:
        place = number(piece, "index")
        same = place is not None and place == number(self.fields, "index")
        return same and bool(self.texts) and self._kind == text(piece, "type") and not self.fields.get("signature")

    @property
    def sealed(self) -> bool:
        """A signature without its text seals nothing."""
        return bool(self.fields.get("data") or (self.fields.get("signature") and self.texts))

    @property
    def whole(self) -> Json:
        return {**self.fields, **{name: written.getvalue() for name, written in self.texts.items()}}

    @property
    def _kind(self) -> str:
        return text(self.fields, "type")


class ReasoningDetails:
    def __init__(self) -> None:
        self._details: list[_Detail] = []

    def __bool__(self) -> bool:
        """Whether anything came that was not taken yet."""
        return bool(self._details)

    def add(self, pieces: Iterable[Json]) -> None:
        for piece in pieces:
            if not (self._details and self._details[-1].goes_on_with(piece)):
                self._details.append(_Detail())
            self._details[-1].grow(piece)

    def take(self) -> str | None:
        """What came since the last time, as a JSON array; None where nothing in it is sealed."""
        details, self._details = self._details, []
        sealed = any(detail.sealed for detail in details)
        return json.dumps(well_formed([detail.whole for detail in details])) if sealed else None
