"""Foreign text made inert: whatever did not come from our own source passes through `clean` before a terminal."""

from __future__ import annotations

import re

# C0 without tab and newline, DEL, C1; lone surrogates. Source: ECMA-48, Unicode.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

# Bidi controls, zero-width and invisible characters, tags. U+200C and U+200D stay: scripts and emoji need them.
# A tag sequence is kept where it spells a flag (U+1F3F4 … U+E007F).
_INVISIBLE = re.compile(
    r"\U0001f3f4[\U000e0020-\U000e007e]{1,16}\U000e007f"
    r"|[\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def clean(text: str, *, invisible: bool = True) -> str:
    """Text with control characters as marks (`␛`, `<U+009B>`), and bidi and invisible ones too unless told not to.

    CR LF becomes LF first. Idempotent: a mark is ordinary text.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _CONTROLS.sub(_mark, text.replace("\r\n", "\n"))
    return _INVISIBLE.sub(_mark, text) if invisible else text


def _mark(found: re.Match[str]) -> str:
    if len(found[0]) > 1:
        return found[0]  # a flag
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"


def one_line(text: str, limit: int = 500) -> str:
    """Foreign text for a message of one sentence: cleaned, blanks folded, at most `limit` characters."""
    text = clean(" ".join(text.split()))
    return text if len(text) <= limit else text[: limit - 1] + "…"


class Cleaner:
    """`clean` for text that comes in pieces: what may go on in the next piece is held back."""

    _OPEN_END = re.compile(r"(\r|\U0001f3f4[\U000e0020-\U000e007e]{0,16})$")

    def __init__(self, *, invisible: bool = True) -> None:
        self._invisible = invisible
        self._held = ""

    def feed(self, piece: str) -> str:
        text = self._held + piece
        found = self._OPEN_END.search(text)
        self._held = found[0] if found else ""
        return clean(text[: len(text) - len(self._held)], invisible=self._invisible)

    def rest(self) -> str:
        """What was held back, when nothing more comes."""
        text, self._held = self._held, ""
        return clean(text, invisible=self._invisible)
