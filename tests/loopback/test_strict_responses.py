"""The strict server's rules for Responses: what breaks one is refused, and its good neighbour is not."""

from __future__ import annotations

import pytest

from tests.fakes.strict_memory import Options
from tests.fakes.strict_plans import Answer, Call, Cut, Redacted, Said, Thought
from tests.fakes.strict_server import strict
from tests.loopback.posting import GONE, SAYS_HI, alone, changed, refusal, said_so

TOOL = {"type": "function", "name": "weather", "parameters": {"type": "object"}, "strict": False}


def user(text="Hello"):
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def assistant(text="Hi"):
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def call(call_id, **more):
    return {"type": "function_call", "call_id": call_id, "name": "weather", "arguments": "{}", **more}


def output(call_id):
    return {"type": "function_call_output", "call_id": call_id, "output": "22 °C"}


GOOD = {"model": "m", "input": [user()], "store": False, "stream": True}
TOOLS = changed(GOOD, ("tools", [TOOL]), ("input", [user(), call("c1"), call("c2"), output("c1"), output("c2")]))
REASONING = changed(GOOD, ("model", "gpt-6-sol"), ("include", ["reasoning.encrypted_content"]))
FOREIGN = Options(foreign_calls=True)


@pytest.mark.parametrize(
    "body",
    [
        GOOD,
        REASONING,
        changed(GOOD, ("instructions", "Be brief."), ("max_output_tokens", 16), ("temperature", 0.5)),
        changed(REASONING, ("reasoning", {"effort": "low", "summary": "auto"}), ("prompt_cache_key", "x")),
        changed(GOOD, ("input", [user(), assistant(), user()]), ("tools", [TOOL])),
    ],
)
def test_a_sound_request_is_accepted(body):
    assert alone("openai", body) is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("model", GONE), "Missing required parameter: 'model'."),
        (("input", GONE), "Missing required parameter: 'input'."),
        (("input", []), "Missing required parameter: 'input'."),
        (("messages", []), "Unknown parameter: 'messages'."),
        (("max_tokens", 16), "Unknown parameter: 'max_tokens'."),
        (("temperature", None), "Invalid type for 'temperature': got null instead."),
        (("store", True), "Store must be set to false"),
        (("store", GONE), "Store must be set to false"),
        (("max_output_tokens", 15), "Expected a value >= 16, but got 15 instead."),
        (("include", ["reasoning.encrypted_content"]), "Encrypted content is not supported with this model."),
        (("reasoning", {"budget": 5}), "Unknown parameter: 'reasoning.budget'."),
        (("tools", [{"type": "function", "function": {}}]), "Unknown parameter: 'tools[0].function'."),
        (("tools", [{"type": "function", "name": "a"}]), "Missing required parameter: 'tools[0].parameters'."),
        (("input", 0, "type", GONE), "Missing required parameter: 'input[0].type'."),
        (("input", 0, "type", "text"), "Invalid value: 'text'."),
        (("input", 0, "name", "x"), "Unknown parameter: 'input[0].name'."),
        (("input", 0, "role", "tool"), "Invalid value: 'tool'."),
        (("input", 0, "content", "Hello"), "Invalid type for 'input[0].content'"),
        (("input", 0, "content", []), "Invalid 'input[0].content': empty array."),
        (("input", 0, user(" ")), "Invalid 'input[0].content[0].text': empty string."),
        (("input", 0, user("")), "Invalid 'input[0].content[0].text': empty string."),
        (
            ("input", 0, assistant() | {"role": "user"}),
            "Invalid value: 'output_text'. Supported values are: 'input_text'",
        ),
        (
            ("input", 0, user() | {"role": "assistant"}),
            "Invalid value: 'input_text'. Supported values are: 'output_text'",
        ),
        (("input", 0, "content", 0, "cache_control", {}), "Unknown parameter: 'input[0].content[0].cache_control'."),
        (("input", 0, "content", 0, "text", GONE), "Missing required parameter: 'input[0].content[0].text'."),
        (("input", 0, assistant() | {"id": "msg_1"}), "Item with id 'msg_1' not found. Items are not persisted"),
        (("input", 0, {"type": "reasoning", "id": "rs_1", "summary": []}), "Item with id 'rs_1' not found."),
        (("input", 1, assistant()), "prefill is not supported"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_shape_that_is_not_right_is_refused_in_the_vendors_words(change, sentence):
    assert sentence in (alone("openai", changed(GOOD, change)) or "")


@pytest.mark.parametrize(
    ("options", "change", "sentence"),
    [
        (Options(efforts=("low", "high")), ("reasoning", {"effort": "none"}), "Supported values are: 'low', 'high'."),
        (Options(refuses=frozenset({"prompt_cache_key"})), ("prompt_cache_key", "x"), "'prompt_cache_key' is not supp"),
    ],
)
def test_a_model_may_take_less(options, change, sentence):
    assert alone("openai", changed(GOOD, change)) is None
    assert sentence in (alone("openai", changed(GOOD, change), options) or "")


@pytest.mark.parametrize("name", ["temperature", "top_p"])
def test_a_reasoning_model_takes_no_temperature(name):
    words = f"Unsupported parameter: '{name}' is not supported with this model."
    assert alone("openai", changed(REASONING, (name, 1))) == words


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([], None),
        ([("input", 5, assistant()), ("input", 6, user())], None),
        ([("input", 4, GONE)], "No tool output found for function call c2."),
        ([("input", 2, GONE)], "No tool call found for function call output with call_id c2."),
        ([("input", 0, output("c1"))], "No tool call found for function call output with call_id c1."),
        ([("input", 5, output("c2"))], "Duplicate items found for function call c2."),
        ([("input", 1, call("c1"))], "Duplicate items found for function call c1."),
        ([("input", 1, "arguments", {})], "Invalid type for 'input[1].arguments'"),
        ([("input", 1, "call_id", "c" * 65)], "Invalid 'input[1].call_id': string too long."),
        ([("input", 1, "id", "fc_1")], "Item with id 'fc_1' not found."),
    ],
)
def test_calls_and_outputs_are_paired(changes, sentence):
    assert said_so(alone("openai", changed(TOOLS, *changes), FOREIGN), sentence)


def test_a_call_that_the_server_never_made_is_refused_unless_foreign_ones_are_allowed():
    assert said_so(alone("openai", TOOLS), "c1 is no call of this server")


def as_sent(item):
    """An item of an answer as a client sends it back: ids only where they are sealed."""
    match item:
        case {"type": "message", "content": [{"text": text}]}:
            return assistant(text) | ({"phase": item["phase"]} if "phase" in item else {})
        case {"type": "function_call"}:
            return {name: value for name, value in item.items() if name != "id"}
    return item


def answered(server, body, *more):
    """The body of the next request, with the last answer as it was given and what comes next."""
    items = [as_sent(item) for item in server.memory.answers[-1].blocks]
    return changed(body, ("input", [*body["input"], *items, *more]))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([], None),
        ([("input", 1, GONE), ("input", 2, GONE)], None),
        ([("input", 3, GONE)], None),
        ([("input", 1, GONE)], "could not be verified. What precedes it is not what it was made from."),
        ([("input", 2, GONE)], "of type 'reasoning' was provided without its required following item."),
        ([("input", 2, assistant("Bye"))], "of type 'reasoning' was provided without its required following item."),
        ([("input", 3, assistant("Bye"))], "What precedes it is not what it was made from."),
        ([("input", 1, "summary", [])], "could not be verified."),
        ([("input", 1, "encrypted_content", "Zm9yZWlnbg==")], "could not be verified."),
        ([("input", 1, "encrypted_content", GONE)], "not found. Items are not persisted"),
        ([("input", 1, "id", "rs_foreign")], "Item with id 'rs_foreign' not found."),
        ([("input", 1, "id", GONE)], "Missing required parameter: 'input[1].id'."),
        ([("input", 1, "status", "completed")], "Unknown parameter: 'input[1].status'."),
        ([("model", "gpt-6-luna")], "could not be verified."),
        ([("instructions", "Other.")], "What precedes it is not what it was made from."),
        ([("tools", [TOOL])], "What precedes it is not what it was made from."),
        ([("input", 0, user("Before"))], "What precedes it is not what it was made from."),
    ],
)
def test_reasoning_goes_back_as_it_was_given_or_not_at_all(changes, sentence):
    with strict(Answer((Thought("Hm"), Said("A moment."), Redacted(), Said("Hi")))) as server:
        assert refusal(server, "openai", REASONING) is None
        body = changed(answered(server, REASONING, user()), *changes)
        assert said_so(refusal(server, "openai", body), sentence)


def test_reasoning_stays_with_the_call_that_it_led_to():
    first = changed(REASONING, ("tools", [TOOL]))
    with strict(Answer((Thought("Hm"), Call("weather"), Call("weather")))) as server:
        assert refusal(server, "openai", first) is None
        ids = [item["call_id"] for item in server.memory.answers[-1].blocks[1:]]
        whole = answered(server, first, *map(output, ids))
        assert refusal(server, "openai", whole) is None
        swapped = changed(whole, ("input", 2, GONE), ("input", 3, whole["input"][2]))
        assert said_so(refusal(server, "openai", swapped), "without its required following item")


def test_reasoning_without_the_item_after_it_is_refused_where_the_answer_broke_off():
    broken = Answer((Thought("Hm"), Said("Ha", whole=False)), Cut())
    with strict(broken, SAYS_HI) as server:
        assert refusal(server, "openai", REASONING) is None
        (reasoning,) = server.memory.answers[-1].blocks
        kept = changed(REASONING, ("input", [user(), reasoning, assistant("Ha"), user()]))
        assert said_so(refusal(server, "openai", kept), "without its required following item")
        assert refusal(server, "openai", changed(kept, ("input", 1, GONE))) is None


def test_two_messages_may_not_go_back_as_one_nor_without_their_phases():
    with strict(Answer((Thought("Hm"), Said("One."), Said("Four.")))) as server:
        assert refusal(server, "openai", REASONING) is None
        reasoning, *said = map(as_sent, server.memory.answers[-1].blocks)
        assert [message.get("phase") for message in said] == ["commentary", "final_answer"]
        for items, accepted in ((said, True), ([assistant("One.Four.")], False), ([assistant("One."), said[1]], False)):
            body = changed(REASONING, ("input", [user(), reasoning, *items, user()]))
            assert (refusal(server, "openai", body) is None) == accepted


def test_blank_text_after_reasoning_may_be_left_out():
    first = changed(REASONING, ("tools", [TOOL]))
    with strict(Answer((Thought("Hm"), Said("\n"), Call("weather")))) as server:
        assert refusal(server, "openai", first) is None
        reasoning, _, called = map(as_sent, server.memory.answers[-1].blocks)
        items = [user(), reasoning, called, output(called["call_id"])]
        assert refusal(server, "openai", changed(first, ("input", items))) is None
