"""A conversation to read outside the chat: as Markdown and as plain text. Inert, whatever a model wrote."""

from __future__ import annotations

import json
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, assert_never

from mewcode.llm.messages import TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, Usage
from mewcode.text import clean as inert
from mewcode.text import one_line as short

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from mewcode.llm.messages import Block, Message

clean, one_line = partial(inert, ascii=False), partial(short, ascii=False)  # a file outlives the terminal

Form: TypeAlias = Literal["md", "txt"]

_ENDED = {"cancelled": "Cancelled", "interrupted": "Cut off", "error": "Failed", "streaming": "Not finished"}
_MARKED = (
    "Control and invisible characters of the text stand as marks, such as ␛ and <U+202E>; a .json file holds the text"
    " as it came."
)
_NAME = 80  # characters of a model's name


class _Dress(NamedTuple):
    """What goes around our own words, so that they are told from the text."""

    title: str
    heading: str
    remark: str


_DRESSES: dict[Form, _Dress] = {"md": _Dress("# {}", "## {}", "*{}*"), "txt": _Dress("{}", "== {} ==", "[{}]")}


def readable(
    messages: Sequence[Message],
    form: Form,
    saved: datetime,
    *,
    thinking: bool = False,
    reasons: Mapping[str, str] | None = None,
) -> str:
    """`reasons` says by a message's id why it failed or ended as it did. Text that is already Markdown stays so."""
    dress = _DRESSES[form]
    sections = [section for message in messages for section in _sections(message, form, thinking, reasons or {})]
    count = f"{len(messages)} message{'' if len(messages) == 1 else 's'}"
    facts = [f"Saved {timestamp(saved)}", count, tokens(total(messages))]
    head = [dress.title.format("Conversation with mewcode"), "; ".join(filter(None, facts)) + "."]
    if any(clean(text) != text.replace("\r\n", "\n") for message in messages for text in _texts(message, thinking)):
        head.append(_MARKED)
    return "\n\n".join([*head, *sections]) + "\n"


def ended(message: Message) -> str:
    """That an answer is not whole, and after how many seconds; empty for one that is."""
    words = _ENDED.get(message.status, "")
    return f"{words} after {message.elapsed:.1f} s" if words and message.elapsed is not None else words


def tokens(usage: Usage | None) -> str:
    """The counts that are known, in words."""
    if usage is None:
        return ""
    cached = _counts((usage.cache_read_tokens, "from the cache"), (usage.cache_write_tokens, "written to it"))
    thought = _counts((usage.thinking_tokens, "thinking"))
    counts = _counts((usage.input_tokens, f"in{cached and f' ({cached})'}"), (usage.output_tokens, "out"))
    return counts and f"tokens {counts}{thought and f' ({thought})'}"


def total(messages: Sequence[Message]) -> Usage:
    """The sum of what the servers said; None where no server said anything."""
    known = [message.usage for message in messages if message.usage is not None]
    names = [item.name for item in fields(Usage)]
    numbers = {name: [n for usage in known if (n := getattr(usage, name)) is not None] for name in names}
    return Usage(**{name: sum(found) if found else None for name, found in numbers.items()})


def timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC, to the second."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _counts(*counts: tuple[int | None, str]) -> str:
    return ", ".join(f"{number:,} {words}" for number, words in counts if number is not None)


def _sections(message: Message, form: Form, thinking: bool, reasons: Mapping[str, str]) -> Iterator[str]:
    from mewcode.excerpts import closing_fence  # mistune: after the first paint

    dress = _DRESSES[form]
    author = [one_line(name, _NAME) for name in (message.provider, message.model) if name]
    yield dress.heading.format(", ".join([message.role, timestamp(message.created_at), *author]))
    for text in _texts(message, thinking):
        if whole := clean(text).strip("\n"):
            fence = closing_fence(whole) if form == "md" else ""
            yield f"{whole}\n{fence}" if fence else whole
    if remark := "; ".join(filter(None, (_end(message), tokens(message.usage)))):
        reason = one_line(reasons.get(message.id, ""))
        yield dress.remark.format(f"{remark}. {reason}".strip())
    elif reason := one_line(reasons.get(message.id, "")):
        yield dress.remark.format(reason)


def _end(message: Message) -> str:
    return ended(message) or (f"{message.elapsed:.1f} s" if message.elapsed is not None else "")


def _texts(message: Message, thinking: bool) -> Iterator[str]:
    """The message in parts; neighbouring blocks of text are one."""
    whole = ""
    for block in message.blocks:
        if isinstance(block, TextBlock):
            whole += block.text
        elif part := _aside(block, thinking):
            yield from filter(None, (whole, part))
            whole = ""
    if whole:
        yield whole


def _aside(block: Block, thinking: bool) -> str:
    """What is no text of the message, in words of ours and quoted."""
    match block:
        case ThinkingBlock(text):
            return _quoted("Thinking:", text) if thinking and text else ""
        case ToolUseBlock(_, name, arguments):
            return _quoted(f"Call of the tool {one_line(name, _NAME)}:", json.dumps(arguments, ensure_ascii=False))
        case ToolResultBlock(_, content, is_error):
            return _quoted("The tool failed:" if is_error else "The tool's result:", content)
        case TextBlock(text):
            return text
        case _:
            assert_never(block)


def _quoted(label: str, text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in (label, *text.strip("\n").split("\n")))
