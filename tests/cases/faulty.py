"""`python -m tests.cases.faulty POINT ARGUMENT…`: the program with a fault inside it, which no input can cause.

POINT is one of the case's, or `MODULE:NAME`; FAULT in the environment is the class to raise, RuntimeError without it.
The fault is raised from a frame that holds the key, and names it: the worst that a library could do.
"""

from __future__ import annotations

import builtins
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

PLACES: Mapping[str, tuple[str, str]] = {
    "config load": ("mewcode.launch", "load_settings"),
    "client build": ("mewcode.launch", "create_client"),
    "request": ("mewcode.providers._stream", "Heard"),
    "stream": ("mewcode.providers.openai_compat", "translate"),
    "draw": ("mewcode.tui.view", "View.render"),
    "save": ("mewcode.export", "save"),
}
KEY_VARIABLE = "CANARY_KEY"


def fault(*_arguments: object, **_named: object) -> NoReturn:
    key = os.environ.get(KEY_VARIABLE, "nothing")
    kind = getattr(builtins, os.environ.get("FAULT", "RuntimeError"))
    raise kind(1 if kind is SystemExit else f"a fault that knows {key}")


def main() -> int:
    point = sys.argv.pop(1)
    module, name = PLACES[point] if point in PLACES else point.split(":")
    owner: object = import_module(module)
    *outer, last = name.split(".")
    for each in outer:
        owner = getattr(owner, each)
    setattr(owner, last, fault)
    from mewcode.cli import main as program

    return program()


if __name__ == "__main__":
    sys.exit(main())
