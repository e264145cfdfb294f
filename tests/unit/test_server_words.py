from __future__ import annotations

import json
import time
from typing import Any

import pytest

from mewcode.providers._errors import host, parse, read_fault, to_error
from mewcode.providers._sentences import address
from mewcode.providers._server_words import codes_of, words_of
from tests.fakes.dialects import CHAT, KEY


def words(body):
    return read_fault(500, body, {}).words


def test_words_that_are_no_text_are_no_words():
    odds: tuple[Any, ...] = (None, [], {}, 7, 1.5, True, "", "null", "None", [None, [{}]], {"x": None})
    for odd in odds:
        for body in ({"error": {"message": odd}}, {"error": odd}, {"message": odd}, {"detail": odd}, odd):
            fault = read_fault(500, body, {})
            assert str(to_error(fault, CHAT.config("http://h"), "http://h/x")) == (
                "here: the server h failed (500 Internal Server Error); try again."
            )


def test_words_in_an_odd_place_are_found():
    assert words({"error": {"message": {"detail": [{"msg": "one"}, {"msg": "two"}]}}}) == "one; two"
    assert words({"message": {"error": {"message": "in"}}}) == "in"
    assert words([{"error": "first"}, {"error": "second"}]) == "first"
    assert words(["first", "second"]) == "first"
    assert words({"error": {"message": '{"error": {"message": "inner"}}'}}) == "inner"
    assert words({"error": {"message": "outer", "metadata": {"raw": {"message": "inner"}}}}) == "outer: inner"
    assert words({"error": {"code": "only_a_code"}}) == ""
    assert words("{not json") == "{not json"


@pytest.mark.parametrize(
    "body",
    [
        "<title" * 170_000,
        "<" * 1_000_000,
        "<a " * 330_000,
        "<script>" * 125_000,
        "<p>" + "&#" * 500_000,
        "<p>&#" + "9" * 1_000_000 + ";",
        "model " * 170_000,
        "1 tokens " * 110_000,
        "{" * 1_000_000,
        json.dumps({"error": {"message": "model 1 tokens <a " * 60_000}}),
        json.dumps({"error": {"message": "x" * 1_000_000, "code": "y" * 1_000_000}}),
    ],
    ids=lambda body: body[:20],
)
def test_a_megabyte_of_words_is_cheap_and_is_cut(body):
    began = time.process_time()
    error = to_error(read_fault(400, parse(body), {}), CHAT.config("http://h"), "http://h/x")
    assert time.process_time() - began < 0.5
    assert 0 < len(str(error)) <= 500


def test_a_key_is_hidden_before_the_words_are_cut():
    for before in range(380, 500):
        error = to_error(read_fault(400, {"error": "x" * before + KEY}, {}), CHAT.config("http://h"), "http://h/x")
        assert "kk-" not in str(error)


def test_a_page_shows_its_title_as_a_reader_sees_it():
    page = "<!DOCTYPE html><title lang=en>a &lt;b&gt; &amp;&#x1b;[31m c&#8212;\x07</title><style>x{}</style><p>no</p>"
    assert words(page).split() == ["a", "&[31m", "c—\x07"]
    assert words("<style>x{color:red}</style><h1>Sorry</h1><script>a<b</script> gone").split() == ["Sorry", "gone"]
    assert words("<title> </title><p>Sorry</p>").split() == ["Sorry"]
    assert words("if a < b and c > d, see List<str> or <think>") == "if a < b and c > d, see List<str> or <think>"


@pytest.mark.parametrize(
    ("url", "named", "shown"),
    [
        ("https://me:pass@host.example/v1/x?key=1#top", "host.example", "https://host.example/v1/x"),
        ("http://[::1]:8080/v1", "[::1]:8080", "http://[::1]:8080/v1"),
        ("http://me@[fe80::1]/", "[fe80::1]", "http://[fe80::1]/"),
        ("http://[::1", "", "an address that cannot be read"),
        ("http://h\x9b/\u202ex", "h<U+009B>", "http://h<U+009B>/<U+202E>x"),
    ],
)
def test_an_address_is_shown_without_what_may_be_secret(url, named, shown):
    assert host(url) == named
    assert address(url) == shown


def test_a_code_that_is_none_is_not_quoted():
    odds: tuple[Any, ...] = (True, None, "", [], {}, 1.5)
    for odd in odds:
        error = to_error(read_fault(520, {"error": {"code": odd}}, {}), CHAT.config("http://h"), "http://h")
        assert str(error) == "here: the server h failed (520); try again."


@pytest.mark.parametrize("end", ["Zwölf", "Zwölf\\", "Zwölf\\u00", "Zwölf\x00", "Zwölf " * 20_000])
def test_an_object_that_was_cut_still_gives_its_words_and_its_type(end):
    cut = f'{{"type": "error", "error": {{"type": "api_error", "message": "{end}'
    said = words_of(parse(cut))
    assert said.startswith("Zwölf")
    assert len(said) <= 4000
    assert "api_error" in codes_of(parse(cut))


def test_an_object_that_was_cut_before_its_words_is_what_it_is():
    assert parse('{"type": "err') == '{"type": "err'
