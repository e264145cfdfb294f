"""The same texts in the chat, on a real terminal: every byte that the program writes there, and what can be read."""

from __future__ import annotations

import pytest

from tests.cases.case import Case, answer
from tests.cases.play import case_serving, config_file
from tests.cases.test_inert import HIDDEN, PAYLOADS, PLACES, typed_after, words
from tests.e2e.terminal import terminal
from tests.property.escapes import strangers

TALL = (200, 400)  # all of it in sight


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "characters"])
def test_c057_no_payload_acts_on_the_terminal_from_any_place_of_an_answer(whole):
    steps = []
    for place in PLACES.values():
        text = "\n\n".join(place.format(f"before{payload}after") for payload in PAYLOADS.values())
        steps.append(answer("openai-compat", *([text] if whole else text)))
    with (
        case_serving(*steps) as server,
        terminal("-c", str(config_file(server.url, "openai-compat")), size=TALL) as chat,
    ):
        chat.wait("Ask anything")
        for place in PLACES:
            chat.send("/clear\r")
            chat.wait("new conversation")
            chat.send(f"{place}\r")
            chat.wait(" s · tokens")
            assert chat.text.count("before") == chat.text.count("after") == len(PAYLOADS)
        chat.send("\x04")
        assert chat.exit_code() == 0
    screen, farewell = chat.raw.rsplit(b"\x1b[?25h", 1)
    assert strangers("screen", screen + b"\x1b[?25h") == []
    assert strangers("plain", farewell) == []
    assert typed_after(chat.raw) == []


def test_c059_what_hides_or_reorders_is_a_mark_and_what_needs_joiners_keeps_them():
    body = Case("C059").text("body.md")
    with (
        case_serving(answer("openai-compat", *body)) as server,
        terminal("-c", str(config_file(server.url, "openai-compat")), size=TALL) as chat,
    ):
        chat.wait("Ask anything")
        chat.send("hi\r")
        chat.wait(" s · tokens")
        chat.send("\x04")
        assert chat.exit_code() == 0
    written = chat.raw.decode()
    assert not HIDDEN.search(written)
    assert len(words(body)) == 4
    assert all(written.count(word) > 1 for line in words(body) for word in line.split())  # screen and farewell
    for mark in ("<U+202E>", "<U+2066>", "<U+200B>", "<U+2060>", "<U+FEFF>"):
        assert mark in written
