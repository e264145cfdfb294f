"""YAML text as parsing events, with faults in our own words.

ruamel.yaml's messages quote the file, keys and all. So its exceptions end here: only the kind of the problem and its
mark are used, and nothing is raised while they are being handled, which would hang them on as context.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.reader import ReaderError

from mewcode.config.place import Place
from mewcode.config.source import position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ruamel.yaml.events import Event

    from mewcode.config.source import Source

_MOST_EVENTS = 10_000
_TAB = "a tab is not allowed here: use spaces"
_UNKNOWN = "this is not valid YAML: mend the quotes and the indentation here, or the line before"

# How a problem or its context begins (ruamel.yaml 0.19) → our sentence. The first that fits decides.
_SENTENCES = (
    ("while scanning a quoted scalar", "this quote is never closed: close it on the same line"),
    ("found character", "a value may not begin with this character: put it in quotes"),
    ("mapping values are not allowed", "a `:` does not fit here: mend the indentation, or put the value in quotes"),
    ("could not find expected ':'", "this is neither `key: value` nor a list item: add the colon and a blank"),
    ("sequence entries are not allowed", "a list item does not fit here: put each `- ` on a line of its own"),
    ("while parsing a flow", "this bracket is never closed: close it, and put a `${VAR}` within it in quotes"),
    ("while scanning a double-quoted", "`\\` and what follows mean nothing in double quotes: use single quotes"),
    ("while parsing a block", "this does not line up with the lines before: mend the indentation or the quotes"),
    ("while scanning an anchor", "a value may not begin with `&`: put it in quotes"),
    ("while scanning an alias", "a value may not begin with `*`: put it in quotes"),
    ("while parsing an tag", "a value may not begin with `!`: put it in quotes"),
    ("while scanning a directive", "a line may not begin with `%`: put the value in quotes"),
    ("while scanning a block scalar", "only `-` or `+` may follow `|` or `>`: put the text on the next line"),
)
# For these the mark that helps is where the thing began.
_FROM_THE_START = ("while scanning a quoted scalar", "while parsing a flow", "could not find expected ':'")


@dataclass(frozen=True, slots=True)
class _Fault:
    sentence: str
    place: Place


def parse(source: Source) -> Iterator[Event]:
    """The events of ruamel.yaml's pure parser, at most 10,000. Raises: ConfigError."""
    events: Iterator[Event] = YAML(typ="safe", pure=True).parse(source.text)
    here = Place(source.path)
    for _ in range(_MOST_EVENTS):
        match _next(events, source, here):
            case _Fault(sentence, place):
                raise place.error(sentence)
            case None:
                return
            case event:
                here = Place(source.path, event.end_mark.line + 1, event.end_mark.column + 1)
                yield event
    raise here.error("the file holds too many values: a config is never that long, name the right file with -c")


def _next(events: Iterator[Event], source: Source, here: Place) -> Event | _Fault | None:
    try:
        return next(events, None)
    except MarkedYAMLError as error:
        return _explained(error, source, here)
    except ReaderError as error:
        place = position(source.path, source.text[: error.position])
        return _Fault("a control character is not allowed here: remove it", place)
    except Exception:  # ruamel.yaml 0.19 lets ValueError and others out, for `"\U00110000"` for example
        return _Fault(_UNKNOWN, here)


def _explained(error: MarkedYAMLError, source: Source, here: Place) -> _Fault:
    problem, context = str(error.problem), str(error.context)
    start, sentence = next(
        ((start, text) for start, text in _SENTENCES if problem.startswith(start) or context.startswith(start)),
        ("", _UNKNOWN),
    )
    mark = error.context_mark if start in _FROM_THE_START else error.problem_mark
    if mark is None:
        return _Fault(sentence, here)
    if _at_a_tab(source.text, mark.index):
        sentence = _TAB
    return _Fault(sentence, Place(source.path, mark.line + 1, mark.column + 1))


def _at_a_tab(text: str, index: int) -> bool:
    before = text[text.rfind("\n", 0, index) + 1 : index]
    return text[index : index + 1] == "\t" or (before.isspace() and "\t" in before)
