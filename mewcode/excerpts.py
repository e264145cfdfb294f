"""Parts of a conversation to take away: an answer, or a block of code out of one, exactly as the model wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewcode.markdown.parts import Code, Item, Quote
from mewcode.markdown.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mewcode.llm.messages import Message
    from mewcode.markdown.parts import Placed


def nth_answer(messages: Sequence[Message], n: int = 1) -> str:
    """The text of the n-th answer from the end; those without text do not count. Raises: LookupError, a sentence."""
    answers = [message.text for message in messages if message.role == "assistant" and message.text.strip()]
    if not answers:
        raise LookupError("There is no answer yet.")
    if not 1 <= n <= len(answers):
        raise LookupError(f"There is no answer {n}: count from the last one, which is 1, to {len(answers)}.")
    return answers[-n]


def nth_code_block(text: str, n: int = 1) -> str:
    """The inside of the n-th fenced block of a Markdown source, without its last line end.

    Raises: LookupError, a sentence.
    """
    blocks = code_blocks(text)
    if not blocks:
        raise LookupError("There is no block of code in the answer.")
    if not 1 <= n <= len(blocks):
        raise LookupError(f"There is no block {n}: count from the first one, which is 1, to {len(blocks)}.")
    return blocks[n - 1]


def code_blocks(text: str) -> list[str]:
    """The insides of all fenced blocks, those on the screen; one that is never closed ends with what it stands in."""
    return ["\n".join(code.lines) for code in _fenced(_read(text).end())]


def closing_fence(text: str) -> str:
    """The line that would close the block of code in which a text ends; empty if it ends in none.

    A fence inside a list item or a quote needs none: it ends with those.
    """
    fence = _read(text).fence
    return fence.marks.strip() if fence else ""


def _read(text: str) -> Reader:
    """As the screen reads it, but with every character as it came: only CR LF is a line end as LF is."""
    reader = Reader()
    for line in text.replace("\r\n", "\n").removesuffix("\n").split("\n"):
        reader.feed(line)
    return reader


def _fenced(parts: Iterable[Placed]) -> Iterator[Code]:
    for placed in parts:
        match placed.part:
            case Code(fenced=True) as code:
                yield code
            case Quote(inner) | Item(_, inner):
                yield from _fenced(inner)
