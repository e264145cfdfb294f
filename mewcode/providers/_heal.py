"""Requests that correct themselves: a refusal that names a field is answered once by the request without the fault.

What a remedy does is in mewcode.providers._remedies; here is when. A correction that worked is remembered for that
model at that server, so that the next request is right at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewcode.errors import BadRequest
from mewcode.providers._json import dig
from mewcode.providers._memory import MEMORY

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

    from mewcode.errors import LLMError
    from mewcode.llm.client import Request
    from mewcode.providers._errors import Fault
    from mewcode.providers._memory import Place

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Refusal:
    """What the server said about the request, in one string: the field it names, and its words."""

    said: str

    @classmethod
    def of(cls, fault: Fault) -> Refusal:
        named = (dig(fault.body, "error", "param"), dig(fault.body, "param"), fault.words)
        return cls(" ".join(str(value) for value in named if value))


@dataclass(frozen=True, slots=True)
class Remedy:
    """`mend` gives the body without what `says` complains of, or None when that is not in it.

    A `field` is corrected once in a turn: what is refused again is shown. A remedy that is not `lasting` mends this
    history, not this server. `remark` is for the user, where the answer becomes another one.
    """

    field: str
    says: re.Pattern[str]
    mend: Callable[[Body, Request, Refusal], Body | None]
    lasting: bool = True
    remark: Callable[[Body, Body, Request], str | None] = lambda before, after, request: None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A remedy and the words that called for it."""

    remedy: Remedy
    refusal: Refusal


class Healing:
    """The corrections of one turn."""

    def __init__(self, remedies: Sequence[Remedy], place: Place, request: Request) -> None:
        self._remedies = remedies
        self._place = place
        self._request = request
        self._new: tuple[Lesson, ...] = ()
        self._corrected: set[str] = set()

    def prepared(self, body: Body) -> Body:
        """The body as this server takes it, as far as that is known."""
        for lesson in MEMORY.lessons(self._place):
            mended = lesson.remedy.mend(body, self._request, lesson.refusal)
            if mended is not None:
                self._corrected.add(lesson.remedy.field)
                body = mended
        return body

    def correct(self, body: Body, error: LLMError, fault: Fault | None) -> Body | None:
        """The body to send instead; None when this error cannot be helped."""
        if fault is None or not isinstance(error, BadRequest):
            return None
        refusal = Refusal.of(fault)
        for remedy in self._remedies:
            if remedy.field in self._corrected or not remedy.says.search(refusal.said):
                continue
            mended = remedy.mend(body, self._request, refusal)
            if mended is not None:
                self._corrected.add(remedy.field)
                if remedy.lasting:
                    self._new = (*self._new, Lesson(remedy, refusal))
                if words := remedy.remark(body, mended, self._request):
                    self._request.remark(words)
                return mended
        return None

    def worked(self) -> None:
        """The server has taken the request: what was learned holds."""
        if self._new:
            MEMORY.learn(self._place, self._new)
            self._new = ()
