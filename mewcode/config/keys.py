"""Where a provider's key and headers come from: written in the file, or a variable named there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from mewcode.config.place import Place, shown
from mewcode.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

# A name made of words; a key pasted where a name belongs is not, and is never shown.
_WORDS = re.compile(r"_?[A-Za-z]{1,16}[0-9]{0,2}(_[A-Za-z0-9]{1,16}){0,5}")


@dataclass(frozen=True, slots=True)
class LiteralKey:
    secret: Secret
    place: Place


@dataclass(frozen=True, slots=True)
class EnvKey:
    variable: str
    place: Place

    def read(self, environ: Mapping[str, str], owner: str) -> Secret:
        """The variable's value, stripped. `owner` begins the sentence. Raises: ConfigError."""
        text = environ.get(self.variable, "").strip()
        if re.fullmatch(r"[!-~]+", text):
            return Secret(text)
        if self.variable not in environ:
            fault = "is not set; export it, or write the value here"
        elif not text:
            fault = "is empty; set it, or write the value here"
        else:
            fault = "holds a blank, a control character or a letter that no key has; set it again"
        raise self.place.error(f"{owner}: {named(self.variable)} {fault}")


@dataclass(frozen=True, slots=True)
class NoKey:
    """The server wants none."""


KeyRef: TypeAlias = LiteralKey | EnvKey | NoKey


@dataclass(frozen=True, slots=True)
class Header:
    """A request header as it stands in the file, `${VAR}` and all."""

    name: str
    template: Secret
    place: Place

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(REFERENCE.findall(self.template.reveal()))

    def read(self, environ: Mapping[str, str], owner: str) -> Secret:
        """The value with its variables put in. Raises: ConfigError."""
        values = {name: EnvKey(name, self.place).read(environ, owner).reveal() for name in self.variables}
        return Secret(REFERENCE.sub(lambda found: values[found[1]], self.template.reveal()))


def named(variable: str) -> str:
    """A variable's name for a sentence, or words in its place where it could be a key."""
    return variable if _WORDS.fullmatch(variable) else "the variable named here"


def source_of(key: KeyRef) -> str:
    """Where a refused key has to be mended: `ANTHROPIC_API_KEY` or `config.yaml:4 (api_key)`."""
    match key:
        case EnvKey(variable):
            return named(variable)
        case LiteralKey(_, place):
            return f"{shown(place.path)}:{place.line} (api_key)"
        case NoKey():
            return ""
