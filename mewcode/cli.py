"""The command line. Each command's module is imported only when it runs: `--help` and `--version` load nothing else."""

from __future__ import annotations

import argparse
import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from mewcode import __version__, exits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mewcode.launch import Launcher
    from mewcode.log import Log

_COMMANDS = ("chat", "once")
_WITH_VALUE = (
    *("-c", "--config", "-p", "--provider", "--model", "--max-tokens", "--effort", "--system", "--log"),
    *("-m", "--message", "--output", "-f", "--file"),
)
_EPILOG = """\
exit codes of once: 0 answered · 2 wrong usage · 65 refused as it stands · 69 no such model, no quota, no secure
connection · 74 input or output · 75 try again later · 76 not the protocol · 77 key refused · 78 configuration ·
130 interrupted"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; its exit code."""
    try:
        options = _parser().parse_args(_normalised(list(sys.argv[1:] if argv is None else argv)))
    except SystemExit as end:  # argparse: help, version, wrong usage
        code = exits.USAGE if end.code else exits.OK
    else:
        code = _guarded(options)
    return code if _written() else code or exits.IO


def _written() -> bool:
    """Whether all went out. What could not is dropped: the interpreter would fail on it at the end, with 120."""
    written = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            written = False
    return written


def _normalised(arguments: list[str]) -> list[str]:
    """With the command in front, and with `--local`'s optional value told apart from a message."""
    if {"-h", "--help", "--version"} & set(arguments[:1]):
        return arguments[:1]
    at = _first_word(arguments)
    if at < len(arguments) and arguments[at] in _COMMANDS:
        arguments = [arguments[at], *arguments[:at], *arguments[at + 1 :]]
    else:
        arguments = ["chat", *arguments]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    whole: list[str] = []
    for argument in arguments[:end]:
        if whole[-1:] == ["--local="] and argument.endswith(".gguf"):
            whole[-1] += argument
        else:
            whole.append("--local=" if argument == "--local" else argument)
    return whole + arguments[end:]


def _first_word(arguments: list[str]) -> int:
    """Where the first argument is that is neither a flag nor a flag's value; their number if none is."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "--":
        has_model = arguments[at] == "--local" and arguments[at + 1 : at + 2] and arguments[at + 1].endswith(".gguf")
        at += 2 if has_model or arguments[at] in _WITH_VALUE else 1
    return min(at, len(arguments))


class _Parser(argparse.ArgumentParser):
    """Flags in full: an abbreviation would change its meaning with each flag that comes. Errors in one sentence."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        self.exit(exits.USAGE, f"mewcode: {message}; `{self.prog} --help` shows what there is\n")


def _parser() -> argparse.ArgumentParser:
    common = _Parser(add_help=False)
    common.add_argument("-c", "--config", type=Path, metavar="FILE", help="this configuration and no other")
    common.add_argument("-p", "--provider", metavar="NAME", help="which entry of the configuration")
    common.add_argument("--local", metavar="MODEL.gguf", help="the embedded model: no key, no configuration")
    common.add_argument("--model", metavar="ID", help="another model, by its id or short name")
    common.add_argument("--max-tokens", type=_positive, metavar="N", help="at most N tokens an answer")
    common.add_argument("--effort", type=_effort, metavar="L", help="how hard the model thinks: low, medium, high …")
    common.add_argument("--thinking", action=argparse.BooleanOptionalAction, help="let the model think, or not")
    common.add_argument("--system", metavar="TEXT|@FILE", help="another system prompt")
    common.add_argument("-f", "--file", action="append", default=[], metavar="FILE", help="a text file goes along")
    common.add_argument("--version", action="version", version=f"mewcode {__version__}", help=argparse.SUPPRESS)
    common.add_argument("--log", choices=("error", "info", "debug"), default="error", help="what goes to the log file")

    parser = _Parser(prog="mewcode", description="Chat with large language models in the terminal.")
    parser.add_argument("--version", action="version", version=f"mewcode {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    chat = commands.add_parser("chat", parents=[common], help="the chat (what runs without a command)")
    chat.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    chat.add_argument("--plain", action="store_true", help="line by line, without a screen")
    once = commands.add_parser("once", parents=[common], help="one question, the answer on stdout", epilog=_EPILOG)
    once.add_argument("text", nargs="?", metavar="TEXT", help="the message")
    once.add_argument("-m", "--message", metavar="TEXT", help="the message; piped input is put after it")
    once.add_argument("--output", choices=("text", "jsonl"), default="text", help="jsonl: one event a line")
    once.add_argument("--raw", action="store_true", help="the text as it came: control characters, too")
    once.add_argument("-q", "--quiet", action="store_true", help="no notes on stderr, only errors")
    once.add_argument("--show-thinking", action="store_true", help="what the model thinks, on stderr")
    return parser


def _effort(text: str) -> str:
    from mewcode.llm.models import EFFORTS

    if text not in EFFORTS:
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(EFFORTS)}")
    return text


def _positive(text: str) -> int:
    if not re.fullmatch("0*[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError("give a whole number of at least 1")
    return int(text)


def _guarded(options: argparse.Namespace) -> int:
    """Whatever goes wrong is one sentence on stderr and an exit code, never a traceback."""
    import logging

    from mewcode.attachment import AttachError
    from mewcode.config.settings import ProviderChoiceError
    from mewcode.errors import MewcodeError
    from mewcode.log import Log
    from mewcode.once import note
    from mewcode.paths import state_home

    log = Log(state_home(), options.log)
    try:
        return _run(options, log)
    except ProviderChoiceError as error:
        note(str(error))
        return exits.USAGE
    except AttachError as error:
        note(str(error))
        return exits.REFUSED if error.is_there else exits.IO
    except MewcodeError as error:
        note(str(error))
        return exits.exit_code(error)
    except KeyboardInterrupt:
        return exits.by_signal(2)
    except Exception as error:
        logging.getLogger(__name__).exception("crashed")
        file = state_home() / "mewcode.log"
        note(f"internal error ({type(error).__name__})" + (f"; {file} has the details" if file.exists() else ""))
        return exits.INTERNAL


def _run(options: argparse.Namespace, log: Log) -> int:
    from mewcode.launch import Launcher, Options

    given = {name: getattr(options, name) for name in Options.__dataclass_fields__ if name != "system"}
    start = partial(Launcher, Options(**given, system=_system(options.system)), log)
    return _once(options, start) if options.command == "once" else _chat(options, start)


def _system(given: str | None) -> str | None:
    if given is None or not given.startswith("@"):
        return given and _typed(given)
    from mewcode.errors import ConfigError

    try:
        return Path(given[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"--system {given}: cannot read the file: {reason}") from None


def _typed(text: str) -> str:
    """An argument that the locale could not decode, as the UTF-8 that it most likely is."""
    return os.fsencode(text).decode("utf-8", "replace") if re.search("[\udc80-\udcff]", text) else text


def _once(options: argparse.Namespace, start: Callable[[], Launcher]) -> int:
    from mewcode import once
    from mewcode.attachment import STDIN, attach, with_attachments
    from mewcode.question import piped_stdin, read_question

    if options.text is not None and options.message is not None:
        once.note("give the message once: as TEXT or with -m")
        return exits.USAGE
    launcher = start()
    remark = (lambda _sentence: None) if options.quiet else once.note
    for warning in launcher.warnings:
        remark(warning)
    files = [attach(name) for name in options.file]
    client = launcher.client(launcher.choose())
    given = options.text if options.message is None else options.message
    try:
        question = read_question(
            None if given is None else _typed(given), None if STDIN in options.file else piped_stdin(), remark
        )
    except OSError as error:  # a directory, a terminal that is gone
        once.note(f"cannot read stdin: {error.strerror}")
        return exits.IO
    if not question.strip() and not files:
        once.note("no message: give one as TEXT, with -m, or through a pipe")
        return exits.USAGE
    wishes = once.Wishes(options.output == "jsonl", options.raw, options.quiet, options.show_thinking)
    return once.run(client, with_attachments(files, question), wishes)


def _chat(options: argparse.Namespace, start: Callable[[], Launcher]) -> int:
    from mewcode.attachment import STDIN, attach
    from mewcode.once import note

    if options.words:
        note(f"there is no command `{options.words[0][:40]}`: there are {' and '.join(_COMMANDS)}")
        return exits.USAGE
    if sys.stdin is None or sys.stdout is None:
        note("the chat needs an input and an output; use `mewcode once` without them")
        return exits.USAGE
    if STDIN in options.file:
        note("`-f -` is for `mewcode once`: the chat reads what is typed from stdin")
        return exits.USAGE
    files = [attach(name) for name in options.file]
    if options.plain or not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM", "") in ("", "dumb"):
        from mewcode.plain import run as run_lines

        return run_lines(start(), files)
    from mewcode.tui.app import run

    return run(start(), files)
