from __future__ import annotations

import pytest

from tests.torture.framing import WAYS, chunked, cut
from tests.torture.reference import meaning, whole_events
from tests.torture.streams import CHAT_SPEECH, MESSAGES_SPEECH, RESPONSES_SPEECH, SPEECHES, TEXT, UNFINISHED_SPEECH

EVERY = (*SPEECHES, UNFINISHED_SPEECH)
each_speech = pytest.mark.parametrize("speech", EVERY, ids=lambda speech: speech.name)


@each_speech
def test_a_whole_answer_is_read_to_its_end(speech):
    read = meaning(speech.body, speech.protocol)
    assert (read.text, read.ended, read.broken) == (TEXT, True, None)


@each_speech
def test_of_a_cut_answer_the_whole_events_count(speech):
    end = len(speech.body) - sum(map(len, speech.pieces[-2:])) if speech is CHAT_SPEECH else len(speech.body)
    for place in (*range(0, len(speech.body), 17), end - 1, end):
        read = meaning(speech.body[:place], speech.protocol)
        assert TEXT.startswith(read.text)
        assert (read.ended, read.broken) == (place >= end, None)


def test_an_event_ends_with_its_blank_line_and_not_before():
    assert list(whole_events(b"data: a\n")) == []
    assert list(whole_events(b"data: a\n\ndata: b")) == [("", "a")]
    assert list(whole_events(b"\xef\xbb\xbfevent: x\r\ndata:a\r\ndata: b\r\n\r\n: c\r\revent: y\r\r")) == [
        ("x", "a\nb")
    ]


@pytest.mark.parametrize("speech", [MESSAGES_SPEECH, RESPONSES_SPEECH], ids=lambda speech: speech.name)
def test_a_malformed_event_ends_what_can_be_known(speech):
    first, *rest = speech.pieces
    read = meaning(first + b"event: x\ndata: {\n\n" + b"".join(rest), speech.protocol)
    assert (read.heard, read.broken, read.text, read.ended) == (2, 2, "", False)


@each_speech
@pytest.mark.parametrize("way", WAYS)
def test_a_cut_answer_is_sent_up_to_its_last_byte(speech, way):
    whole = b"".join(cut(speech.pieces, len(speech.body), way).pieces)
    lengths = [len(b"".join(cut(speech.pieces, place, way).pieces)) for place in range(0, len(speech.body), 13)]
    assert lengths == sorted(lengths)
    assert lengths[-1] < len(whole)
    ending = b"0\r\n\r\n" if way == "chunked" else b"\r\n" if way == "reset" else b""
    assert whole.endswith(speech.pieces[-1] + (b"\r\n" if way == "chunked" else b"") + ending)


def test_the_chunks_of_an_answer_are_its_pieces():
    assert chunked((b"a" * 17, b"b")).partition(b"\r\n\r\n")[2] == b"11\r\n" + b"a" * 17 + b"\r\n1\r\nb\r\n0\r\n\r\n"
