"""Keys that do not show themselves."""

from __future__ import annotations

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
    """Text with every one of the secrets replaced by `***`: servers echo keys in their error messages."""
    keys = sorted({secret.reveal() for secret in secrets}, key=len, reverse=True)  # one may begin another
    for part in (part for key in keys for part in _parts(key)):
        text = text.replace(part, "***")
    return text


def _parts(key: str) -> Iterator[str]:
    """The key and what a server may show of it: its end or its beginning. Shorter ones than four are stand-ins."""
    if len(key) >= 4:
        yield key
    for length in range(len(key) - 1, _TELLING - 1, -1):
        yield key[-length:]
        yield key[:length]
