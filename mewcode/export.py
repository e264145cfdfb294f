"""A conversation as a file: Markdown and plain text to read, JSON to keep every byte. `docs/exports.md` has the forms.

A message holds no key; the query of an address, which may hold one, is left out. The file is private, and whole or not
there.
"""

from __future__ import annotations

import json
import os
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mewcode.llm.messages import TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from mewcode.private import AlreadyThere, SaveError, shown, write_private
from mewcode.readable import readable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mewcode.llm.messages import Block, Message

Format: TypeAlias = Literal["md", "json", "txt"]

VERSION = 1
_FORMATS: dict[str, Format] = {".md": "md", ".json": "json", ".txt": "txt"}
_TYPES = {TextBlock: "text", ThinkingBlock: "thinking", ToolUseBlock: "tool_use", ToolResultBlock: "tool_result"}


def save(
    name: str,
    messages: Sequence[Message],
    *,
    force: bool = False,
    thinking: bool = False,
    reasons: Mapping[str, str] | None = None,
) -> Path:
    """Write the file that `name` says, in the form that its suffix says; where it is now.

    `force` writes over a file, through a symbolic link too. `thinking` and `reasons` are those of `export`.
    Raises: SaveError, one sentence; then nothing has changed.
    """
    form = format_of(name)
    if not messages:
        raise SaveError("there is nothing to save yet")
    text = export(messages, form, datetime.now(UTC), thinking=thinking, reasons=reasons)
    path = Path(os.path.expanduser(name))
    if force and path.is_symlink():
        path = Path(os.path.realpath(path))
    try:
        write_private(path, text.encode(), force=force)
    except AlreadyThere as error:
        raise AlreadyThere(f"{error}, or write over it with /save!") from None
    return path


def format_of(name: str) -> Format:
    """By the suffix. Raises: SaveError, which names the three there are."""
    form = _FORMATS.get(os.path.splitext(name)[1].lower())
    if form is None:
        what = f"{shown(name)} does not say in which form to save" if name else "name a file to save to"
        raise SaveError(f"{what}: end its name in .md, .json or .txt")
    return form


def export(
    messages: Sequence[Message],
    form: Format,
    saved: datetime,
    *,
    thinking: bool = False,
    reasons: Mapping[str, str] | None = None,
) -> str:
    """The whole file. JSON has thinking always, and no `reasons`: by message id, why it failed or ended as it did."""
    if form == "json":
        whole = {"mewcode": VERSION, "messages": [_message(message) for message in messages]}
        return json.dumps(whole, indent=1) + "\n"  # ASCII: inert, and half a surrogate pair survives
    return readable(messages, form, saved, thinking=thinking, reasons=reasons)


def _message(message: Message) -> dict[str, Any]:
    """Every field, in its order."""
    plain = _fields(message)
    plain["blocks"] = [_block(block) for block in message.blocks]
    plain["created_at"] = message.created_at.isoformat()
    plain["usage"] = message.usage and _fields(message.usage)
    plain["base_url"] = message.base_url and message.base_url.partition("?")[0]
    return plain


def _block(block: Block) -> dict[str, Any]:
    return {"type": _TYPES[type(block)], **_fields(block)}


def _fields(value: Any) -> dict[str, Any]:
    return {item.name: getattr(value, item.name) for item in fields(value)}
