"""The full-screen chat: widgets, screen and keys. Everything that imports urwid is in here."""
