"""Keys that do not show themselves."""

from __future__ import annotations

from base64 import b64encode
from itertools import groupby
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

_TELLING = 10  # characters of a key that are too many to show


class Secret:
    """A key. `reveal()` is the only way to its text; str, repr and format give `***`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return "***"

    __str__ = __repr__

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not pickled")


def redact(text: str, secrets: tuple[Secret, ...]) -> str:
    """Text with `***` for every secret, in any case, in base64 too, and for ten or more characters of one: servers
    echo keys, and the credentials of Basic authentication."""
    hidden = bytearray(len(text))
    folded = text.lower() if len(text.lower()) == len(text) else text
    for secret in secrets:
        for piece in _telling(secret.reveal()):
            at = folded.find(piece)
            while at >= 0:
                hidden[at : at + len(piece)] = b"x" * len(piece)
                at = folded.find(piece, at + 1)
    shown = (("***" if hide else "".join(run)) for hide, run in _runs(text, hidden))
    return "".join(shown) if any(hidden) else text


def _telling(key: str) -> set[str]:
    """In small letters: a search that knows no case finds them all."""
    spellings = [key, *_in_base64(key)]
    spellings += [spelling.replace("+", "-").replace("/", "_") for spelling in spellings[1:]]
    return {piece for spelling in spellings for piece in _pieces(spelling.lower())}


def _in_base64(key: str) -> list[str]:
    """The letters that the key alone decides, at each of the three places where a byte may begin."""
    shifted = (b64encode(b"\0" * shift + key.encode()).rstrip(b"=").decode() for shift in range(3))
    return [text[(0, 2, 3)[shift] : -1] for shift, text in enumerate(shifted)]


def _pieces(key: str) -> set[str]:
    """What must not show: ten characters in a row, of a shorter key all. Less than four are a stand-in, not a key."""
    if len(key) < 4:
        return set()
    return {key[at : at + _TELLING] for at in range(max(1, len(key) - _TELLING + 1))}


def _runs(text: str, hidden: bytearray) -> Iterator[tuple[bool, list[str]]]:
    for hide, run in groupby(zip(hidden, text, strict=True), key=lambda pair: bool(pair[0])):
        yield hide, [letter for _, letter in run]
