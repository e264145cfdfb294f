"""The strict server's rules for single vendors: what breaks one is refused, and its good neighbour is not."""

from __future__ import annotations

import pytest

from tests.fakes.strict_memory import Options
from tests.fakes.strict_plans import Answer, Call, Thought
from tests.fakes.strict_server import strict
from tests.loopback.posting import alone, changed, refusal, said_so
from tests.loopback.test_strict_chat import ASSISTANT, GOOD, SYSTEM, TOOL, USER, calling, tool

ASKED = changed(GOOD, ("tools", [TOOL]))
REASONING = "The `reasoning_content` in the thinking mode must be passed back to the API."
SKIPPED = {"google": {"thought_signature": "skip_thought_signature_validator"}}


def history(*messages):
    return changed(ASKED, ("messages", [SYSTEM, USER, *messages]))


def signed(call_id, extra):
    message = calling(call_id)
    return {**message, "tool_calls": [{**message["tool_calls"][0], "extra_content": extra}]}


@pytest.mark.parametrize(("call_id", "taken"), [("dnEN4JsJy", True), ("call_1", False), ("dnEN4JsJ_", False)])
def test_a_call_has_an_id_of_nine_letters(call_id, taken):
    options = Options(foreign_calls=True, short_call_ids=True)
    sentence = f"Tool call id was {call_id} but must be a-z, A-Z, 0-9, with a length of 9."
    assert alone("openai-compat", history(calling(call_id), tool(call_id)), options) == (None if taken else sentence)


@pytest.mark.parametrize(
    ("more", "sentence"), [({"reasoning_content": "Hm."}, None), ({"reasoning_content": " "}, None), ({}, REASONING)]
)
def test_each_answer_has_its_reasoning_in_a_history_with_calls(more, sentence):
    options = Options(foreign_calls=True, wants_reasoning_content=True)
    call = calling("t1", reasoning_content=" ")
    body = history(call, tool("t1"), {**ASSISTANT, **more}, USER)
    assert said_so(alone("openai-compat", body, options), sentence)
    assert alone("openai-compat", history(ASSISTANT, USER), options) is None


UNSIGNED = "Function call is missing a thought_signature in functionCall parts."


@pytest.mark.parametrize(
    ("messages", "sentence"),
    [
        ([calling("t1"), tool("t1")], UNSIGNED),
        ([signed("t1", {}), tool("t1")], UNSIGNED),
        ([calling("t1"), tool("t1"), USER], None),
        ([signed("t1", SKIPPED), tool("t1")], None),
        ([signed("t1", {"google": {"thought_signature": "x"}}), tool("t1")], "Thought signature is not valid."),
    ],
)
def test_a_call_is_signed_until_the_user_speaks_again(messages, sentence):
    options = Options(foreign_calls=True, signs_calls=True)
    assert said_so(alone("openai-compat", history(*messages), options), sentence)


def test_a_signature_that_the_server_gave_is_taken_back():
    with strict(Answer((Call("weather"),)), options=Options(signs_calls=True)) as server:
        assert refusal(server, "openai-compat", ASKED) is None
        (given,) = server.memory.answers[0].blocks
        body = history(signed(given["id"], given["extra_content"]), tool(given["id"]))
        assert refusal(server, "openai-compat", body) is None


def test_sealed_reasoning_comes_back_as_it_was_and_after_the_same_words():
    with strict(Answer((Thought("Hm."),)), options=Options(seals_reasoning=True)) as server:
        assert refusal(server, "openai-compat", GOOD) is None
        detail = server.memory.answers[0].blocks[-1]["detail"]
        answer = {**ASSISTANT, "reasoning_details": [detail]}
        body = changed(GOOD, ("messages", [SYSTEM, USER, answer, USER]))
        assert refusal(server, "openai-compat", body) is None
        for change in (
            ("messages", 2, "reasoning_details", 0, "text", "Hm"),
            ("messages", 1, "content", "Bye"),
            ("model", "another"),
        ):
            said = refusal(server, "openai-compat", changed(body, change))
            assert said == "messages.2.content.0: Invalid `signature` in `thinking` block"
