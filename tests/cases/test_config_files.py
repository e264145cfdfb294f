"""Config files that an editor or a copy has spoilt: one sentence with the place, or the same effect as a good one."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cases.case import Case, answer
from tests.cases.play import case_serving, private_file
from tests.e2e.terminal import assert_restored, terminal
from tests.fakes.inside import run_inside

CANARY = "CANARY"
KEY = "Bearer kk-test-CANARY0123456789"
TABS = ("indent.yaml", "after-colon.yaml", "mixed.yaml")
BROKEN = (*TABS, "unclosed-quote.yaml", "colon.yaml")
DOUBLED = {"dup-key.yaml": "api_key", "dup-top.yaml": "providers", "dup-name.yaml": "name"}


def placed(case: Case, name: str, port: int = 9) -> str:
    """The input file in the current directory, with the port put in, however it is encoded."""
    data = case.bytes(name).replace(b"PORT", str(port).encode())
    return str(private_file(name, data.replace("PORT".encode("utf-16-le"), str(port).encode("utf-16-le"))))


def refused(case: Case, name: str, place: str = r":\d+:\d+: ") -> str:
    """The one sentence with which `once` refuses a file."""
    ran = run_inside("once", "-c", placed(case, name), "-m", "hi")
    assert (ran.code, ran.out) == (78, b"")
    assert ran.err.count("\n") == 1
    assert re.search(re.escape(name) + place, ran.err)
    assert CANARY not in ran.err
    assert "Traceback" not in ran.err
    return ran.err


@pytest.mark.parametrize("name", BROKEN)
def test_c048_a_file_that_is_no_yaml_is_refused_with_its_place_and_cause(name):
    sentence = refused(Case("C048"), name)
    assert ("tab" in sentence) == (name in TABS)


def test_c048_the_chat_says_so_before_it_takes_the_screen():
    files = [str(Path(placed(Case("C048"), name)).absolute()) for name in BROKEN]
    with ExitStack() as running:
        for ended in [running.enter_context(terminal("-c", file)) for file in files]:
            assert ended.exit_code() == 78
            assert_restored(ended)
            assert b"\x1b" not in ended.raw
            assert CANARY.encode() not in ended.raw


@pytest.mark.parametrize(("name", "key"), DOUBLED.items())
def test_c049_what_is_there_twice_is_refused_by_its_name(name, key):
    assert f"`{key}`" in refused(Case("C049"), name)


@pytest.mark.parametrize("name", ["plain.yaml", "crlf.yaml", "bom.yaml", "bom-crlf.yaml"])
def test_c051_windows_line_ends_and_a_byte_order_mark_change_nothing(name):
    with case_serving(answer("openai-compat")) as server:
        ran = run_inside("once", "-c", placed(Case("C051"), name, server.port), "-m", "hi")
    assert (ran.code, ran.text, ran.err) == (0, "ok", "")
    (heard,) = server.requests
    assert (heard.headers["authorization"], heard.path) == (KEY, "/v1/chat/completions")
    assert heard.json["model"] == "demo-model"


def test_c051_utf_16_works_or_is_one_sentence_about_the_encoding():
    with case_serving(answer("openai-compat")) as server:
        ran = run_inside("once", "-c", placed(Case("C051"), "utf16.yaml", server.port), "-m", "hi")
    if ran.code == 0:
        assert (ran.text, server.requests[0].headers["authorization"]) == ("ok", KEY)
    else:
        assert ran.code == 78
        assert re.search("utf16.yaml.*UTF-8", ran.err)
        assert ran.err.count("\n") == 1
    assert CANARY not in ran.err


@pytest.mark.parametrize("name", ["latin1.yaml", "nul.yaml"])
def test_c051_foreign_bytes_are_refused_with_their_place(name):
    refused(Case("C051"), name)
