"""The examples of the CommonMark and GFM specifications; README.md says where they come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

NAMES = ("commonmark", "gfm")


class Example(NamedTuple):
    name: str
    markdown: str
    html: str


def examples(name: str) -> list[Example]:
    written = json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))
    return [Example(f"{name} {each['example']}, {each['section']}", each["markdown"], each["html"]) for each in written]
