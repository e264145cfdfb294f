"""Requests that correct themselves: a refusal that names a field is answered once by the request without the fault.

What a remedy does is in mewcode.providers._remedies; here is when. A correction that worked is remembered for that
model at that server, so that the next request is right at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mewcode.errors import BadRequest
from mewcode.providers._json import text
from mewcode.providers._memory import MEMORY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mewcode.errors import LLMError
    from mewcode.llm.client import Request
    from mewcode.providers._errors import Fault
    from mewcode.providers._memory import Place

Body = dict[str, Any]

# pydantic repeats what it was given (vLLM), and there every field is named
_GIVEN = re.compile(r", ['\"]input['\"]: .*?(?=, ['\"](?:ctx|url)['\"]: |\}, \{['\"]type['\"]|\}?\]?\Z)", re.DOTALL)


_QUOTED = re.compile(r"'[^']*\s[^']*'|\"[^\"]*\s[^\"]*\"")


@dataclass(frozen=True, slots=True)
class Refusal:
    """What the server said about the request, in one string: the field it names with its code, and its words."""

    said: str

    @classmethod
    def of(cls, fault: Fault) -> Refusal:
        param = text(fault.body, "error", "param") or text(fault.body, "param")
        named = f"{param} {fault.code}; " if param else ""
        words = _GIVEN.sub("", fault.words)
        if "content" in param:
            words = _QUOTED.sub("", words)  # what is in a message may speak of anything
        return cls(named + words)


@dataclass(frozen=True, slots=True)
class Remedy:
    """`mend` gives the body without what `says` complains of, or None when that is not in it.

    A `field` is corrected once in a turn: what is refused again is shown. A remedy that is not `lasting` mends this
    history, not this server. What was learned holds for bodies that ask for the same, as far as `asked` sees. `remark`
    is for the user, where the answer becomes another one.
    """

    field: str
    says: re.Pattern[str]
    mend: Callable[[Body, Request, Refusal], Body | None]
    lasting: bool = True
    asked: Callable[[Body], object] = lambda body: None
    remark: Callable[[Body, Body, Request], str | None] = lambda before, after, request: None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A remedy and the words that called for it. Until it has worked it holds for one turn alone: `trial`."""

    remedy: Remedy
    refusal: Refusal
    asked: object = None
    trial: Request | None = field(default=None, compare=False, repr=False)


class Healing:
    """The corrections of one attempt. A new attempt of the same turn, with the same request, knows them already."""

    def __init__(self, remedies: Sequence[Remedy], place: Place, request: Request) -> None:
        self._remedies = remedies
        self._place = place
        self._request = request
        self._corrected: set[str] = set()

    def prepared(self, body: Body) -> Body:
        """The body as this server takes it, as far as that is known."""
        MEMORY.unlearn(self._place, lambda lesson: lesson.trial is not None and lesson.trial is not self._request)
        for lesson in MEMORY.lessons(self._place):
            # the same server and model may have been asked over another protocol, where a field means something else
            fits = lesson.remedy in self._remedies and lesson.remedy.asked(body) == lesson.asked
            mended = fits and lesson.remedy.mend(body, self._request, lesson.refusal)
            if mended:
                self._corrected.add(lesson.remedy.field)
                body = mended
        return body

    def correct(self, body: Body, error: LLMError, fault: Fault | None) -> Body | None:
        """The body to send instead; None when this error cannot be helped."""
        if fault is None or not isinstance(error, BadRequest) or "invalid_prompt" in fault.code:
            return None
        refusal = Refusal.of(fault)
        called_for = [remedy for remedy in self._remedies if remedy.says.search(refusal.said)]
        for remedy in called_for:
            mended = None if remedy.field in self._corrected else remedy.mend(body, self._request, refusal)
            if mended is not None:
                self._corrected.add(remedy.field)
                MEMORY.learn(self._place, [Lesson(remedy, refusal, remedy.asked(body), trial=self._request)])
                if words := remedy.remark(body, mended, self._request):
                    self._request.remark(words)
                return mended
        self._was_wrong({remedy.field for remedy in called_for} & self._corrected)
        return None

    def worked(self) -> None:
        """The server has taken the request: what was learned holds."""
        tried = [lesson for lesson in MEMORY.lessons(self._place) if lesson.trial is self._request]
        if tried:
            MEMORY.unlearn(self._place, lambda lesson: lesson.trial is self._request)
            MEMORY.learn(self._place, [replace(lesson, trial=None) for lesson in tried if lesson.remedy.lasting])

    def _was_wrong(self, fields: set[str]) -> None:
        """A server that refuses the correction, too, is not the one that it was: the next turn begins anew."""
        MEMORY.unlearn(self._place, lambda lesson: lesson.trial is self._request or lesson.remedy.field in fields)
