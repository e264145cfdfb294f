"""Markdown to blocks: what is read, and what each thing looks like. No widths (`table`, `tui.rows`), no widgets.

Everything is decided where it stands, so that a text can be rendered in parts (`stable`): link definitions and
footnotes stay in the text as they were written, and HTML is text. Line breaks are kept.
"""

from __future__ import annotations

import html
import re
from dataclasses import replace
from html.entities import html5
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias
from urllib.parse import unquote

import mistune
from mistune.helpers import BLOCK_TAGS, PRE_TAGS
from mistune.plugins.formatting import strikethrough
from mistune.plugins.task_lists import task_lists
from mistune.plugins.url import parse_url_link

from mewcode.markdown.blocks import BLANK, Align, AnyBlock, Block, Lead, Markup, TableBlock, spaced, text_of
from mewcode.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Token: TypeAlias = dict[str, Any]

LIMIT = 1_000_000
"""Characters. A longer text is shown as it is: parsing takes 2 ms per 1,000 (mistune 3.4)."""

_QUOTE = Lead("  ", "md.quote", every_row=True)  # an indent: a bar would be copied with the text by a mouse
_RULE = Block(("md.rule", "─" * 12), wrap="any")
_INLINE_STYLES = {"emphasis": "md.emphasis", "strong": "md.strong", "strikethrough": "md.strike"}

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ESCAPED_BYTES = re.compile(r"(?:%[89A-F][0-9A-F])+")
_LINE_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_PIPE = re.compile(r"(?<!\\)\|")
_DELIMITER = re.compile(r":?-+:?")
_URL = r"https?://[^\s<>*`\x80-\U0010ffff]*[A-Za-z0-9/#=&%+-]"  # mistune's own takes the ** that closes emphasis too
_FORMULA = r"\\[\[(]|\$(?=\S)[^$\n]{1,200}(?<=\S)\$(?!\d)"
_HTML = rf"^ {{0,3}}<(?:/?(?i:{'|'.join((*BLOCK_TAGS, *PRE_TAGS))})(?![\w-])|!--|\?|![A-Z]|!\[CDATA\[)"
_TABLE = r"^(?P<table_1> {0,3}\S[^\n]*)\n(?P<table_2> {0,3}(?=[^\n]*\|)[-:|][-:| \t]*)$"


class BlockParser(mistune.BlockParser):
    """mistune's, but: no definitions; HTML ends at a blank line; a table with uneven rows is a table.

    mistune 3.4 takes a table with one short or long row for a paragraph, and lets an open comment take all the rest.
    """

    SPECIFICATION: ClassVar[dict[str, str]] = {
        **mistune.BlockParser.SPECIFICATION,
        "block_html": _HTML,
        "raw_html": _HTML,
        "table": _TABLE,
    }
    DEFAULT_RULES = (
        *("fenced_code", "indent_code", "atx_heading", "setex_heading", "thematic_break"),
        *("block_quote", "list", "raw_html", "table", "blank_line"),
    )

    def parse_raw_html(self, m: re.Match[str], state: mistune.BlockState) -> int:
        blank = self.BLANK_LINE.search(state.src, state.cursor)
        end = blank.start() if blank else state.cursor_max
        state.append_token({"type": "block_html", "raw": state.get_text(end)})
        return end

    def parse_table(self, m: re.Match[str], state: mistune.BlockState) -> int | None:
        delimiters = _cells(m["table_2"])
        if "|" not in m["table_1"] or not all(_DELIMITER.fullmatch(cell) for cell in delimiters):
            return None
        rows = [_cells(m["table_1"])]
        end = m.end() + 1
        interrupted = self.compile_sc(["fenced_code", "atx_heading", "thematic_break", "block_quote", "list"])
        while end < state.cursor_max and "|" in (line := state.get_line(end)):
            if interrupted.match(state.src, end):
                break
            rows.append(_cells(line))
            end += len(line)
        children = [{"type": "table_row", "children": [{"type": "cell", "text": cell} for cell in row]} for row in rows]
        state.append_token({"type": "table", "attrs": {"aligns": delimiters}, "children": children})
        return end


def _literals(md: mistune.Markdown) -> None:
    md.inline.register("url_link", _URL, parse_url_link)
    md.inline.register("name", r"(?<!\w)__\w+__(?!\w)", _parse_name, before="emphasis", start_chars="_")
    md.inline.register("formula", _FORMULA, _parse_formula, before="escape", start_chars=["\\", "$"])


def _parse_name(inline: mistune.InlineParser, m: re.Match[str], state: mistune.InlineState) -> int:
    """`__init__` is strong, and keeps its underscores."""
    state.append_token({"type": "strong", "children": [{"type": "text", "raw": m[0]}]})
    return m.end()


def _parse_formula(inline: mistune.InlineParser, m: re.Match[str], state: mistune.InlineState) -> int:
    """TeX stays as it is. `\\[` and `\\(` reach to their other half; without one only the bracket is literal."""
    close = None if m[0][0] == "$" else state.delimiters.find({"[": "\\]", "(": "\\)"}[m[0][1]], m.end())
    end = m.end() if close is None else close + 2
    state.append_token({"type": "formula", "raw": state.src[m.start() : end]})
    return end


_MARKDOWN = mistune.Markdown(block=BlockParser(), plugins=[strikethrough, task_lists, _literals])


def render(text: str) -> list[AnyBlock]:
    """A whole text, or a part of one that `stable_prefix` has cut off. Foreign text: it is cleaned here.

    The blocks of two such parts make the blocks of the whole with `spaced(first, second)`.
    """
    text = clean(text)
    if len(text) > LIMIT:
        return [Block(line) for line in text.split("\n")]
    tokens: Any = _MARKDOWN(text)  # a list, as there is no renderer
    return spaced(*(list(_blocks(token)) for token in _tokens(tokens)))


def _tokens(tokens: Iterable[Token]) -> Iterator[Token]:
    return (token for token in tokens if token["type"] != "blank_line")


def _blocks(token: Token) -> Iterator[AnyBlock]:
    match token:
        case {"type": "heading", "attrs": {"level": level}, "children": children}:
            yield Block(("md.heading", _joined(["#" * level + " ", _inline(children)])))
        case {"type": "block_code", "raw": raw}:
            yield from _code(raw, token.get("attrs", {}).get("info", ""))
        case {"type": "block_quote", "children": children}:
            yield from map(_quoted, spaced(*(list(_blocks(child)) for child in _tokens(children))))
        case {"type": "list", "children": items, "attrs": attrs}:
            marks = [_mark(item, number, token["bullet"]) for number, item in enumerate(items, attrs.get("start", 1))]
            yield from _list(items, marks, tight=token["tight"])
        case {"type": "table", "children": rows, "attrs": {"aligns": aligns}}:
            yield _table(rows, aligns)
        case {"type": "thematic_break"}:
            yield _RULE
        case {"type": "block_html", "raw": raw}:
            yield Block(raw.strip("\n"))
        case {"children": children}:
            yield Block(_inline(children))


def _code(raw: str, info: str) -> Iterator[Block]:
    """A block a line, so that a growing listing changes only at its end. The label may be a file name: it is kept."""
    if info:
        yield Block(("md.rule", f"{info}:"))
    for line in raw.removesuffix("\n").split("\n"):
        yield Block(("md.code", line), wrap="any")


def _quoted(block: AnyBlock) -> AnyBlock:
    if block == BLANK:
        return block
    block = replace(block, leads=(_QUOTE, *block.leads))
    match block:
        case Block(markup=markup):
            return replace(block, markup=("md.quote", markup))
        case TableBlock():
            return block


def _mark(item: Token, number: int, bullet: str) -> str:
    """The text before an item: a mistune list names its last delimiter, `.` or `)` if it is numbered."""
    mark = f"{number}{bullet} " if bullet in ".)" else "• "
    match item:
        case {"type": "task_list_item", "attrs": {"checked": checked}}:
            return mark.replace("• ", "") + ("[x] " if checked else "[ ] ")
    return mark


def _list(items: list[Token], marks: list[str], *, tight: bool) -> Iterator[AnyBlock]:
    width = max(map(len, marks))
    for position, (item, mark) in enumerate(zip(items, marks, strict=True)):
        if position and not tight:
            yield BLANK
        yield from _item(item, mark.rjust(width))


def _item(item: Token, mark: str) -> Iterator[AnyBlock]:
    first, rest = Lead(mark, "md.bullet"), Lead(" " * len(mark), "md.bullet")
    for position, block in enumerate(list(_item_blocks(item["children"])) or [BLANK]):
        if position and block == BLANK:
            yield block
        else:
            yield replace(block, leads=(rest if position else first, *block.leads))


def _item_blocks(children: Iterable[Token]) -> Iterator[AnyBlock]:
    """Blank rows where the source has blank lines, and after an inner list, which has swallowed its own."""
    previous, blank = "", False
    for token in children:
        kind = token["type"]
        if kind == "blank_line":
            blank = True
            continue
        if previous and (blank or (previous == "list" and kind != "list")):
            yield BLANK
        yield from _blocks(token)
        previous, blank = kind, False


def _table(rows: list[Token], delimiters: list[str]) -> TableBlock:
    cells = [[_cell(cell["children"]) for cell in row["children"]] for row in rows]
    columns = max(len(delimiters), *map(len, cells))
    header, *body = ((*row, *([""] * (columns - len(row)))) for row in cells)
    aligns = [_align(delimiter) for delimiter in [*delimiters, *([""] * (columns - len(delimiters)))]]
    return TableBlock(header, tuple(body), tuple(aligns))


def _align(delimiter: str) -> Align:
    if delimiter.endswith(":"):
        return "center" if delimiter.startswith(":") else "right"
    return "left"


def _cells(line: str) -> list[str]:
    line = line.strip().removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _PIPE.split(line)]


def _cell(children: list[Token]) -> Markup:
    """Cells are one line of source, so a break can only be written as a tag."""
    return _joined("\n" if _is_break(token) else _span(token) for token in children)


def _is_break(token: Token) -> bool:
    return token["type"] == "inline_html" and bool(_LINE_BREAK_TAG.fullmatch(token["raw"]))


def _inline(children: Iterable[Token]) -> Markup:
    return _joined(map(_span, children))


def _span(token: Token) -> Markup:
    match token:
        case {"type": "text", "raw": raw}:
            return _ENTITY.sub(_character, raw)
        case {"type": "codespan", "raw": raw}:
            return ("md.code", raw)
        case {"type": "linebreak" | "softbreak"}:
            return "\n"
        case {"type": "link" | "image", "children": children, "attrs": {"url": url, **more}}:
            return _link(_inline(children), _readable(url), str(more.get("title", "")))
        case {"type": kind, "children": children}:
            return (_INLINE_STYLES[kind], _inline(children))
    return str(token.get("raw", ""))


def _link(label: Markup, url: str, title: str) -> Markup:
    text = text_of(label)
    shown = f'{url} "{title}"'.lstrip() if title else url
    if not title and unquote(url.removeprefix("mailto:")) == unquote(text.removeprefix("mailto:")):
        return ("md.link", text)
    return _joined([label, " (", ("md.link", shown), ")"]) if text else ("md.link", shown)


def _joined(parts: Iterable[Markup]) -> Markup:
    """The parts as one markup in its shortest form: neighbouring texts are one."""
    flat: list[Markup] = []
    for part in parts:
        for piece in part if type(part) is list else [part]:
            if type(piece) is str and flat and type(flat[-1]) is str:
                flat[-1] += piece
            elif piece:
                flat.append(piece)
    return flat[0] if len(flat) == 1 else flat or ""


def _character(entity: re.Match[str]) -> str:
    """What an entity stands for; itself where that is nothing, or nothing a terminal may get."""
    found = html.unescape(entity[0]) if entity[0][1] == "#" else html5.get(entity[0][1:], "")
    return found if found and clean(found) == found else entity[0]


def _readable(url: str) -> str:
    """Undo mistune's percent-encoding where it hides letters."""
    return _ESCAPED_BYTES.sub(_letters, url)


def _letters(escaped: re.Match[str]) -> str:
    found = bytes.fromhex(escaped[0].replace("%", "")).decode(errors="replace")
    return found if "\ufffd" not in found and found.isprintable() and clean(found) == found else escaped[0]
