"""Foreign text made inert: whatever did not come from our own source passes through `clean` before a terminal."""

from __future__ import annotations

import codecs
import contextlib
import locale
import re
import unicodedata
from typing import NamedTuple
from unicodedata import east_asian_width

# C0 without tab and newline, DEL, C1; lone surrogates. Source: ECMA-48, Unicode.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

# Default_Ignorable_Code_Point and Bidi_Control, line and paragraph separator, annotations. Source: Unicode 17.
_INVISIBLE = (
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    r"\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Where invisible characters do their work: emoji, and the scripts whose letters join (Syriac to Myanmar, Mongolian …)
_EMOJI = r"\xa9\xae\u203c\u2049\u2122-\u23ff\u24c2\u25a0-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_JOINING = (
    r"\u0600-\u061b\u061d-\u109f\u1780-\u17b3\u17b6-\u180a\u1810-\u18af\u1900-\u1cff\ua800-\ua95f\ua980-\uabff"
    r"\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff\U0001e900-\U0001e95f"
)
_HAN = r"\u2e80-\u2fdf\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_FLAG = r"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"  # of a part of a country
_SHAPED = (  # a visible character with one selector, one joiner or both after it
    rf"[#*0-9{_EMOJI}][\ufe0e\ufe0f]\u200d?"
    rf"|[{_EMOJI}{_JOINING}][\u200c\u200d]"
    r"|[\u1820-\u18aa][\u180b-\u180f][\u180e\u200c\u200d]?"
    rf"|[{_HAN}][\ufe00-\ufe02\U000e0100-\U000e01ef]"
    r"|[\u2190-\u22ff\u3000-\u303f\uff00-\uffef\u1000-\u109f][\ufe00\ufe01]"
)
_UNSEEN = re.compile(rf"(?P<kept>{_FLAG}|{_SHAPED})|[{_INVISIBLE}]")
_ANY_UNSEEN = re.compile(rf"[{_INVISIBLE}]")


class _Screen(NamedTuple):
    ascii: bool  # whether marks are
    encoding: str  # in which text goes out, whatever the terminal makes of it


_screen = _Screen(False, "utf-8")


def write_to(encoding: str) -> None:
    """What `clean` prepares text for from now on, where nobody says: a process has one terminal, with one encoding."""
    global _screen
    _screen = _Screen(not takes_utf8(encoding), _codec(encoding))


def clean(text: str, *, invisible: bool = True, ascii: bool | None = None) -> str:
    """Text with control characters as marks (`␛`, `<U+009B>`), and bidi and invisible ones too unless told not to.

    With `ascii` a mark is ASCII (`^[`), for a terminal without UTF-8; the text itself stays as it is. Kept are joiners
    and selectors where they shape a letter or an emoji. CR LF becomes LF first. Idempotent: a mark is ordinary text.
    """
    if text.isascii() and text.isprintable():
        return text
    in_ascii = _screen.ascii if ascii is None else ascii
    text = _CONTROLS.sub(_ascii_mark if in_ascii else _mark, text.replace("\r\n", "\n"))
    text = _UNSEEN.sub(_mark_unless_kept, text) if invisible and _ANY_UNSEEN.search(text) else text
    return _as_wide(text, _screen.encoding) if ascii is None and _screen.encoding != "utf-8" else text


def _as_wide(text: str, encoding: str) -> str:
    """With `?` for what the encoding lacks, as wide as what it stands for: urwid 5.1 puts one for each character.

    Those of one column are left to urwid, which has better ones for some.
    """
    with contextlib.suppress(UnicodeEncodeError):
        text.encode(encoding)
        return text
    return "".join("?" * width if (width := _odd_width(char, encoding)) is not None else char for char in text)


def _odd_width(char: str, encoding: str) -> int | None:
    """0 or 2 columns for such a character that the encoding lacks."""
    width = 0 if unicodedata.category(char) in ("Mn", "Me", "Cf") else 2 if east_asian_width(char) in "WF" else 1
    if width == 1:
        return None
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return width
    return None


def _mark(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"


def _ascii_mark(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"^{chr(code ^ 0x40)}" if code < 0x80 else _mark(found)


def _mark_unless_kept(found: re.Match[str]) -> str:
    return found["kept"] or _mark(found)


def one_line(text: str, limit: int = 500, *, ascii: bool | None = None) -> str:
    """Foreign text for a message of one sentence: cleaned, blanks folded, at most `limit` characters."""
    text = clean(" ".join(text.split()), ascii=ascii)
    end = "..." if ascii or (ascii is None and _screen.ascii) else "…"
    return text if len(text) <= limit else _without_open_end(text[: limit - len(end)]) + end


def takes_utf8(encoding: str | None) -> bool:
    """Whether a terminal of this encoding shows our marks: it and the locale say UTF-8.

    Python writes UTF-8 under `LC_ALL=C`, too (PEP 540), whatever the terminal makes of it. None is no terminal.
    """
    return encoding is None or {_codec(encoding), _codec(locale.getencoding())} == {"utf-8"}


def _codec(encoding: str) -> str:
    return codecs.lookup(encoding).name


_FLAG_BEGUN = re.compile(r"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]*\Z")


def _without_open_end(text: str) -> str:
    """A clean text that was cut anywhere, clean again: half a flag is none."""
    return _FLAG_BEGUN.sub("", text)


class Cleaner:
    """`clean` for text that comes in pieces: what may go on in the next piece is held back."""

    _OPEN_END = re.compile(r"(\r|\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{0,6})\Z")
    _SHAPER = re.compile(rf"[^{_INVISIBLE}][{_INVISIBLE}]?\Z")  # may keep an invisible character that comes after it

    def __init__(self, *, invisible: bool = True, ascii: bool = False) -> None:
        self._invisible = invisible
        self._ascii = ascii
        self._held = ""
        self._before = ""  # the shaper at the end of what was given out

    def feed(self, piece: str) -> str:
        if not self._held and piece.isascii() and piece.isprintable():
            self._before = piece[-1:] or self._before
            return piece
        text = self._held + piece
        found = self._OPEN_END.search(text)
        self._held = found[0] if found else ""
        return self._give(text[: len(text) - len(self._held)])

    def rest(self) -> str:
        """What was held back, when nothing more comes."""
        text, self._held = self._held, ""
        return self._give(text)

    def _give(self, text: str) -> str:
        cleaned = clean(self._before + text, invisible=self._invisible, ascii=self._ascii)
        given = cleaned[len(self._before) :]
        found = self._SHAPER.search(cleaned[-2:])
        self._before = found[0] if found else ""
        return given
