"""Streams that are odd and whole: what is in them arrives, and nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from tests.cases.case import Case, answer
from tests.cases.play import case_serving, config_file, crashed, once, play, screen
from tests.cases.strict import canonical, said
from tests.e2e.terminal import terminal
from tests.fakes.program import Ran


def test_c001_a_retry_line_alone_is_no_event():
    played = play(Case("C001"))
    assert played.ran == Ran(0, b"Hello world", "")
    assert (played.message.text, played.message.status) == ("Hello world", "complete")
    assert "Hello world" in played.shown
    assert "JSON" not in "".join(played.texts)


def test_c003_separators_inside_the_text_split_nothing_and_reach_no_terminal():
    played = play(Case("C003"))
    assert played.ran.code == 0
    assert played.message.status == "complete"
    assert re.fullmatch("a\u2028b\u2029c\x85?d\x0b?e", played.message.text)
    for text in (played.ran.text, played.shown):
        assert re.search("a.*b.*c.*d.*e", text, re.DOTALL)
    assert not re.search("[\u2028\u2029\x85\x0b]", played.shown)
    assert not re.search("[\x85\x0b]", played.ran.text)


def test_c003_once_shows_the_separators_to_a_terminal_as_something_else():
    case = Case("C003")
    with (
        case_serving(*case.steps) as server,
        terminal("once", "-c", str(config_file(server.url, case.protocol)), "-m", "hi") as ended,
    ):
        assert ended.exit_code() == 0
        written = ended.raw.decode()
    assert re.search("a.*b.*c.*d.*e", written, re.DOTALL)
    assert not re.search("[\u2028\u2029\x85\x0b]", written)


def test_c005_chunks_without_a_choice_are_ignored_but_for_their_usage():
    played = play(Case("C005"))
    assert played.ran == Ran(0, b"Hello world", "")
    usage = played.message.usage
    assert (played.message.text, played.message.status) == ("Hello world", "complete")
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == (7, 2)
    assert "7 in, 2 out" in played.shown


@pytest.mark.parametrize(
    ("place", "tokens", "shown", "not_shown"),
    [(0, (None, 9), "9 out", " in"), (1, (12, None), "12 in", " out")],
    ids=["no start", "no delta"],
)
def test_c014_a_missing_usage_is_unknown_and_not_a_fault(place, tokens, shown, not_shown):
    case = Case("C014")
    played = play(case, case.steps[place])
    assert played.ran == Ran(0, b"Hello world", "")
    usage = played.message.usage
    assert (played.message.text, played.message.status) == ("Hello world", "complete")
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == tokens
    counts = re.search(r"tokens (.*)", played.shown)
    assert counts is not None
    assert shown in counts[1]
    assert not_shown not in counts[1]


def test_c015_null_where_the_protocol_has_empty_is_nothing():
    played = play(Case("C015"))
    assert played.ran == Ran(0, b"Hello world", "")
    assert (played.message.text, played.message.status) == ("Hello world", "complete")
    assert "Hello world" in played.shown
    assert not re.search("none|null", "".join(played.texts), re.IGNORECASE)


def test_c016_what_a_vendor_adds_to_messages_is_skipped_and_a_new_stop_is_named():
    played = play(Case("C016"))
    assert (played.ran.code, played.ran.text) == (0, "Hello world")
    assert "brand_new_reason" in played.ran.err
    assert (played.message.text, played.message.status) == ("Hello world", "complete")
    assert "Hello world" in played.shown
    assert "brand_new_reason" in played.shown
    assert not re.search(r"brand_new_(block|delta|event)|[{}]|\?\?", "".join(played.texts))


def test_c016_what_a_vendor_adds_to_responses_is_skipped():
    case = Case("C016")
    played = play(case, case.serving("responses.sse"), protocol="openai")
    assert played.ran == Ran(0, b"Hello world", "")
    assert (played.message.text, played.message.status) == ("Hello world", "complete")
    assert not re.search("brand_new|zz|[{}]", "".join(played.texts))


@pytest.mark.parametrize(("body", "protocol"), [("anthropic.sse", "anthropic"), ("responses.sse", "openai")])
def test_c016_the_next_request_holds_nothing_of_an_unknown_block(body, protocol):
    with case_serving(Case("C016").serving(body), answer(protocol)) as server, screen(server.url, protocol) as chat:
        chat.turn("first")
        assert chat.turn("second").text == "ok"
    assert said(server.requests[1]) == [("user", "first"), ("assistant", "Hello world"), ("user", "second")]
    assert "brand_new" not in canonical(server.requests[1].json)


def test_c024_half_a_character_is_shown_as_a_mark_and_sent_back_as_one():
    case = Case("C024")
    played = play(case, case.steps[0])
    assert played.ran == Ran(0, "a\ufffdb".encode(), "")
    assert (played.message.text, played.message.status) == ("a\ufffdb", "complete")
    assert "a\ufffdb" in played.shown
    with (
        case_serving(case.steps[0], answer(case.protocol)) as server,
        screen(server.url, case.protocol) as chat,
    ):
        chat.turn("first")
        assert chat.turn("second").status == "complete"
    sent = json.loads(server.requests[1].body.decode("utf-8"))
    assert canonical(sent).encode("utf-8")
    assert ("assistant", "a\ufffdb") in said(server.requests[1])


def test_c024_a_damaged_byte_is_a_mark_or_a_clear_error_and_what_came_before_stays():
    case = Case("C024")
    played = play(case, case.steps[1])
    assert played.ran.text.startswith("a")
    assert played.message.text.startswith("a")
    if played.message.status == "complete":
        assert "X\ufffd" in played.message.text
        assert played.ran.code == 0
    else:
        assert re.search("malformed|UTF-8|decode", played.ran.err)
        assert played.ran.code == 76
    assert not crashed(played.ran.err)
    with case_serving(case.steps[1], answer(case.protocol)) as server, screen(server.url, case.protocol) as chat:
        chat.turn("first")
        assert chat.turn("second").text == "ok"


@pytest.mark.parametrize("framing", ["close", "length"])
def test_c001_the_same_body_in_another_framing_is_the_same_answer(framing):
    case = Case("C001")
    with case_serving(replace(case.steps[0], framing=framing)) as server:
        assert once(server.url, case.protocol) == Ran(0, b"Hello world", "")
