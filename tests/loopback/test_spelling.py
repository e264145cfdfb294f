"""The same answer in every spelling of server-sent events, through both SDKs."""

from __future__ import annotations

import re

import pytest

from mewcode import errors
from mewcode.llm.events import StreamEnd
from tests.fakes.bodies import answered, singly, whole, with_length
from tests.fakes.dialects import CHAT, MESSAGES, RESPONSES, each_dialect, failure, text
from tests.fakes.sse_server import Reply

SPELLINGS = {
    "as usual": lambda body: body,
    "byte order mark": lambda body: b"\xef\xbb\xbf" + body,
    "CRLF": lambda body: body.replace(b"\n", b"\r\n"),
    "CR": lambda body: body.replace(b"\n", b"\r"),
    "no blank": lambda body: re.sub(rb"(?m)^(data|event): ", rb"\1:", body),
    "retry first": lambda body: b"retry: 3000\n\n" + body,
    "a warning first": lambda body: b"<br />\nWarning: slow in line 3\n" + body,
    "comments": lambda body: body.replace(b"\n\n", b"\n\n: OPENROUTER PROCESSING\n\n"),
    "ids and empty events": lambda body: b"id: 1\n\n: x\n\n" + body.replace(b"\n\n", b"\nid: 7\n\n: x\n\n"),
    "events without data": lambda body: body.replace(b"\n\n", b"\n\nevent: x\n\ndata\n\ndata: \n\n"),
    "pings": lambda body: body.replace(b"\n\n", b"\n\nevent: ping\n\nevent: ping\ndata:\n\ndata: keep-alive\n\n"),
    "no names": lambda body: re.sub(rb"(?m)^event: .*\n", b"", body),
    "empty names": lambda body: re.sub(rb"(?m)^(event: .*\n)?data", b"event:\ndata", body),
    "names of its own": lambda body: re.sub(rb"(?m)^(event: .*\n)?data", b"event: message\ndata", body),
    "pieces of lines": lambda body: body.replace(b', "', b',\ndata: "'),
    "no last blank line": lambda body: body.removesuffix(b"\n"),
    "no last line end": lambda body: body.removesuffix(b"\n\n"),
    "[DONE] at the end": lambda body: body + b"data: [DONE]\n\n",
    "[DONE] with a name": lambda body: body.replace(b"data: [DONE]", b"") + b"event: data\ndata:  [DONE] \n\n",
}


@each_dialect
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_answer_is_the_same_however_it_is_spelled(dialect, spelling):
    body = SPELLINGS[spelling](whole(dialect, "Hel", "lo 你\u2028\u0085"))
    plain = answered(dialect, dialect.answer("Hel", "lo 你\u2028\u0085"))
    assert isinstance(plain[-1], StreamEnd)
    assert answered(dialect, Reply((body,))) == plain
    assert answered(dialect, Reply(singly(body))) == plain
    assert answered(dialect, with_length(body)) == plain


@each_dialect
def test_a_damaged_byte_costs_its_character_and_no_more(dialect):
    body = whole(dialect, "Hel", "l@o").replace(b"@", b"\xff")
    events = answered(dialect, Reply((body,)))
    assert text(events) == "Hell\ufffdo"
    assert isinstance(events[-1], StreamEnd)


@pytest.mark.parametrize("dialect", [MESSAGES, RESPONSES], ids=lambda dialect: dialect.protocol)
def test_an_end_mark_without_its_blank_line_is_none_where_a_cut_looks_the_same(dialect):
    reply = Reply((whole(dialect, "Hello").removesuffix(b"\n"),), framing="close")
    assert isinstance(failure(answered(dialect, reply)), errors.StreamInterrupted)


@each_dialect
@pytest.mark.parametrize(
    "data", [b'{"error": {"message": "The words"}}', b'{"type": "error", "error": {"message": "The words"}}']
)
def test_an_error_without_a_name_is_heard(dialect, data):
    error = failure(answered(dialect, Reply((*dialect.begun("Hel"), b"data: " + data + b"\n\n"))))
    assert "The words" in str(error)


@pytest.mark.parametrize("dialect", [RESPONSES, CHAT], ids=lambda dialect: dialect.protocol)
@pytest.mark.parametrize("data", [b'{"code": 500, "message": "The words"}', b'{"detail": "The words"}', b"The words"])
def test_an_error_that_only_its_name_tells_is_heard(dialect, data):
    error = failure(answered(dialect, Reply((*dialect.begun("Hel"), b"event: error\ndata: " + data + b"\n\n"))))
    assert "The words" in str(error)


@each_dialect
def test_an_event_nested_too_deep_is_an_error(dialect):
    for deep in (b"[" * 100_000, b'{"a":' * 100_000, b'{"type": "x", "a": ' + b"[" * 100_000):
        error = failure(answered(dialect, Reply((*dialect.begun("Hi"), b"data: " + deep + b"\n\n"))))
        assert isinstance(error, (errors.ProtocolError, errors.StreamInterrupted))
        assert isinstance(error.__cause__, (RecursionError, ValueError))
