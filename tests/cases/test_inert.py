"""Text that would act on the terminal or hide in it: what `once` writes, and what leaves the program in files."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout
from datetime import UTC, datetime

import pyte
import pytest

from mewcode import once as command
from mewcode.export import export
from mewcode.farewell import transcript
from mewcode.llm.events import StreamEnd, TextDelta
from mewcode.llm.messages import Message, TextBlock, Usage
from mewcode.text import clean
from mewcode.tui.clipboard import copy
from tests.cases.case import Case, answer
from tests.cases.play import case_serving, config_file, once
from tests.e2e.terminal import Emulated, terminal
from tests.fakes.scripted import Scripted, client_of
from tests.fakes.teletype import teletype

PAYLOADS: dict[str, str] = dict(Case("C057").json("payloads.json"))
PLACES = {
    "text": "{}",
    "fence": "```\n{}\n```",
    "table": "| a | b |\n|---|---|\n| {} | c |",
    "link": "[x](http://{}/)",
    "heading": "# {}",
}
CUTS = {"whole": lambda text: [text], "characters": list}
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
HIDDEN = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u200b\u2060\ufeff]")
END = StreamEnd("end", "stop", Usage())
NOW = datetime(2026, 12, 1, tzinfo=UTC)


def asked(pieces: list[str], **wishes: bool) -> None:
    command.run(client_of(Scripted([*map(TextDelta, pieces), END])), "hi", command.Wishes(**wishes))


def at_a_terminal(pieces: list[str]) -> str:
    with teletype() as shown, redirect_stdout(shown.stream):
        asked(pieces)
    return shown.written.decode()


def in_a_pipe(pieces: list[str], **wishes: bool) -> str:
    out = io.TextIOWrapper(written := io.BytesIO(), encoding="utf-8", newline="\n")
    with redirect_stdout(out):
        asked(pieces, **wishes)
    return written.getvalue().decode()


def shown_whole(arrived: str) -> bool:
    """Both ends of the text are there, and nothing that a terminal obeys."""
    return arrived.index("before") < arrived.index("after") and not FORBIDDEN.search(arrived)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("place", PLACES)
def test_c057_no_payload_reaches_a_terminal_or_a_pipe_in_any_place_and_any_cut(place, cut):
    assert len(PAYLOADS) == 51
    for payload in PAYLOADS.values():
        text = PLACES[place].format(f"before{payload}after")
        for arrived in (at_a_terminal(CUTS[cut](text)), in_a_pipe(CUTS[cut](text))):
            assert shown_whole(arrived)
            assert arrived.removesuffix("\n") == clean(text).removesuffix("\n")  # the same marks in both


def test_c057_raw_passes_them_to_a_pipe():
    for payload in PAYLOADS.values():
        assert in_a_pipe(list(f"before{payload}after"), raw=True) == f"before{payload}after"


class _Answering(Emulated):
    """A terminal that keeps what it would have typed into the program."""

    def __init__(self) -> None:
        super().__init__(80, 24)
        self.typed: list[str] = []

    def write_process_input(self, data: str) -> None:
        self.typed.append(data)


def typed_after(written: bytes) -> list[str]:
    screen = _Answering()
    pyte.ByteStream(screen).feed(written)
    return screen.typed


def test_c057_the_program_at_a_terminal_lets_none_through_and_the_terminal_answers_nothing():
    lines = [f"before{payload}after" for payload in PAYLOADS.values()]
    with (
        case_serving(answer("openai-compat", *"\n".join(lines))) as server,
        terminal("once", "-c", str(config_file(server.url, "openai-compat")), "-m", "hi") as ended,
    ):
        assert ended.exit_code() == 0
    written = ended.raw.decode().replace("\r\n", "\n")
    assert written == clean("\n".join(lines)) + "\n"
    assert not FORBIDDEN.search(written)
    assert typed_after(ended.raw) == []
    assert typed_after("\n".join(lines).encode()) != []


def test_c057_files_and_the_transcript_after_the_end_are_as_inert():
    for payload in PAYLOADS.values():
        message = Message("1", "assistant", (TextBlock(f"before{payload}after"),), model=payload, provider=payload)
        for form in ("md", "txt", "json"):
            assert shown_whole(export([message], form, NOW, reasons={"1": payload}))
        assert shown_whole(transcript([message], {"1": payload}).decode())


def words(text: str) -> list[str]:
    """The lines whose joiners have to stay: Arabic, Hebrew, Persian, and the family."""
    return [line for line in text.splitlines() if re.search("[\u0590-\u05ff\u0620-\u06ff\U0001f468]", line)]


def test_c059_at_a_terminal_nothing_hides_or_reorders_and_what_needs_joiners_keeps_them():
    body = Case("C059").text("body.md")
    with (
        case_serving(answer("openai-compat", *body)) as server,
        terminal("once", "-c", str(config_file(server.url, "openai-compat")), "-m", "hi") as ended,
    ):
        assert ended.exit_code() == 0
    written = ended.raw.decode()
    assert not HIDDEN.search(written)
    assert len(words(body)) == 4
    assert words(written) == words(body)
    for mark in ("<U+202E>", "<U+2066>", "<U+200B>", "<U+2060>", "<U+FEFF>"):
        assert mark in written


def test_c059_a_pipe_gets_the_text_byte_for_byte():
    body = Case("C059").text("body.md")
    with case_serving(answer("openai-compat", body)) as server:
        assert once(server.url, "openai-compat").out == body.encode()


def test_c059_what_is_read_is_marked_and_says_so_and_json_keeps_the_text():
    body = Case("C059").text("body.md")
    message = Message("1", "assistant", (TextBlock(body),))
    for form in ("md", "txt"):
        shown = export([message], form, NOW)
        assert not HIDDEN.search(shown)
        assert words(shown) == words(body)
        assert "stand as marks" in shown
    assert json.loads(export([message], "json", NOW))["messages"][0]["blocks"][0]["text"] == body
    assert not HIDDEN.search(transcript([message]).decode())
    assert "as the model wrote them" in copy(body, lambda data: None, {"TERM": "xterm"})
