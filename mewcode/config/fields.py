"""A mapping of the config read key by key, each value checked for its type and range where it stands."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, TypeVar

from mewcode.config.document import Entry, Items, Scalar, Table, nameable
from mewcode.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mewcode.config.document import Node
    from mewcode.config.place import Place
    from mewcode.errors import ConfigError


_Choice = TypeVar("_Choice", bound=str)


class Fields:
    """Every method raises ConfigError at the value's place, and gives None for a key that is not there."""

    def __init__(self, table: Table, known: Sequence[str], elsewhere: Mapping[str, str]) -> None:
        """`elsewhere` has the keys of other levels of the file, and in words where each belongs."""
        self._table = table
        for key, entry in table.entries.items():
            if key not in known:
                raise entry.place.error(_unknown(key, known, elsewhere))

    def __contains__(self, key: str) -> bool:
        return key in self._table.entries

    @property
    def start(self) -> Place:
        return self._table.place

    def place(self, key: str) -> Place:
        """Of the value; of the key if nothing follows it; of the whole mapping if there is no such key."""
        match self._table.entries.get(key):
            case None:
                return self.start
            case Entry(value=Scalar(value=None), place=place):
                return place
            case Entry(value=node):
                return node.place

    def error(self, key: str, sentence: str) -> ConfigError:
        """The sentence goes on after the key's name."""
        return self.place(key).error(f"`{key}` {sentence}" if nameable(key) else f"this value {sentence}")

    def node(self, key: str) -> Node | None:
        """The value as it stands. A key with nothing after it is an error."""
        match self._table.entries.get(key):
            case None:
                return None
            case Entry(value=Scalar(value=None)):
                raise self.error(key, "has no value: write one, or remove the line")
            case Entry(value=node):
                return node

    def prose(self, key: str) -> str | None:
        """Text of any length."""
        match self.node(key):
            case None:
                return None
            case Scalar(value=str(text)):
                return text
            case Scalar():
                raise self.error(key, "must be text: put the value in quotes")
            case _:
                raise self.error(key, "must be text, not a list or a mapping: write it on the same line")

    def text(self, key: str) -> str | None:
        """One line of printable text, stripped and not empty, with no variable in it."""
        text = self.prose(key)
        if text is None:
            return None
        text = text.strip()
        if not text:
            raise self.error(key, "is empty: write a value, or remove the line")
        if not text.isprintable():
            raise self.error(key, "must be one line of printable text: remove the other characters")
        if "${" in text:
            raise self.error(
                key, "may not hold a variable: `${VAR}` works in api_key and headers only, write the value"
            )
        return text

    def choice(self, key: str, options: Sequence[_Choice]) -> _Choice | None:
        text = self.text(key)
        for option in options:
            if text == option:
                return option
        if text is None:
            return None
        raise self.error(key, f"must be one of {', '.join(options)}")

    def flag(self, key: str) -> bool | None:
        match self.node(key):
            case None:
                return None
            case Scalar(value=bool(flag)):
                return flag
            case _:
                raise self.error(key, "must be true or false, without quotes")

    def whole(self, key: str) -> int | None:
        """A whole number from 1 on."""
        match self.node(key):
            case None:
                return None
            case Scalar(value=bool()):
                pass
            case Scalar(value=int(number)) if number >= 1:
                return number
            case _:
                pass
        raise self.error(key, "must be a whole number of at least 1, without quotes")

    def number(self, key: str, words: str, fits: Callable[[float], bool]) -> float | None:
        """A number that fits, as `words` say."""
        match self.node(key):
            case None:
                return None
            case Scalar(value=bool()):
                pass
            case Scalar(value=int(number) | float(number)) if fits(number):
                return float(number)
            case _:
                pass
        raise self.error(key, f"must be {words}, without quotes")

    def table(self, key: str) -> Table | None:
        match self.node(key):
            case None | Table() as table:
                return table
            case _:
                raise self.error(key, "must be a mapping: write `name: value` lines under it, indented")

    def items(self, key: str) -> Items | None:
        match self.node(key):
            case None | Items() as items:
                return items
            case _:
                raise self.error(key, "must be a list: begin each item with `- `")


def _unknown(key: str, known: Sequence[str], elsewhere: Mapping[str, str]) -> str:
    if not nameable(key):
        return f"unknown key: use one of {', '.join(known)}"
    name = one_line(key, 40)
    if key in elsewhere:
        return f"unknown key `{name}` here (it belongs {elsewhere[key]})"
    close = difflib.get_close_matches(key.lower(), known, n=1, cutoff=0.7)
    if close:
        return f"unknown key `{name}` (did you mean {close[0]}?)"
    return f"unknown key `{name}`: remove it, or use one of {', '.join(known)}"
