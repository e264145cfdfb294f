"""Every TERM in every locale at every size: the chat is readable and can be left, or says in one line why not.

`python -m tests.e2e.matrix` tries them all and prints a table; a sample of them runs with the tests.
"""

from __future__ import annotations

import itertools
import random
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.e2e.terminal import PROGRAM, Terminal

TERMS = (
    *("xterm-256color", "xterm", "tmux-256color", "screen", "screen-256color", "linux", "vt100", "dumb"),
    "of-tomorrow",
)
LOCALES = ("C.UTF-8", "en_US.UTF-8", "C", "POSIX", "zh_CN.GBK", "en_US.ISO-8859-1", "nowhere")
SIZES = (
    *((20, 5), (40, 12), (80, 24), (100, 30), (132, 43), (160, 50), (200, 60), (400, 120)),
    *((30, 40), (80, 5), (20, 60), (120, 15)),
)
SAMPLE = 28
_CONFIG = "providers:\n  - {name: here, protocol: openai-compat, model: tiny, api_key: none, base_url: 'http://127.0.0.1:9/v1'}\n"


class Try(NamedTuple):
    term: str
    locale: str
    size: tuple[int, int]


def all_tries() -> list[Try]:
    return [Try(*each) for each in itertools.product(TERMS, LOCALES, SIZES)]


def sample(count: int = SAMPLE, seed: int = 34) -> list[Try]:
    return random.Random(seed).sample(all_tries(), count)


def fault(each: Try, folder: Path) -> str:
    """What is wrong there; empty where all is well."""
    config = folder / "config.yaml"
    config.write_text(_CONFIG, encoding="utf-8")
    config.chmod(0o600)
    environ = {"TERM": each.term, "LC_ALL": each.locale, "LANG": "", "HOME": str(folder)}
    chat = Terminal([PROGRAM, "-c", str(config)], each.size, **environ)
    try:
        chat.wait(lambda: "❯" in chat.text or ">" in chat.text.split("\n", 1)[-1] or "> " in chat.text)
        chat.send("hello")
        chat.wait("hello")
        chat.send("\x15/exit\r")
        code = chat.exit_code()
    except AssertionError as error:
        return str(error)
    finally:
        chat.close()
    if b"Traceback" in chat.raw:
        return "a traceback"
    return "" if code == 0 else f"exit code {code}"


def main() -> int:
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for term in TERMS:
            for locale in LOCALES:
                faults = [fault(Try(term, locale, size), Path(folder)) for size in SIZES]
                bad += sum(map(bool, faults))
                shown = "".join("x" if each else "." for each in faults)
                sys.stdout.write(f"{term:<16} {locale:<18} {shown}\n")
                sys.stdout.flush()
    sys.stdout.write(f"{len(all_tries())} terminals, {bad} faults\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
