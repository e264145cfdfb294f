"""What stands in a paragraph, a heading or a cell, as markup: emphasis, code, links. mistune reads it.

Every character stays but the marks that Markdown means: entities are the letters they stand for, HTML, TeX, references
and footnotes are text, and the target of a link follows its words.
"""

from __future__ import annotations

import html
import re
from html.entities import html5
from typing import Any, TypeAlias
from urllib.parse import unquote

import mistune
from mistune.plugins.formatting import strikethrough
from mistune.plugins.url import parse_url_link

from mewcode.markdown.blocks import Markup, joined, text_of
from mewcode.text import clean

Token: TypeAlias = dict[str, Any]

FORMULAS = {"\\[": "\\]", "\\(": "\\)", "$$": "$$"}
"""What begins a formula in a line, and what ends it. A single dollar must have its other half in the same line."""

PRODUCT = r"(?<=[A-Za-z0-9)\]])\*(?=[A-Za-z0-9(\[])|(?<=[A-Za-z)\]])\*\*(?=[0-9])|(?<=[0-9])\*\*(?=[A-Za-z0-9(\[])"
"""`2*3*4` and `x**2 + y**2`: no emphasis, unlike in CommonMark, where asterisks would be lost and the value changed."""

CJK = r"[\u2e80-\u2fdf\u3040-\u30ff\u3100-\u31bf\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"

_SEAM = "\0"
_SEAMS = re.compile(rf"(?<=[^\w\s*])(\*{{1,3}})(?={CJK})|(?<={CJK})(\*{{1,3}})(?=[^\w\s*])")

_STYLES = {"emphasis": "md.emphasis", "strong": "md.strong", "strikethrough": "md.strike"}
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ESCAPED_BYTES = re.compile(r"(?:%[89A-F][0-9A-F])+")
_LINE_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_URL = r"https?://[^\s<>*`\x80-\U0010ffff]*[A-Za-z0-9/#=&%+-]"  # mistune's own takes the ** that closes emphasis too
_FORMULA = r"\\[\[(]|\$\$|\$(?=\S)[^$\n]{1,200}(?<=\S)\$(?!\d)"


def inline(text: str) -> Markup:
    """The markup of a cleaned text; its line breaks are kept."""
    return joined(map(_span, _parsed(text)))


def cell(text: str) -> Markup:
    """The same for a cell of a table: one line of source, where a break can only be written as a tag."""
    return joined("\n" if _is_break(token) else _span(token) for token in _parsed(text))


def _parsed(text: str) -> list[Token]:
    """Between an asterisk and a letter of a script without spaces comes a seam, which mistune takes for punctuation.

    CommonMark 0.31 sees no end of emphasis in `**注意：**请`. A cleaned text holds no such character itself.
    """
    return _MARKDOWN.inline(_SEAMS.sub(_with_seam, text).strip(" \t\n"), {})


def _with_seam(found: re.Match[str]) -> str:
    return f"{found[1]}{_SEAM}" if found[1] else f"{_SEAM}{found[2]}"


def _literals(md: mistune.Markdown) -> None:
    md.inline.register("url_link", _URL, parse_url_link)
    md.inline.register("name", r"(?<!\w)__\w+__(?!\w)", _parse_name, before="emphasis", start_chars="_")
    md.inline.register("product", PRODUCT, _parse_product, before="emphasis", start_chars="*")
    md.inline.register("formula", _FORMULA, _parse_formula, before="escape", start_chars=["\\", "$"])


def _parse_name(parser: mistune.InlineParser, m: re.Match[str], state: mistune.InlineState) -> int:
    """`__init__` is strong, and keeps its underscores."""
    state.append_token({"type": "strong", "children": [{"type": "text", "raw": m[0]}]})
    return m.end()


def _parse_product(parser: mistune.InlineParser, m: re.Match[str], state: mistune.InlineState) -> int:
    parser.process_text(m[0], state, parse_emphasis=False)
    return m.end()


def _parse_formula(parser: mistune.InlineParser, m: re.Match[str], state: mistune.InlineState) -> int:
    """TeX stays as it is. A mark without its other half is literal by itself."""
    close = state.delimiters.find(FORMULAS[m[0]], m.end()) if m[0] in FORMULAS else None
    end = m.end() if close is None else close + 2
    state.append_token({"type": "formula", "raw": state.src[m.start() : end]})
    return end


_MARKDOWN = mistune.Markdown(plugins=[strikethrough, _literals])


def _is_break(token: Token) -> bool:
    return token["type"] == "inline_html" and bool(_LINE_BREAK_TAG.fullmatch(token["raw"]))


def _span(token: Token) -> Markup:
    match token:
        case {"type": "text", "raw": raw}:
            return _ENTITY.sub(_character, raw.replace(_SEAM, ""))
        case {"type": "codespan", "raw": raw}:
            return ("md.code", raw.replace(_SEAM, ""))
        case {"type": "linebreak" | "softbreak"}:
            return "\n"
        case {"type": "link" | "image", "children": children, "attrs": {"url": url, **more}}:
            return _link(joined(map(_span, children)), _readable(url), str(more.get("title", "")))
        case {"type": kind, "children": children}:
            return (_STYLES[kind], joined(map(_span, children)))
    return str(token.get("raw", "")).replace(_SEAM, "")


def _link(label: Markup, url: str, title: str) -> Markup:
    text = text_of(label)
    shown = f'{url} "{title}"'.lstrip() if title else url
    if not title and unquote(url.removeprefix("mailto:")) == unquote(text.removeprefix("mailto:")):
        return ("md.link", text)
    return joined([label, " (", ("md.link", shown), ")"]) if text else ("md.link", shown)


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
