"""What is sent back after a turn that was stopped, cut, refused or never answered: always a valid request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from mewcode.errors import ContextTooLong
from tests.cases.case import DIALECTS, Case, answer
from tests.cases.keys import play_keys
from tests.cases.play import case_serving, config_file, screen
from tests.cases.strict import said
from tests.e2e.terminal import terminal

if TYPE_CHECKING:
    from tests.e2e.terminal import Terminal
    from tests.fakes.case_server import CaseServer

each_protocol = pytest.mark.parametrize("protocol", DIALECTS)


def played(case: Case, chat: Terminal, server: CaseServer) -> list[tuple[str, str]]:
    chat.wait("Ask anything")
    return play_keys(chat, case.text("keys.txt"), server)


def configured(server: CaseServer, case: Case, **settings: int) -> str:
    return str(config_file(server.url, case.protocol, **settings).absolute())


def test_c025_a_turn_cancelled_before_its_first_token_leaves_nothing_empty_behind():
    case = Case("C025")
    with case_serving(*case.steps) as server, terminal("-c", configured(server, case)) as chat:
        played(case, chat, server)
        chat.wait("tokens 12 in, 9 out")
        assert re.search(r"^ok$", chat.text, re.MULTILINE)
    spoken = said(server.requests[1])
    assert len(server.requests) == 2
    assert [role for role, _ in spoken] in (["user"], ["user", "assistant", "user"])
    assert spoken[-1][1].endswith("second question")
    assert all(text.strip() for _, text in spoken)


def test_c030_ask_stop_ask_fail_ask_never_sends_two_turns_of_one_role():
    case = Case("C030")
    with case_serving(*case.steps) as server, terminal("-c", configured(server, case, max_retries=2)) as chat:
        screens = played(case, chat, server)
        chat.wait(lambda: re.search(r"^ok$", chat.text, re.MULTILINE) is not None)
    assert len(server.requests) == 5
    final = said(server.requests[-1])
    words = " ".join(text for _, text in final)
    assert [role for role, _ in final] == ["user"]
    assert (words.count("first"), words.count("second")) in ((0, 0), (0, 1), (1, 0), (1, 1))
    assert final[-1][1].endswith("third")
    given_back = [shown for line, shown in screens if line == "wait 8" and "❯ second" in shown.splitlines()[-2:]]
    assert "second" in words or given_back


@each_protocol
def test_c027_going_on_after_a_cut_answer_ends_with_no_white_space_of_the_assistant(protocol):
    turns = Case("C027").json("session.json")
    with case_serving(answer(protocol), answer(protocol)) as server, screen(server.url, protocol) as chat:
        chat.remember(turns)
        chat.session.continue_answer()
        assert chat.finish().text == "ok"
        assert chat.turn("a normal message").text == "ok"
    for request in server.requests:
        spoken = said(request)
        assert spoken[:3] == [(turn["role"], turn["content"]) for turn in turns[:3]]
        assert spoken[-1][0] == "user" or not re.search(r"\s$", spoken[-1][1])
    assert "Then we have" in said(server.requests[0])[-1][1]


@each_protocol
def test_c027_a_retry_leaves_the_cut_answer_out_or_has_the_user_after_it(protocol):
    turns = Case("C027").json("session.json")
    with case_serving(answer(protocol)) as server, screen(server.url, protocol) as chat:
        chat.remember(turns)
        chat.session.retry()
        assert chat.finish().text == "ok"
    spoken = said(server.requests[0])
    assert spoken[:3] == [(turn["role"], turn["content"]) for turn in turns[:3]]
    assert spoken[-1][0] == "user"


def test_c033_a_conversation_that_is_too_long_is_said_once_with_the_numbers_and_the_way_out():
    case = Case("C033")
    with case_serving(*case.steps) as server, screen(server.url, case.protocol) as chat:
        chat.remember(case.json("session.json"))
        message = chat.turn("hi")
        error = chat.session.failure(message.id)
        assert isinstance(error, ContextTooLong)
        assert (error.requested, error.limit) == (205351, 200000)
        assert len(server.requests) == 1
        shown = chat.shown.replace("\n", " ")
        assert re.search("too long", shown)
        assert re.search("205[, ]?351", shown)
        assert re.search("200[, ]?000", shown)
        assert re.search("/clear|/compact|/new", shown)
        chat.turn("hi again")
        assert len(server.requests) == 2


def test_c033_two_commands_lead_to_a_turn_that_works_with_the_text_that_was_typed():
    case = Case("C033")
    with case_serving(*case.steps) as server, screen(server.url, case.protocol) as chat:
        chat.remember(case.json("session.json"))
        assert chat.turn("hi").status == "error"
        chat.ask("/clear")
        chat.ask("/retry")
        assert chat.finish().text == "ok"
    assert (len(server.requests), said(server.requests[1])) == (2, [("user", "hi")])
