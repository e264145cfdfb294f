"""`mewcode once`: one question; stdout carries the answer as it comes and nothing else."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import itertools
import json
import signal
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, get_args

from mewcode import exits
from mewcode.errors import ConfigError, LLMError, MewcodeError
from mewcode.interrupt import Interrupts
from mewcode.llm.conversation import Conversation
from mewcode.llm.events import (
    Event,
    Retrying,
    StreamEnd,
    StreamError,
    Terminal,
    TextDelta,
    TextStart,
    ThinkingDelta,
    ToolCallStart,
)
from mewcode.stops import stop_note
from mewcode.text import Cleaner, one_line, takes_utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

    from mewcode.llm.client import LLMClient
    from mewcode.llm.turn import Turn

_NAME = 60  # characters of a tool's name: no service takes more than 64, and a server may send anything


class Output(Protocol):
    """How events are written: all that came together at once, since each write may hand the processor over."""

    def write(self, events: Sequence[Event]) -> None: ...


@dataclass(frozen=True, slots=True)
class Wishes:
    """What goes where: `raw` is text as it came, `quiet` no notes, `thinking` on stderr."""

    jsonl: bool = False
    raw: bool = False
    quiet: bool = False
    thinking: bool = False


def run(client: LLMClient, message: str, wishes: Wishes) -> int:
    """Ask, write what comes, return the exit code."""
    if sys.stdout is None:
        note("cannot write the answer: stdout is closed")
        return exits.IO
    _settle_encoding(sys.stdout)
    output = _output(wishes, sys.stdout)
    conversation = Conversation()
    conversation.add("user", message)
    with Interrupts() as interrupts:
        turn = client.stream(conversation)
        interrupts.cancels(turn.cancel)
        try:
            code = _follow(turn, output, (lambda _sentence: None) if wishes.quiet else note)
        except BrokenPipeError:
            code = exits.by_signal(signal.SIGPIPE)
        except OSError as error:
            note(f"cannot write the answer: {error.strerror}")
            code = exits.IO
        finally:
            turn.cancel()
            turn.join(1.0)
            client.close()
    return exits.by_signal(interrupts.number) if code is None and interrupts.number else code or exits.OK


def _output(wishes: Wishes, stream: TextIO) -> Output:
    output: Output = JsonLines(stream) if wishes.jsonl else Text(stream, raw=wishes.raw)
    return BesideThinking(output, sys.stderr) if wishes.thinking and sys.stderr is not None else output


def _follow(turn: Turn, output: Output, remark: Callable[[str], None]) -> int | None:
    """Write the turn's events as they come; the exit code, None for a turn that was cancelled."""
    code: int | None = None
    tools: list[str] = []
    said = thought = False
    for first in turn:
        events = [first, *turn.take()]
        output.write(events)
        for event in events:
            match event:
                case TextDelta():  # nearly all of them: told apart first
                    said = True
                case ThinkingDelta():
                    thought = True
                case Retrying():
                    remark(_retry_note(event))
                case ToolCallStart(tool_name=name):
                    tools.append(one_line(name, _NAME))
                case StreamEnd():
                    if words := stop_note(event, tools, said=said, thought=thought):
                        remark(words)
                    code = exits.REFUSED if event.stop_reason in ("refusal", "content_filter") else exits.OK
                case StreamError(error):
                    note(str(error))
                    code = exits.exit_code(error)
    for words in turn.remarks:
        remark(words)
    return code


def _retry_note(event: Retrying) -> str:
    reason = str(event.error).rstrip(".")
    return f"{reason}; retrying {event.attempt}/{event.max_attempts} in {round(event.delay, 1):g} s"


def _settle_encoding(stream: TextIO) -> None:
    """A pipe or a file gets UTF-8 whatever the locale says; a terminal gets what it can show."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding=stream.encoding if stream.isatty() else "utf-8", errors="replace")


def note(sentence: str) -> None:
    """One line on stderr."""
    if sys.stderr is None:
        return
    with contextlib.suppress(OSError):
        line = one_line(sentence, 1000, ascii=not takes_utf8(sys.stderr.encoding))
        sys.stderr.write(f"mewcode: {line}\n")
        sys.stderr.flush()


class Flow:
    """Text on its way to a stream, with control characters as marks; on a terminal invisible characters too."""

    def __init__(self, stream: TextIO, *, raw: bool = False) -> None:
        self._stream = stream
        self._tty = stream.isatty()
        ascii = self._tty and not takes_utf8(stream.encoding)
        self._cleaner = None if raw else Cleaner(invisible=self._tty, ascii=ascii)
        self._ends_line = True

    def feed(self, text: str) -> None:
        self._put(self._cleaner.feed(text) if self._cleaner else text)

    def rest(self) -> None:
        """What was held back, when nothing more comes."""
        if self._cleaner:
            self._put(self._cleaner.rest())

    def end_line(self) -> None:
        if not self._ends_line:
            self._put("\n")

    def _put(self, text: str) -> None:
        if text:
            self._ends_line = text.endswith("\n")
            self._stream.write(text)
            self._stream.flush()


class Text:
    """The answer as text."""

    def __init__(self, stream: TextIO, *, raw: bool = False) -> None:
        self._tty = stream.isatty()
        self._flow = Flow(stream, raw=raw)

    def write(self, events: Sequence[Event]) -> None:
        self._flow.feed("".join([event.text for event in events if isinstance(event, TextDelta)]))
        if isinstance(events[-1], Terminal):
            self._flow.rest()
            if self._tty:
                self._flow.end_line()


class BesideThinking:
    """Any output, and thinking as text on another stream, in the order in which both came."""

    def __init__(self, output: Output, stream: TextIO) -> None:
        self._output = output
        self._flow = Flow(stream)

    def write(self, events: Sequence[Event]) -> None:
        for thinks, group in itertools.groupby(events, lambda event: isinstance(event, ThinkingDelta)):
            together = list(group)
            with contextlib.suppress(OSError):  # as for notes: the answer is what counts
                if thinks:
                    self._flow.feed("".join([event.text for event in together if isinstance(event, ThinkingDelta)]))
                else:
                    self._flow.rest()
                    self._flow.end_line()
            self._output.write(together)


class JsonLines:
    """One object a line, in ASCII, so that it is inert wherever it is shown."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, events: Sequence[Event]) -> None:
        self._stream.write("".join([_line(event) for event in events]))
        self._stream.flush()


def _line(event: Event) -> str:
    return json.dumps({"type": _TYPES[type(event)], **_fields(event)}) + "\n"


def _fields(value: Any) -> dict[str, Any]:
    """What repr() shows too: the rest is between the adapters and the history."""
    return {name: _plain(getattr(value, name)) for name, item in value.__dataclass_fields__.items() if item.repr}


def _plain(value: Any) -> Any:
    match value:
        case str() | int() | None:  # nearly always
            return value
        case LLMError():
            cause = value.__cause__  # of a setting that showed only now, as for the exit code
            kind = cause.kind if isinstance(cause, ConfigError) else value.kind
            facts = {name: getattr(value, name) for name in ("status", "request_id", "retryable")}
            return {"kind": kind, "message": str(value), **facts}
        case MewcodeError():
            return {"kind": value.kind, "message": str(value)}
        case _ if dataclasses.is_dataclass(value):
            return _fields(value)
    return value


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


_TYPES = {kind: _snake(kind.__name__) for kind in get_args(Event)} | {TextStart: "text_delta"}
