"""What stands in the transcript beside answers: the banner, messages of the user, ends, errors and notes.

Each entry but the banner begins with a blank row; the transcript's tail is the blank row after the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import urwid

from mewcode.text import clean
from mewcode.tui.composer import PROMPT
from mewcode.tui.rows import PairRow, columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewcode.errors import LLMError
    from mewcode.llm.messages import Message
    from mewcode.session import Session
    from mewcode.tui.transcript import FlowWidget


def banner(rows: Iterable[tuple[str, str]], ready: str) -> list[urwid.Text]:
    """The cat with name, version and directory beside it, then the ready line."""
    drawn = [urwid.Text([("banner.cat", cat), "  ", _beside(words)], wrap="clip") for cat, words in rows]
    return [*drawn, blank(), urwid.Text(("dim", ready))]


def _beside(words: str) -> tuple[str, str]:
    return "banner.name" if words.startswith("mewcode") else "dim", clean(words)


def blank() -> urwid.Text:
    return urwid.Text("")


def asked(text: str) -> list[urwid.Text]:
    """A message of the user: no margin stands in front of its rows, so that it can be selected as it is."""
    return [blank(), urwid.Text([("user.mark", PROMPT), ("user", clean(text))]), blank()]


def note(text: str, style: str = "note") -> list[urwid.Text]:
    return [blank(), urwid.Text((style, clean(text)))]


def explained(table: Iterable[tuple[str, str]]) -> list[FlowWidget]:
    """Words of our own and what they mean."""
    pairs = list(table)
    width = max(columns(word) for word, _ in pairs)
    return [blank(), *(PairRow(word, meaning, width) for word, meaning in pairs)]


def ended(session: Session, message: Message) -> list[urwid.Text]:
    """What follows an answer: why it ended, if that is worth a word, and what it took."""
    rows: list[urwid.Text] = [blank()] if message.text else []
    if failure := session.failure(message.id):
        rows.append(urwid.Text(("error", clean(str(failure)))))
    if words := session.note(message.id):
        rows.append(urwid.Text(("note", clean(words))))
    if not (failure or words) and not message.text and message.status == "complete":
        rows.append(urwid.Text(("note", "The model ended its turn without an answer.")))
    return [*rows, urwid.Text(("dim", " · ".join(filter(None, (_cost(message), _offer(failure, message))))))]


def _offer(failure: LLMError | None, message: Message) -> str:
    """What can be done about a failure from here."""
    if message.status == "interrupted":
        return "/continue or /retry"
    return "/retry" if failure is not None and failure.retryable else ""


def _cost(message: Message) -> str:
    ended = {"cancelled": "Cancelled after", "interrupted": "Cut off after"}.get(message.status, "")
    parts = [ended, f"{message.elapsed or 0.0:.1f} s"]
    said = " ".join(filter(None, parts))
    usage = message.usage
    if usage is None:
        return said
    counts = ((usage.input_tokens, "in"), (usage.output_tokens, "out"))
    tokens = ", ".join(f"{number:,} {way}" for number, way in counts if number is not None)
    return f"{said} · tokens {tokens}" if tokens else said
