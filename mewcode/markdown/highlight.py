"""Colours of code, by Pygments where it is installed. Imported when there is code to colour, never before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewcode.markdown.blocks import Markup, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

try:
    from pygments.lexers import get_all_lexers, get_lexer_by_name  # type: ignore[import-untyped]  # 2.21 has no types
except ImportError:  # the extra `highlight` is not installed
    _NAMES = frozenset[str]()
else:
    # asked by name alone Pygments 2.21 would load the plugins of all packages for each language that it does not know
    _NAMES = frozenset(alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases)

LIMIT = 10_000
"""Characters of code; more is left in one colour: Pygments 2.21 takes some 8 ms per 1,000, and the screen waits."""

# the longest name that begins a token's type decides; the roles stand in `tui.theme`
_STYLES = {
    "Comment": "code.comment",
    "Keyword": "code.keyword",
    "Keyword.Type": "code.type",
    "Literal.Number": "code.number",
    "Literal.String": "code.string",
    "Literal.String.Escape": "code.escape",
    "Name.Attribute": "code.attribute",
    "Name.Builtin": "code.builtin",
    "Name.Class": "code.name",
    "Name.Decorator": "code.decorator",
    "Name.Function": "code.name",
    "Name.Tag": "code.tag",
    "Generic.Deleted": "code.deleted",
    "Generic.Heading": "code.name",
    "Generic.Inserted": "code.inserted",
    "Operator.Word": "code.keyword",
}


def highlighted(lines: Sequence[str], info: str) -> Sequence[Markup]:
    """The same lines with styles `code.*`, or as they are: an unknown language, too long, or no Pygments."""
    name = info.split()[0].strip("{}.").lower()
    code = "\n".join(lines)
    if name not in _NAMES or len(code) > LIMIT:
        return lines
    lexer: Any = get_lexer_by_name(name, stripnl=False)
    *coloured, _ = _lines((_style(kind), text) for kind, text in lexer.get_tokens(code + "\n"))
    return coloured if [*map(text_of, coloured)] == [*lines] else lines  # a lexer may leave out a byte order mark


def _style(kind: object) -> str:
    """The role of a token's type, such as `Token.Name.Builtin.Pseudo`; empty for one without."""
    name = str(kind).removeprefix("Token.")
    while name and name not in _STYLES:
        name = name.rpartition(".")[0]
    return _STYLES.get(name, "")


def _lines(pieces: Iterable[tuple[str, str]]) -> Iterator[Markup]:
    """(style, text) in lines, each in its shortest form."""
    line: list[tuple[str, str]] = []
    for style, text in pieces:
        for number, part in enumerate(text.split("\n")):
            if number:
                yield _markup(line)
                line = []
            if part and line and line[-1][0] == style:
                line[-1] = (style, line[-1][1] + part)
            elif part:
                line.append((style, part))
    yield _markup(line)


def _markup(line: list[tuple[str, str]]) -> Markup:
    parts: list[Markup] = [(style, text) if style else text for style, text in line]
    return parts[0] if len(parts) == 1 else parts or ""
