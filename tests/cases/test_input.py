"""What is typed, pasted and answered by the terminal itself, in a real terminal with the real program."""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest
from wcwidth import wcswidth

from tests.cases.case import Case, answer
from tests.cases.play import case_serving, config_file
from tests.cases.strict import said
from tests.e2e.terminal import Terminal, terminal

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from tests.fakes.case_server import CaseServer

BEGIN, END = b"\x1b[200~", b"\x1b[201~"
CUT = 0.02  # seconds between the two writes of one thing that was cut
PATIENCE = 60.0  # seconds: the first request has an SDK to import
PROMPT = 2  # columns before the text


class Typing:
    """A chat at a terminal, and what has come to the server from it."""

    def __init__(self, chat: Terminal, server: CaseServer) -> None:
        self.chat = chat
        self.server = server
        chat.wait("Ready:")

    def write(self, *pieces: bytes) -> None:
        """Each as a write of its own, with the time of a cut between."""
        for piece in pieces:
            self.chat.send(piece)
            self.read_for(CUT)

    def read_for(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.chat.read(left)

    def sent(self) -> str:
        """Press Enter; what the server gets, once the answer to it is there."""
        count = len(self.server.requests)
        self.chat.send(b"\r")
        self.chat.wait(lambda: len(self.server.requests) > count, PATIENCE)
        self.chat.wait(lambda: self.status.startswith("demo") and self.settled, PATIENCE)
        return str(said(self.server.requests[-1])[-1][1])

    @property
    def status(self) -> str:
        return self.chat.rows[-1]

    @property
    def settled(self) -> bool:
        return not re.search(r"Imagining|waiting|connecting", self.chat.text)

    @property
    def prompt(self) -> str:
        """The row with the prompt, without its mark."""
        return next(row[PROMPT:] for row in reversed(self.chat.rows) if row.startswith("❯"))


@contextlib.contextmanager
def typing(size: tuple[int, int] = (80, 24)) -> Generator[Typing, None, None]:
    step = replace(answer("openai-compat"), repeats=True)
    with case_serving(step) as server, terminal("-c", str(config_file(server.url, "openai-compat")), size=size) as chat:
        yield Typing(chat, server)


def shown_within(at: Typing, data: bytes, words: str) -> float:
    """Seconds until a paste is in the prompt and the screen is quiet."""
    started = time.monotonic()
    at.chat.send(data)
    at.chat.wait(lambda: words in at.prompt, PATIENCE)
    shown = time.monotonic()
    assert at.chat.quiet_for(0.2)
    return shown - started


# C061


def test_c061_a_paste_is_never_sent_and_then_sent_exactly():
    case = Case("C061")
    with typing() as at:
        at.chat.send(case.bytes("paste.bin"))
        at.read_for(2.0)
        assert at.server.requests == []
        assert at.sent() == case.text("expected.txt").removesuffix("\n")
        assert len(at.server.requests) == 1


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n"], ids=["cr", "lf", "crlf"])
def test_c061_each_kind_of_line_end_is_one_new_line(end):
    with typing() as at:
        at.write(BEGIN + end.join([b"one", b"two", b"three"]) + END)
        assert at.sent() == "one\ntwo\nthree"


def test_c061_two_returns_for_a_cr_lf_as_tmux_pastes_it_are_one_new_line():
    with typing() as at:
        at.write(BEGIN + b"one\r\n\r\ntwo\r\nthree\r\n".replace(b"\n", b"\r") + END)
        assert at.sent() == "one\n\ntwo\nthree\n"


def test_c061_keys_and_commands_in_a_paste_do_nothing():
    with typing() as at:
        at.write(BEGIN + b"see\r/exit\r/help\rq\t\x03\x04\x1b\x15" + END)
        at.read_for(0.3)
        assert at.server.requests == []
        at.write(b"\x01x")  # at the beginning of the last line
        assert at.sent() == "see\n/exit\n/help\nxq\t\x03\x04\x1b\x15"


def test_c061_lines_that_come_without_the_marks_are_not_sent_one_by_one():
    with typing() as at:
        at.chat.send(b"line one\rline two\rline three\r")
        at.read_for(0.5)
        assert at.server.requests == []
        assert at.sent() == "line one\nline two\nline three\n"


# C063


def pasted(place: int) -> str:
    made = Case("C063").json("make.json")[place]
    return str("\n".join([made["text"]] * made["lines"]) if "text" in made else "x" * made["chars"])


@pytest.mark.parametrize(
    ("place", "label", "within"),
    [(0, "[pasted 2,000 lines", 1.0), (1, "[pasted 1 line, 1.0 MB]", 3.0), (2, "[pasted 1 line, 5.0 MB]", 10.0)],
    ids=["lines", "1 MB", "5 MB"],
)
def test_c063_a_large_paste_is_soon_there_a_key_shows_at_once_and_all_is_sent(place, label, within):
    text = pasted(place)
    with typing() as at:
        assert shown_within(at, BEGIN + text.replace("\n", "\r").encode() + END, label[:12]) < within
        assert label in at.prompt
        started = time.monotonic()
        at.chat.send(b"z")
        at.chat.wait(lambda: at.prompt.endswith("z"))
        assert time.monotonic() - started < 0.2
        at.chat.send(b"\x7f")
        assert hashlib.sha256(at.sent().encode()).digest() == hashlib.sha256(text.encode()).digest()


# C091


def cursor_is_behind(at: Typing, text: str) -> None:
    """The real cursor, at the column that the text before it ends at."""
    at.chat.wait(lambda: at.chat.cursor[0] == PROMPT + wcswidth(text), 5.0)
    assert at.chat.rows[at.chat.cursor[1]].startswith("❯")
    assert at.chat.raw.rfind(b"\x1b[?25h") > at.chat.raw.rfind(b"\x1b[?25l")


def test_c091_the_real_cursor_is_at_the_input_and_all_is_sent_as_typed():
    case, typed = Case("C091"), ""
    with typing() as at:
        for character in case.text("typed.bin").removesuffix("\n"):
            at.write(character.encode())
            at.read_for(0.01)
            typed += character
            cursor_is_behind(at, typed)
        family = "👨\u200d👩\u200d👧"
        before, _, after = typed.partition(family)
        for left in range(1, 5):
            at.write(b"\x1b[D")
            cursor_is_behind(at, before + family + after[: len(after) - left])
        at.write(b"\x7f")  # one cluster: the whole family
        cursor_is_behind(at, before)
        at.write(b"\x1b[H")
        cursor_is_behind(at, "")
        at.write("あ".encode())
        cursor_is_behind(at, "あ")
        at.write(b"\x1b[F")
        at.write(b"\xe6\x97", b"\xa5")  # one character in two reads
        cursor_is_behind(at, f"あ{before}{after}日")
        assert at.sent() == case.text("expected.txt").removesuffix("\n")


def test_c091_the_cursor_stays_behind_the_text_over_the_right_edge():
    with typing((21, 12)) as at:
        for count in range(1, 25):
            at.write("猫".encode())
            at.chat.wait(partial(stands_before_the_cursor, at, "猫" * count), 5.0)
            assert at.chat.cursor[0] < 21
        at.write(b"a")
        at.chat.wait(partial(stands_before_the_cursor, at, "猫" * 24 + "a"), 5.0)


def stands_before_the_cursor(at: Typing, text: str) -> bool:
    """Whether this is what stands in the prompt's rows up to the cursor."""
    column, row = at.chat.cursor
    first = next(number for number in range(row, -1, -1) if at.chat.rows[number].startswith("❯"))
    lines = [line[PROMPT:] for line in at.chat.rows[first:row]]
    last = at.chat.rows[row][PROMPT:]
    while wcswidth(last) > column - PROMPT:
        last = last[:-1]
    return "".join([*lines, last]) == text and wcswidth(last) == column - PROMPT


# C094


def replies() -> Sequence[bytes]:
    return [bytes.fromhex(line) for line in Case("C094").text("replies.hex").splitlines()]


def test_c094_an_answer_of_the_terminal_is_not_typed_and_changes_nothing():
    with typing() as at:
        for reply in replies():
            at.write(b"abc")
            at.chat.wait(lambda: at.prompt == "abc")
            assert at.chat.quiet_for(0.1)  # the rest of the frame
            before = at.chat.rows
            at.write(reply)
            at.read_for(0.1)
            assert at.chat.rows == before, reply
            assert at.sent() == "abc", reply


def test_c094_an_answer_cut_in_two_is_not_typed_either():
    with typing() as at:
        for reply in replies():
            for cut in sorted({1, 2, len(reply) // 2, len(reply) - 1}):
                at.write(b"abc", reply[:cut], reply[cut:])
                assert at.sent() == "abc", (reply, cut)


def test_c094_an_answer_without_an_end_is_dropped_at_the_next_key():
    with typing() as at:
        for reply in replies():
            at.write(b"abc", reply[:-1])
            assert at.sent() == "abc", reply


def test_c094_an_answer_without_an_end_is_dropped_after_a_second():
    with typing() as at:
        for reply in (b"\x1b]11;rgb:0000", b"\x1bP>|xterm(356", b"\x1b[?62;4", b"\x1b_Gi=1;O", b"\xe6\x97"):
            at.write(reply)
            at.read_for(1.0)
            at.write(b"abc")
            assert at.sent() == "abc", reply
