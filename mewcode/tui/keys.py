"""The keys, once, with what they do; /help shows this table."""

from __future__ import annotations

from typing import NamedTuple


class Key(NamedTuple):
    keys: str
    help: str


KEYS = (
    Key("Enter", "send"),
    Key("Alt+Enter, Ctrl+J", "new line"),
    Key("Esc", "cancel the answer"),
    Key("Ctrl+C", "cancel the answer, else clear the prompt, else quit"),
    Key("Ctrl+D", "quit, when the prompt is empty"),
    Key("PgUp, PgDn", "scroll"),
    Key("Shift+Up, Shift+Down", "scroll by a line"),
    Key("Home, End", "the first and the last line, when the prompt is empty"),
    Key("Ctrl+L", "draw the screen anew"),
    Key("Ctrl+Z", "suspend; fg brings it back"),
)
