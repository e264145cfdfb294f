"""What a line may begin, by CommonMark 0.31 and GFM 0.29: patterns and columns. Nothing here remembers a line."""

from __future__ import annotations

import re

BLANKS = " \t"

FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)")
HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
RULE = re.compile(r" {0,3}([-_*])[ \t]*(?:\1[ \t]*){2,}$")
QUOTE = re.compile(r" {0,3}>")
ITEM = re.compile(r"( {0,3})([-+*]|\d{1,9}[.)])(?=[ \t]|$)")
FORMULA = re.compile(r" {0,3}(\$\$|\\\[(?=[ \t\\]|$))")

_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link "
    "main menu menuitem nav noframes ol optgroup option p param pre script search section style summary table tbody td "
    "textarea tfoot th thead title tr track ul"
)
HTML = re.compile(rf" {{0,3}}<(?:/?(?i:{_TAGS.replace(' ', '|')})(?=[ \t>]|/>|$)|!--|\?|![A-Za-z]|!\[CDATA\[)")

_DELIMITER = re.compile(r":?-+:?")
_PIPE = re.compile(r"(?<!\\)\|")


def is_blank(line: str) -> bool:
    return not line.strip(BLANKS)


def indent(line: str, column: int = 0) -> int:
    """Columns of blanks at the head of a line that begins in that column: a tab reaches to the next multiple of 4."""
    at = column
    for char in line:
        if char not in BLANKS:
            break
        at += 4 - at % 4 if char == "\t" else 1
    return at - column


def dedent(line: str, width: int, column: int = 0) -> str:
    """The line without so many columns of blanks. A tab that reaches further leaves its other columns as spaces."""
    at, end = column, column + width
    index = 0
    while index < len(line) and at < end and line[index] in BLANKS:
        at += 4 - at % 4 if line[index] == "\t" else 1
        index += 1
    return " " * (at - end) + line[index:]


def begins(line: str) -> bool:
    """Whether the line begins a block, whatever stands before it."""
    return (
        interrupts(line) or ITEM.match(line) is not None  # also an empty one, and one with any number
    )


def interrupts(line: str) -> bool:
    """Whether the line ends a paragraph, by what it begins. Of numbered items only `1.` does."""
    if any(pattern.match(line) for pattern in (FENCE, HEADING, RULE, QUOTE, HTML)):
        return True
    item = ITEM.match(line)
    if item:
        return not is_blank(line[item.end() :]) and (item[2] in "-+*" or int(item[2][:-1]) == 1)
    return formula(line) is not None


def formula(line: str) -> str | None:
    """What ends the formula that a line begins and does not end."""
    found = FORMULA.match(line)
    if found is None:
        return None
    close = {"$$": "$$", "\\[": "\\]"}[found[1]]
    return None if close in line[found.end() :] else close


def is_delimiters(line: str) -> bool:
    """Whether the line may stand below the header of a table."""
    return "|" in line and indent(line) < 4 and all(map(_DELIMITER.fullmatch, cells(line)))


def cells(line: str) -> list[str]:
    """The cells of a table's line, bars in them unescaped. A tab is a blank: columns have no stops."""
    line = line.replace("\t", " ").strip(" ").removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [cell.strip(" ").replace("\\|", "|") for cell in _PIPE.split(line)]
