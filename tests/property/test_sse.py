"""Any spelling of the same events, in any pieces, means the same. The judge is a parser written from the standard."""

from __future__ import annotations

import json
import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from mewcode.providers._sse import Repair

NAMES = st.sampled_from(["message_start", "response.created", "x", "error_of_mine"])
VALUES = st.one_of(st.text(max_size=8), st.sampled_from(["[DONE]", "data: {", "\u2028\u0085", "\ufeff", "\r\n\r\n"]))
OBJECTS = st.builds(
    lambda value, ascii_only: json.dumps({"type": "delta", "text": value}, ensure_ascii=ascii_only),
    VALUES,
    st.booleans(),
)
SILENT = st.sampled_from([": note", ":", "id: 4", "retry: 10", "other: 1", "word", "data", "data: ", "event: ping"])
SPACE = st.sampled_from(["", " "])
FRAGMENTS = st.lists(
    st.sampled_from('data event error ping : { [DONE] {"error":1} {"type":"x"} 你'.encode().split())
    | st.sampled_from([b" ", b"\n", b"\r", b"\r\n", b"\n\n", b"data: {}\n\n", b"\xff", b"\xef\xbb\xbf", b"\xe4"]),
    max_size=30,
).map(b"".join)


@st.composite
def events(draw):
    """The lines of one event, and of what stands around it."""
    space, data = draw(SPACE), draw(OBJECTS)
    lines = [f"event:{space}{draw(NAMES)}"]
    lines += [f"data:{space}{part}" for part in data.replace('"type": "delta",', '"type":\n"delta",').split("\n")]
    if draw(st.booleans()):
        lines[1:] = [f"data:{space}{data}"]
    lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from([": note", "id: 5", "retry: 1", "x: y"])))
    if draw(st.booleans()):
        lines = [line for line in lines if line.startswith(("event", "data"))]
    before = [draw(SILENT), ""] if draw(st.integers(0, 3)) == 0 else []
    return [*before, *lines, ""]


@st.composite
def bodies(draw):
    lines = [line for lines in draw(st.lists(events(), max_size=5)) for line in lines]
    ends = draw(st.sampled_from(["\n", "\r", "\r\n"]) | st.none())
    spelled = "".join(
        line + (ends or draw(st.sampled_from(["\n", "\r", "\r\n"]) if line else st.just("\n"))) for line in lines
    )
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + spelled.encode()


@st.composite
def pieces(draw, bodies):
    body = draw(bodies)
    if draw(st.integers(0, 4)) == 0:
        return [body[at : at + 1] for at in range(len(body))]
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=8)))
    return [body[start:end] for start, end in pairwise([0, *cuts, len(body)])]


def dispatched(body: bytes) -> list[tuple[str, str]]:
    """(name, data) of every event with data, by WHATWG HTML 9.2.6."""
    found: list[tuple[str, str]] = []
    name, data = "", list[str]()
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    for line in re.split("\r\n|\r|\n", text)[:-1]:  # the last line has no end
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data and "".join(data).strip():
                found.append((name, "\n".join(data).strip()))
            name, data = "", list[str]()
        elif field == "event":
            name = value
        elif field == "data":
            data.append(value)
    return [event for event in found if event[0] != "ping"]


def mended(chunks, *, named):
    repair = Repair(named=named)
    return [*map(repair.feed, chunks), repair.rest(framed=False)]


@settings(max_examples=1000)
@given(pieces(bodies()), st.booleans())
def test_any_spelling_in_any_pieces_means_what_the_standard_says(chunks, named):
    given_out = mended(chunks, named=named)
    assert dispatched(b"".join(given_out)) == dispatched(b"".join(chunks))


@settings(max_examples=300)
@given(pieces(bodies()), st.booleans())
def test_what_is_given_out_is_whole_events_and_nothing_else(chunks, named):
    for piece in mended(chunks, named=named):
        assert re.fullmatch(rb"(event: ?[^\r\n]+\n(data: ?[^\r\n]*\n)+\n|(data: ?[^\r\n]*\n)+\n)*", piece)
        piece.decode()


@settings(max_examples=1000)
@given(pieces(FRAGMENTS), st.booleans(), st.booleans())
def test_no_bytes_break_it_and_the_pieces_never_matter(chunks, named, framed):
    whole, cut = Repair(named=named), Repair(named=named)
    at_once = whole.feed(b"".join(chunks)) + whole.rest(framed=framed)
    in_pieces = b"".join(map(cut.feed, chunks)) + cut.rest(framed=framed)
    assert dispatched(in_pieces) == dispatched(at_once)
    assert cut.done == whole.done
