from __future__ import annotations

import ast
from pathlib import Path

from mewcode.commands import COMMANDS
from mewcode.tui.keys import KEYS

ROOT = Path(__file__).resolve().parents[2]


def _line(path: Path) -> str:
    """The module's row in docs/files.md: its path and the first paragraph of its docstring."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return f"| `{path.relative_to(ROOT)}` | {' '.join(docstring.split(chr(10) * 2)[0].split())} |"


def test_every_module_has_its_line_in_the_list_of_files():
    listed = (ROOT / "docs" / "files.md").read_text(encoding="utf-8").splitlines()
    modules = sorted((ROOT / "mewcode").rglob("*.py"))
    assert [line for line in listed if line.startswith("| `mewcode/")] == [_line(path) for path in modules]


def test_the_readme_names_every_key_and_command():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "".join(f"| {key.keys} | {key.help} |\n" for key in KEYS) in readme
    assert "".join(f"| {command.usage} | {command.help} |\n" for command in COMMANDS) in readme


def test_no_module_is_longer_than_three_hundred_lines():
    for path in (ROOT / "mewcode").rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 300, path
