"""The keys, once, with what they do; /help shows this table."""

from __future__ import annotations

from typing import NamedTuple


class Key(NamedTuple):
    keys: str
    help: str


KEYS = (
    Key("Enter", "send"),
    Key("Alt+Enter, Ctrl+J", "new line; so do Shift+Enter where it exists, and a \\ before Enter"),
    Key("Up, Down", "at the first and the last row, through what was sent; Ctrl+P and Ctrl+N from any"),
    Key("Ctrl+R", "search what was sent; again, an older one"),
    Key("Ctrl+G", "write in $VISUAL or $EDITOR; so does Ctrl+X Ctrl+E"),
    Key("Tab", "complete a command or a file"),
    Key("Ctrl+O", "unfold a large paste"),
    Key("Ctrl+A, Ctrl+E", "to the start and the end of the line; Alt+B and Alt+F by a word"),
    Key("Ctrl+W, Ctrl+U, Ctrl+K", "delete the word before, to the start, to the end of the line"),
    Key("Ctrl+Y, Alt+Y", "bring back what was deleted; what was deleted before that"),
    Key("Ctrl+_, Alt+E", "undo; redo"),
    Key("F1", "this list"),
    Key("Esc", "cancel the answer"),
    Key("Ctrl+C", "cancel the answer, else clear the prompt, else quit"),
    Key("Ctrl+D", "quit, when the prompt is empty"),
    Key("PgUp, PgDn", "scroll"),
    Key("Shift+Up, Shift+Down", "scroll by a line"),
    Key("Alt+Up, Alt+Down", "scroll to the message before, to the one after"),
    Key("Home, End", "of the line; without text in the prompt, of the transcript"),
    Key("Alt+T", "show or hide what the model thinks"),
    Key("Ctrl+L", "draw the screen anew"),
    Key("Ctrl+Z", "suspend; fg brings it back"),
)
