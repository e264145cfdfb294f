"""A line that begins with a slash: text, a command, or held back with a word about it; lost never."""

from __future__ import annotations

import json
import re

import pytest

from tests.cases.case import Case, answer
from tests.cases.play import case_serving, config_file
from tests.e2e.terminal import terminal

LINES = [(text, meant) for text, meant in Case("C090").json("lines.json")]
SENT = [text for text, meant in LINES if meant.startswith("send")]
ASKED = [text for text, meant in LINES if meant.startswith("ask")]
HELD = {"/etc"}  # one word that could be a name of ours: asked about, as the case allows


def last_message(server):
    messages = json.loads(server.requests[-1].body)["messages"]
    return messages[-1]["content"]


def test_c090_the_case_has_lines_of_every_kind():
    assert (len(LINES), len(SENT), len(ASKED)) == (9, 6, 2)


@pytest.mark.parametrize("plain", [False, True], ids=["screen", "plain"])
def test_c090_text_is_sent_exactly_and_a_command_sends_nothing(plain):
    sent = [text for text in SENT if text not in HELD]
    with (
        case_serving(*[answer("openai-compat", f"reply {n}.") for n in range(len(sent))]) as server,
        terminal(
            "-c", str(config_file(server.url, "openai-compat")), *(["--plain"] if plain else []), size=(80, 400)
        ) as chat,
    ):
        chat.wait("/help")
        for number, text in enumerate(sent):
            chat.send("/help\r")
            chat.wait(lambda: len(re.findall(r"/exit:? +quit", chat.text)) == number + 1)  # noqa: B023  # at once
            chat.send(f"{text}\r")
            chat.wait(f"reply {number}.")
            if not plain:
                chat.wait(lambda: "Imagining" not in chat.text)
            assert len(server.requests) == number + 1
            assert last_message(server) == text


@pytest.mark.parametrize("text", [*ASKED, *HELD])
def test_c090_an_unknown_word_stays_in_the_prompt_is_named_and_a_blank_in_front_sends_it(text):
    with (
        case_serving(answer("openai-compat", "reply.")) as server,
        terminal("-c", str(config_file(server.url, "openai-compat"))) as chat,
    ):
        chat.wait("Ask anything")
        chat.send(f"{text}\r")
        chat.wait(f"There is no {text.split()[0]}")
        chat.wait("A blank in front")
        assert f"❯ {text}" in chat.rows
        assert server.requests == []
        chat.send("\x01 \r")  # to the start of the line, a blank, Enter
        chat.wait("reply.")
        assert last_message(server) == f" {text}"
