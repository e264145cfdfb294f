from __future__ import annotations

import json
import re
import time

import pytest

from mewcode.providers._sse import Repair

CHAT, MESSAGES = False, True  # whether an event has to have a name
HI = b'data: {"a": "hi"}\n\n'
NAMED = b'event: x\ndata: {"a": "hi"}\n\n'
PLAIN = {CHAT: HI, MESSAGES: NAMED}

both = pytest.mark.parametrize("named", [CHAT, MESSAGES], ids=["chat", "messages"])


def mended(*chunks: bytes, named: bool, framed: bool = True) -> bytes:
    repair = Repair(named=named)
    return b"".join(repair.feed(chunk) for chunk in chunks) + repair.rest(framed=framed)


def singly(body: bytes) -> list[bytes]:
    return [body[at : at + 1] for at in range(len(body))]


@both
def test_what_is_well_spelled_passes_as_it_is(named):
    body = PLAIN[named] * 3
    assert mended(body, named=named) == body
    assert mended(*singly(body), named=named) == body
    tight = body.replace(b": ", b":")
    assert mended(tight, named=named) == tight


@both
@pytest.mark.parametrize("end", [b"\r", b"\r\n"])
def test_line_ends_of_every_kind_are_one(named, end):
    body = PLAIN[named] * 3
    spelled = body.replace(b"\n", end)
    for chunks in ([spelled], singly(spelled), spelled.partition(b"\r")):
        assert mended(*chunks, named=named) == body


@both
def test_events_come_as_soon_as_their_blank_line_has_begun(named):
    repair = Repair(named=named)
    assert repair.feed(PLAIN[named].replace(b"\n", b"\r\n")[:-1]) == PLAIN[named]
    assert repair.feed(b"\n") == b""
    assert repair.waiting == 1
    assert repair.feed(PLAIN[named].replace(b"\n", b"\r")) == PLAIN[named]


@both
def test_only_whole_events_are_given_out(named):
    repair = Repair(named=named)
    assert repair.feed(PLAIN[named] + PLAIN[named][:9]) == PLAIN[named]
    assert repair.waiting == 9
    assert repair.feed(PLAIN[named][9:] + PLAIN[named]) == PLAIN[named] * 2
    assert repair.waiting == 0


@both
@pytest.mark.parametrize("size", [1, 2, 3, 4, 100])
def test_a_byte_order_mark_is_dropped(named, size):
    body = b"\xef\xbb\xbf" + PLAIN[named]
    assert mended(body[:size], body[size:], named=named) == PLAIN[named]


@both
@pytest.mark.parametrize(
    "silent",
    [
        b": a comment\n\n",
        b":\n\n",
        b"retry: 3000\n\n",
        b"id: 7\n\n",
        b"event: x\n\n",
        b"data\n\n",
        b"data:\n\n",
        b"data:   \n\n",
        b"data: \ndata: \n\n",
        b"event: x\ndata:\n\n",
        b"data: keep-alive\n\n",
        b"data: : ping\n\n",
        b"data: Connected.\n\n",
        b"event: ping\n\n",
        b"event: ping\ndata:\n\n",
        b"event: ping\ndata: 12:00\n\n",
        b'event: ping\ndata: {"type": ping}\n\n',
        b"something: else\n\n",
        b"no field at all\n\n",
        b"\n\n\n",
    ],
)
def test_what_says_nothing_is_no_event(named, silent):
    body = silent + PLAIN[named] + silent
    assert mended(body, named=named) == PLAIN[named]
    assert mended(*singly(body.replace(b"\n", b"\r\n")), named=named) == PLAIN[named]


@both
def test_other_fields_beside_the_data_are_dropped(named):
    body = b"id: 1\nretry: 9\n: HTTP 200\n" + PLAIN[named].replace(b"\n\n", b"\nid: 2\nmore: x\n\n")
    assert mended(body, named=named) == PLAIN[named]


def test_lines_of_data_stay_lines():
    body = b'data: {"a":\ndata:\ndata:  "hi"}\n\n'
    assert mended(body, named=CHAT) == b'data: {"a":\ndata: \ndata:  "hi"}\n\n'


def test_the_order_of_the_lines_does_not_matter_and_the_last_name_counts():
    assert mended(b'data: {"a": "hi"}\nevent: y\nevent: x\n\n', named=MESSAGES) == NAMED


def test_line_ends_of_other_alphabets_are_no_line_ends():
    body = 'data: {"a": "b\u2028c\u2029d\u0085e\v\f"}\n\n'.encode()
    assert mended(body, named=CHAT) == body
    assert mended(*singly(body), named=CHAT) == body


@pytest.mark.parametrize("bad", [b"\xff", b"\xed\xa0\x80", b"\xe4\xbd"])
def test_bytes_that_are_no_utf8_become_a_mark_and_nothing_else_is_lost(bad):
    passed = mended(b'data: {"a": "x' + bad + b'y"}\n\n', named=CHAT).removeprefix(b"data: ")
    assert re.fullmatch("x\ufffd+y", json.loads(passed)["a"])


def test_a_character_cut_between_chunks_is_whole():
    body = 'data: {"a": "你好🐱"}\n\n'.encode()
    assert mended(*singly(body), named=CHAT) == body


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b'{"type": "message_start"}', b"message_start"),
        (b'{"type": "error", "error": {"message": "m"}}', b"error"),
        (b'{"error": {"message": "m"}}', b"error"),
        (b'{"error": "m"}', b"error"),
        (b'{"type": "overloaded", "error": {"message": "m"}}', b"error"),
        (b'{"type": "x", broken', b"message"),
        (b"[" * 100_000, b"message"),
    ],
)
def test_messages_events_without_a_name_get_their_own(data, name):
    assert mended(b"data: " + data + b"\n\n", named=MESSAGES) == b"event: " + name + b"\ndata: " + data + b"\n\n"
    assert mended(b"event:\ndata: " + data + b"\n\n", named=MESSAGES).startswith(b"event: " + name + b"\n")


@pytest.mark.parametrize("data", [b"{}", b'{"choices": []}', b'{"type": null}', b'{"type": "a\\nb"}', b"null", b"[1]"])
def test_what_is_no_messages_event_gets_no_name(data):
    assert mended(b"data: " + data + b"\n\n", named=MESSAGES) == b"data: " + data + b"\n\n"


@pytest.mark.parametrize(
    "done", [b"data: [DONE]", b"data:[DONE]", b"data: [DONE] ", b"data:   [DONE]", b"event: data\ndata: [DONE]"]
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_done_is_noted_however_it_is_spelled(done, end):
    body = done.replace(b"\n", end) + end * 2
    for chunks in ([body], singly(body)):
        chat, messages = Repair(named=CHAT), Repair(named=MESSAGES)
        assert b"".join(map(chat.feed, chunks)) == b"data: [DONE]\n\n"
        assert b"".join(map(messages.feed, chunks)) == b""
        assert (chat.done, messages.done) == (True, True)


@both
def test_done_inside_a_text_is_a_text(named):
    body = PLAIN[named].replace(b"hi", b"data: [DONE]")
    repair = Repair(named=named)
    assert repair.feed(body) == body
    assert not repair.done


@both
@pytest.mark.parametrize("data", [b"Internal Server Error", b'{"a": "hi', b"NaN-1", b"7", b"null"])
def test_what_is_no_json_goes_on_so_that_it_is_refused(named, data):
    body = b"event: x\ndata: " + data + b"\n\n"
    assert mended(body, named=named) == body


@pytest.mark.parametrize(
    ("data", "passed"),
    [
        (b'{"message": "m", "code": 5}', b'{"error": {"message": "m", "code": 5}}'),
        (b'{"type": "error", "message": "m"}', b'{"error": {"type": "error", "message": "m"}}'),
        (b'{"detail": "m"}', b'{"error": {"detail": "m"}}'),
        (b'"m"', b'{"error": {"message": "m"}}'),
        (b"upstream timed out", b'{"error": {"message": "upstream timed out"}}'),
        (b'{"error": {"message": "m"}}', b'{"error": {"message": "m"}}'),
        (b'{"type": "error", "error": {"message": "m"}}', b'{"type": "error", "error": {"message": "m"}}'),
        (b"null", b"null"),
    ],
)
def test_an_error_that_only_its_name_tells_says_so_itself(data, passed):
    body = b"event: error\ndata: " + data + b"\n\n"
    assert mended(body, named=CHAT) == b"event: error\ndata: " + passed + b"\n\n"
    assert mended(body, named=MESSAGES) == body


@both
@pytest.mark.parametrize("missing", [b"\n\n", b"\n"])
def test_a_last_event_without_its_blank_line_counts_where_the_end_is_known(named, missing):
    body = PLAIN[named] + PLAIN[named].removesuffix(missing)
    assert mended(body, named=named, framed=True) == PLAIN[named] * 2
    assert mended(body, named=named, framed=False) == PLAIN[named]


@both
def test_half_an_event_at_the_end_never_counts(named):
    body = PLAIN[named]
    for cut in range(len(body.rstrip(b"\n}"))):
        assert mended(body + body[:cut], named=named) == body, cut


def test_a_last_done_counts_where_the_body_is_known_to_be_whole():
    for framed, passed in ((True, b"data: [DONE]\n\n"), (False, b"")):
        repair = Repair(named=CHAT)
        assert repair.feed(b"data: [DONE]") == b""
        assert repair.rest(framed=framed) == passed
        assert repair.done == framed


def test_a_long_line_in_single_bytes_takes_no_more_than_its_length():
    def seconds(length: int) -> float:
        repair = Repair(named=CHAT)
        begun = time.process_time()
        for _ in range(length):
            repair.feed(b"x")
        return time.process_time() - begun

    seconds(1000)
    assert seconds(400_000) < 20 * seconds(100_000) + 0.5
