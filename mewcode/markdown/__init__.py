"""Markdown as plain blocks of styled text: no widgets, no terminal."""
