from __future__ import annotations

import ast
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pytest

import mewcode

PACKAGE = Path(mewcode.__file__).parent

# What each layer may import of mewcode, beside itself: in a function and for types alone, too. A layer is the second
# part of a module's name; `version` is the package itself, which holds nothing else.
LAYERS: dict[str, str] = {
    "version": "",
    "errors": "",
    "secret": "",
    "text": "",
    "paths": "",
    "exits": "errors",
    "log": "secret",
    "price": "llm",
    "attachment": "errors text",
    "private": "errors text",
    "prompt": "version",
    "llm": "errors secret",
    "markdown": "text",
    "config": "errors paths price secret text llm",
    "providers": "errors llm secret text",
    "excerpts": "llm markdown",
    "readable": "excerpts llm text",
    "export": "llm private readable",
    "farewell": "llm readable text",
    "stops": "llm",
    "session": "errors llm stops",
    "launch": "config errors llm log prompt providers.local",
    "desk": "attachment config errors excerpts export llm price readable session text",
    "commands": "attachment desk errors text",
    "plain": "attachment commands config desk errors exits launch llm session text",
    "interrupt": "exits",
    "once": "errors exits interrupt llm stops text",
    "question": "errors exits text",
    "tui": "version errors secret text paths exits log prompt llm markdown config session launch once question"
    " private excerpts readable export farewell desk commands price attachment",
    "cli": "version errors secret text paths exits log prompt llm markdown config providers session launch once"
    " question tui plain attachment",
    "__main__": "cli",
}
AT_THE_TOP = {"cli": "version exits"}  # whatever else it needs, it imports inside functions
THIRD_PARTIES = {
    "mistune": "mewcode.markdown.*",
    "pygments": "mewcode.markdown.highlight",
    "ruamel": "mewcode.config.*",
    "urwid": "mewcode.tui.*",
    "anthropic": "mewcode.providers.anthropic",
    "openai": "mewcode.providers.openai*",
    "httpx2": "mewcode.providers.*",
    "xllamacpp": "mewcode.providers._llama",
}
BY_NAME = "mewcode.llm.registry"  # the one module that imports what it is told


class Import(NamedTuple):
    target: str
    line: int
    runs_at_once: bool  # when the module is imported, not in a function and not for types alone


def found_imports(source: str) -> list[Import]:
    """Every import of a module's source, at any depth."""
    return list(_walk(ast.parse(source), at_once=True))


def _walk(node: ast.AST, *, at_once: bool):
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Import(names=names):
                for name in names:
                    yield Import(name.name, child.lineno, at_once)
            case ast.ImportFrom(module="importlib", names=names) if any(name.name == "import_module" for name in names):
                yield Import("import_module", child.lineno, at_once)
            case ast.ImportFrom(module=module, names=names, level=level):
                for name in names:
                    yield Import("." * level + f"{module or ''}.{name.name}", child.lineno, at_once)
            case ast.Call(func=ast.Name(id="__import__") | ast.Attribute(attr="import_module")):
                yield Import("import_module", child.lineno, at_once)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield from _walk(child, at_once=False)
                continue
        inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _walk(child, at_once=at_once and not inside)


def layer_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "version"


def faults(module: str, source: str) -> list[str]:
    """What a module imports and may not, one line each."""
    return [f"{module}:{found.line} {found.target}" for found in found_imports(source) if not is_allowed(module, found)]


def is_allowed(module: str, found: Import) -> bool:
    first = found.target.split(".")[0]
    if found.target == "import_module":
        return module == BY_NAME
    if first in THIRD_PARTIES:
        return fnmatch(module, THIRD_PARTIES[first])
    if first != "mewcode":
        return first in sys.stdlib_module_names  # also refuses relative imports
    own, wanted = layer_of(module), layer_of(found.target)
    if wanted.startswith("__version"):
        wanted = "version"
    if own == wanted:
        return True
    allowed = (AT_THE_TOP[own] if own in AT_THE_TOP and found.runs_at_once else LAYERS[own]).split()
    return wanted in allowed or any(f"{found.target}.".startswith(f"mewcode.{each}.") for each in allowed)


def modules() -> dict[str, str]:
    """Name → source of every module of the package."""
    return {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path.read_text()
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def test_every_module_is_in_a_layer_and_every_layer_has_a_module():
    assert {layer_of(module) for module in modules()} == set(LAYERS)


def test_no_module_imports_what_its_layer_may_not():
    assert [fault for module, source in modules().items() for fault in faults(module, source)] == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("mewcode.llm.turn", "from mewcode.config.settings import Settings"),
        ("mewcode.llm.turn", "import mewcode.text"),
        ("mewcode.llm.turn", "import urwid"),
        ("mewcode.llm.turn", "import importlib\nimportlib.import_module('mewcode.tui.app')"),
        ("mewcode.llm.turn", "from importlib import import_module as load\nload('mewcode.tui.app')"),
        ("mewcode.llm.turn", "def f():\n    from mewcode import providers"),
        ("mewcode.llm.turn", "class A:\n    async def f(self):\n        if True:\n            import openai.types"),
        ("mewcode.llm.turn", "from .. import text"),
        ("mewcode.llm.turn", "import requests"),
        ("mewcode.session", "if TYPE_CHECKING:\n    from mewcode.tui.app import App"),
        ("mewcode.session", "try:\n    from mewcode import text\nexcept ImportError:\n    pass"),
        ("mewcode.text", "from mewcode.secret import Secret"),
        ("mewcode.markdown.render", "from urwid import Text"),
        ("mewcode.providers.anthropic", "from openai import OpenAI"),
        ("mewcode.providers.openai", "import anthropic"),
        ("mewcode.providers._stream", "import openai"),
        ("mewcode.providers.local", "from mewcode.config.load import load_settings"),
        ("mewcode.providers.local", "import xllamacpp"),
        ("mewcode.launch", "from mewcode.providers.localhost import x"),
        ("mewcode.launch", "def f():\n    from mewcode.providers.openai import x"),
        ("mewcode.launch", "import mewcode.providers"),
        ("mewcode.tui.app", "from mewcode.providers.anthropic import AnthropicProvider"),
        ("mewcode.tui.app", "import mistune"),
        ("mewcode.tui.app", "from mewcode.cli import main"),
        ("mewcode.cli", "from mewcode.errors import MewcodeError"),
        ("mewcode.cli", "class A:\n    from mewcode import once"),
    ],
)
def test_an_import_across_the_layers_is_a_fault(module: str, source: str):
    assert len(faults(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("mewcode.llm.turn", "import queue\nfrom collections.abc import Callable\nfrom mewcode.llm.cancel import X"),
        ("mewcode.llm.turn", "from mewcode import errors\nfrom mewcode.errors import LLMError"),
        ("mewcode.llm.registry", "import importlib\nimportlib.import_module('x')"),
        ("mewcode.prompt", "from mewcode import __version__"),
        ("mewcode.providers.openai_compat", "from openai import Stream\nimport httpx2"),
        ("mewcode.launch", "def f():\n    from mewcode.providers.local import x"),
        ("mewcode.cli", "from mewcode import __version__, exits\ndef f():\n    from mewcode.tui.app import run"),
        ("mewcode.cli", "if TYPE_CHECKING:\n    from mewcode.launch import Launcher"),
    ],
)
def test_an_import_within_them_is_none(module: str, source: str):
    assert faults(module, source) == []


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["once", "--help"]])
def test_asking_for_help_loads_no_third_party(arguments: list[str]):
    code = f"""
import sys
from mewcode.cli import main
try:
    main({arguments})
except SystemExit as end:
    assert not end.code
    print()
print("loaded:", *({set(THIRD_PARTIES) | {"pydantic"}} & set(sys.modules)))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    assert ran.stdout.splitlines()[-1].strip() == "loaded:"


def test_the_chat_is_there_before_what_reads_answers_and_before_any_sdk():
    code = f"import sys, mewcode.tui.app; print('loaded:', *({set(THIRD_PARTIES) | {'pydantic'}} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["loaded:", "urwid"]
