"""What of a growing text can be shown now: marks that have only begun wait, and spans that are open are closed.

So what stands on the screen keeps its place when the rest of a mark comes. A guess that was wrong is put right when the
block has ended. Not here: the structure of lines (`reader`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mewcode.markdown.inline import CJK, FORMULAS, PRODUCT

_PATIENCE = 300
"""Characters: a link or a formula that is longer is shown before its end has come."""

_MARKS = 40  # at the end of a text that are looked at

# what may stand before a line's text, then what may yet become a mark, a rule, a row of delimiters, a fence or a table
_BEGUN = re.compile(
    r"(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])[ \t]))*"
    r"(?:[-=_*+#`~:| \t]*|[ \t]*(?:\d{1,9}[.)]?|\[[ xX]?\]?[ \t]*|(?:`{3}|~{3}|\|).*))"
)
_OPEN_END = re.compile(r"(?:[\\*_~`!\s]+|&#?\w{0,31}|<[^\s<>]*|https?:?/{0,2})\Z")
_MARK = re.compile(rf"\\[\[(]|\$\$|\\.|`+|{PRODUCT}|\*+|_+|~~|!?\[|\]", re.DOTALL)
_PRODUCT = re.compile(PRODUCT)
_WORD = re.compile(r"\w*")
_LETTER = re.compile(rf"(?!{CJK})\w")


def has_only_begun(line: str) -> bool:
    """Whether nothing of a line without its end can be shown yet."""
    return _BEGUN.fullmatch(line[:_PATIENCE]) is not None


def so_far(text: str) -> str:
    """An open paragraph or heading as Markdown that looks like the head of what the whole will look like."""
    text = _without_open_end(text)
    spans = _Spans(text)
    spans.scan()
    if (waits := spans.waits()) is None:
        return text + spans.closing()
    shown = _Spans(_without_open_end(text[:waits]))
    shown.scan()
    return shown.text + shown.closing()


def _without_open_end(text: str) -> str:
    for _ in range(_MARKS):
        found = _OPEN_END.search(text, max(0, len(text) - _PATIENCE))
        if found is None:
            break
        text = text[: found.start()]
    return text


@dataclass(slots=True)
class _Spans:
    """The spans of a text."""

    text: str
    _open: list[tuple[str, int]] = field(default_factory=list)  # marks and where they stand
    _code: str = ""
    _undecided: list[int] = field(default_factory=list)  # starts of links and formulas

    def scan(self) -> None:
        at = 0
        while not self._code and (mark := _MARK.search(self.text, at)):
            at = self._after(mark)

    def waits(self) -> int | None:
        """From where on the text cannot be shown yet."""
        if self._code:
            return None
        starts = self._undecided + [start for mark, start in self._open if mark == "["]
        return min((start for start in starts if len(self.text) - start <= _PATIENCE), default=None)

    def closing(self) -> str:
        """What closes the spans that are open."""
        marks = [mark for mark, start in self._open if mark != "[" and not self._is_name(mark, start)]
        return self._code + "".join(reversed(marks))

    def _after(self, found: re.Match[str]) -> int:
        """Note a mark. Returns where to look on."""
        run, start, end = found[0], found.start(), found.end()
        match run[0]:
            case "\\" | "$" if run in FORMULAS:
                return self._to(FORMULAS[run], start, end)
            case "`":
                close = re.compile(rf"(?<!`){run}(?!`)").search(self.text, end)
                self._code = "" if close else run
                return close.end() if close else end
            case "[" | "!":
                self._open.append(("[", start))
            case "]":
                return self._link(end)
            case "*" | "_" | "~" if not _PRODUCT.match(self.text, start):
                self._emphasis(run, start, end)
        return end

    def _to(self, close: str, start: int, end: int) -> int:
        """After the end of a formula or of a link's target."""
        found = self.text.find(close, end)
        if found < 0:
            self._undecided.append(start)
        return end if found < 0 else found + len(close)

    def _link(self, end: int) -> int:
        begun = [number for number, (mark, _) in enumerate(self._open) if mark == "["]
        if not begun:
            return end
        _, start = self._open.pop(begun[-1])
        if self.text.startswith("(", end):
            return self._to(")", start, end)
        if end == len(self.text):
            self._undecided.append(start)
        return end

    def _emphasis(self, run: str, start: int, end: int) -> None:
        before, after = self.text[start - 1 : start] or " ", self.text[end : end + 1] or " "
        marks = ["**", "*"] if run == "***" else [run]
        if _flanks(run, after, before) and any(mark in marks for mark, _ in self._open):
            while marks and self._open:
                mark, _ = self._open.pop()
                if mark in marks:
                    marks.remove(mark)
        elif _flanks(run, before, after):
            self._open += [(mark, start) for mark in marks]

    def _is_name(self, mark: str, start: int) -> bool:
        """`__init` may become `__init__`, which keeps its underscores."""
        return mark == "__" and _WORD.fullmatch(self.text, start + 2) is not None


def _flanks(run: str, behind: str, ahead: str) -> bool:
    """Whether a run between two characters may begin emphasis; it may end it with the two changed. CommonMark 6.2."""
    if ahead.isspace() or (run[0] == "_" and behind.isalnum() and ahead.isalnum()):
        return False
    return ahead.isalnum() or _LETTER.match(behind) is None
