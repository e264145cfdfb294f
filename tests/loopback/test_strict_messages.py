"""The strict server's rules for Messages: what breaks one is refused, and its good neighbour is not."""

from __future__ import annotations

import pytest

from tests.fakes.strict_memory import Options
from tests.fakes.strict_plans import Answer, Call, Cut, Redacted, Said, Thought
from tests.fakes.strict_server import strict
from tests.loopback.posting import GONE, SAYS_HI, alone, changed, refusal, said_so

TOOL = {"name": "weather", "input_schema": {"type": "object"}}
MARK = {"cache_control": {"type": "ephemeral"}}
TEXT = {"type": "text", "text": "Hello"}


def user(*content):
    return {"role": "user", "content": list(content)}


def assistant(*content):
    return {"role": "assistant", "content": list(content)}


def result(tool_id, **more):
    return {"type": "tool_result", "tool_use_id": tool_id, "content": "22 °C", **more}


def use(tool_id):
    return {"type": "tool_use", "id": tool_id, "name": "weather", "input": {}}


GOOD = {"model": "m", "max_tokens": 2000, "messages": [user(TEXT)], "stream": True}
CHAT = changed(GOOD, ("messages", 1, assistant({"type": "text", "text": "Hi"})), ("messages", 2, user(TEXT)))
TOOLS = changed(
    GOOD,
    ("tools", [TOOL]),
    ("messages", 1, assistant(use("t1"), use("t2"))),
    ("messages", 2, user(result("t1"), result("t2"), TEXT)),
)
FOREIGN = Options(foreign_calls=True)


@pytest.mark.parametrize(
    "body",
    [
        GOOD,
        CHAT,
        changed(GOOD, ("system", "Be brief."), ("thinking", {"type": "adaptive", "display": "summarized"})),
        changed(GOOD, ("thinking", {"type": "enabled", "budget_tokens": 1999}), ("output_config", {"effort": "low"})),
        changed(GOOD, ("thinking", {"type": "disabled"}), ("cache_control", MARK["cache_control"])),
        changed(GOOD, ("messages", 0, "content", "Hello")),
        changed(GOOD, ("system", [TEXT | MARK] * 3), ("tools", [TOOL | MARK])),
        changed(GOOD, ("tools", [TOOL]), ("tool_choice", {"type": "any"}), ("thinking", {"type": "disabled"})),
    ],
)
def test_a_sound_request_is_accepted(body):
    assert alone("anthropic", body) is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("max_tokens", GONE), "max_tokens: Field required"),
        (("max_tokens", 0), "max_tokens: Input should be greater than or equal to 1"),
        (("max_tokens", True), "max_tokens: Input should be a valid integer"),
        (("model", GONE), "model: Field required"),
        (("system", None), "system: Input should be a valid"),
        (("prompt_cache_key", "x"), "prompt_cache_key: Extra inputs are not permitted"),
        (("temperature", 1), "temperature: Extra inputs are not permitted"),
        (("top_p", 1), "top_p: Extra inputs are not permitted"),
        (("top_k", 1), "top_k: Extra inputs are not permitted"),
        (("messages", []), "at least one message is required"),
        (("messages", ["Hello"]), "messages.0: Input should be a valid dictionary"),
        (("messages", [{"role": "user"}]), "messages.0.content: Field required"),
        (("messages", [{"role": "system", "content": "x"}]), 'Unexpected role "system"'),
        (("messages", 0, "name", "x"), "messages.0.name: Extra inputs are not permitted"),
        (("messages", 0, "content", 0, {"type": "input_text", "text": "x"}), "Input tag 'input_text'"),
        (("messages", 0, "content", 0, {"type": "text"}), "messages.0.content.0.text.text: Field required"),
        (("messages", 0, "content", 0, TEXT | {"id": "x"}), "messages.0.content.0.text.id: Extra inputs"),
        (("messages", 0, "content", 0, use("t1")), "messages.0: `tool_use` blocks can only be in `assistant`"),
        (("messages", 0, "content", []), "messages.0: user messages must have non-empty content"),
        (("messages", 0, "content", ""), "messages.0: user messages must have non-empty content"),
        (("messages", 0, "content", 0, {"type": "text", "text": ""}), "text content blocks must be non-empty"),
        (("messages", 0, "content", 1, {"type": "text", "text": "\n"}), "must contain non-whitespace text"),
        (("system", " "), "system: text content blocks must be non-empty"),
        (("messages", 0, assistant(TEXT)), 'first message must use the "user" role'),
        (("messages", 0, user(TEXT)), 'multiple "user" roles in a row'),
        (("messages", 1, assistant({"type": "text", "text": "So: "})), "cannot end with trailing whitespace"),
        (("messages", 1, assistant(TEXT)), "does not support assistant message prefill"),
        (("thinking", {"type": "enabled", "budget_tokens": 1023}), "greater than or equal to 1024"),
        (("thinking", {"type": "enabled", "budget_tokens": 2000}), "`max_tokens` must be greater than"),
        (("thinking", {"type": "enabled"}), "budget_tokens: Field required"),
        (("thinking", {"type": "adaptive", "budget_tokens": 1024}), "thinking.adaptive.budget_tokens: Extra inputs"),
        (("thinking", {"type": "on"}), '"thinking.type.on" is not supported'),
        (("thinking", {"type": "adaptive", "display": "all"}), "thinking.adaptive.display"),
        (("tools", [{"name": "a b", "input_schema": {"type": "object"}}]), "tools.0.custom.name"),
        (("tools", [{"name": "a"}]), "tools.0.custom.input_schema"),
        (("tools", [TOOL | {"parameters": {}}]), "tools.0.custom.parameters: Extra inputs"),
        (("tools", [TOOL, TOOL]), "Tool names must be unique"),
        (("system", [TEXT | MARK] * 5), "A maximum of 4 blocks with cache_control may be provided. Found 5."),
        (("system", [TEXT | {"cache_control": {"type": "forever"}}]), "cache_control: Input should be"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_shape_that_is_not_right_is_refused_in_the_vendors_words(change, sentence):
    assert sentence in (alone("anthropic", changed(GOOD, change)) or "")


@pytest.mark.parametrize(
    ("options", "change", "sentence"),
    [
        (Options(thinking_types=("adaptive",)), ("thinking", {"type": "enabled", "budget_tokens": 1024}), "adaptive"),
        (Options(thinking_types=("enabled",)), ("thinking", {"type": "adaptive"}), "adaptive thinking is not supp"),
        (Options(efforts=("low", "high")), ("output_config", {"effort": "xhigh"}), "Supported levels: high, low."),
        (Options(refuses=frozenset({"cache_control"})), ("cache_control", MARK["cache_control"]), "Extra inputs"),
    ],
)
def test_a_model_may_take_less(options, change, sentence):
    assert alone("anthropic", changed(GOOD, change)) is None
    assert sentence in (alone("anthropic", changed(GOOD, change), options) or "")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([], None),
        ([("messages", 3, assistant(TEXT)), ("messages", 4, user(TEXT))], None),
        ([("messages", 2, "content", 1, GONE)], "ids were found without `tool_result` blocks immediately after: t2."),
        ([("messages", 2, GONE)], "without `tool_result` blocks immediately after: t1, t2."),
        ([("messages", 1, "content", 1, GONE)], "messages.2.content.1: unexpected `tool_use_id` found"),
        ([("messages", 2, "content", 2, result("t1"))], "each tool_use must have a single result"),
        ([("messages", 2, "content", 0, TEXT)], "without `tool_result` blocks immediately after: t1, t2"),
        ([("messages", 1, "content", 2, use("t1"))], "`tool_use` ids must be unique"),
        ([("messages", 1, "content", 0, "input", None)], "tool_use.input: Input should be a valid dictionary"),
        ([("messages", 2, "content", 0, "is_error", "no")], "tool_result.is_error: Input should be a valid boolean"),
        ([("tools", GONE)], "must define tools"),
        ([("messages", 0, "content", 0, result("t0"))], "messages.0.content.0: unexpected `tool_use_id` found"),
    ],
)
def test_calls_and_results_are_paired(changes, sentence):
    assert said_so(alone("anthropic", changed(TOOLS, *changes), FOREIGN), sentence)


def test_a_tool_cannot_be_forced_where_the_model_thinks():
    forced = changed(GOOD, ("tools", [TOOL]), ("tool_choice", {"type": "any"}))
    assert alone("anthropic", forced) is None
    assert said_so(
        alone("anthropic", changed(forced, ("thinking", {"type": "adaptive"}))), "tool_choice forces tool use"
    )


def test_an_id_in_the_form_of_another_vendor_is_refused():
    call, answer = assistant(use("functions.weather:0")), user(result("functions.weather:0"))
    body = changed(GOOD, ("tools", [TOOL]), ("messages", 1, call), ("messages", 2, answer))
    assert "tool_use.id: String should match pattern" in (alone("anthropic", body, FOREIGN) or "")


def test_a_call_that_the_server_never_made_is_refused_unless_foreign_ones_are_allowed():
    assert said_so(alone("anthropic", TOOLS), "t1 is no call of this server")


def test_the_system_prompt_stays_the_same_within_a_conversation():
    other = changed(CHAT, ("system", "Be long."))
    with strict(SAYS_HI) as server:
        assert refusal(server, "anthropic", changed(GOOD, ("system", "Be brief."))) is None
        assert said_so(refusal(server, "anthropic", other), "system: differs")
        assert refusal(server, "anthropic", changed(CHAT, ("system", "Be brief."))) is None
    with strict(SAYS_HI, options=Options(same_system=False)) as server:
        assert refusal(server, "anthropic", changed(GOOD, ("system", "Be brief."))) is None
        assert refusal(server, "anthropic", other) is None


def answered(server, body, more):
    """The body of the next request, with the last answer as it was given and the user's next words."""
    blocks = server.memory.answers[-1].blocks
    place = len(body["messages"])
    return changed(body, ("messages", place, assistant(*blocks)), ("messages", place + 1, user(*more)))


FIRST = ("messages", 1, "content")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([], None),
        ([(*FIRST, 0, GONE), (*FIRST, 0, GONE)], None),
        ([("messages", 0, "content", 0, "cache_control", MARK["cache_control"])], None),
        ([("thinking", {"type": "disabled"})], None),
        (
            [(*FIRST, 0, "thinking", "Hm")],
            "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest",
        ),
        ([(*FIRST, 0, "signature", GONE)], "messages.1.content.0.thinking.signature: Field required"),
        ([(*FIRST, 0, "signature", "")], "Invalid `signature` in `thinking` block"),
        ([(*FIRST, 0, "signature", "Zm9yZWlnbg==")], "Invalid `signature` in `thinking` block"),
        ([(*FIRST, 1, "data", "Zm9yZWlnbg==")], "Invalid `data` in `redacted_thinking` block"),
        ([(*FIRST, 0, "cache_control", MARK["cache_control"])], "thinking.cache_control: Extra inputs"),
        ([(*FIRST, 0, GONE)], "cannot be modified"),
        ([(*FIRST, 1, GONE)], "cannot be modified"),
        ([(*FIRST, 0, TEXT)], "cannot be modified"),
        ([("model", "other")], "Invalid `signature` in `thinking` block"),
        ([("system", "Other.")], "What precedes them is not what they were made from"),
        ([("tools", [TOOL])], "What precedes them is not what they were made from"),
        ([("messages", 0, "content", 0, "text", "Hallo")], "What precedes them is not what they were made from"),
        ([("messages", 0, user(TEXT)), ("messages", 1, assistant(TEXT))], "What precedes them is not"),
    ],
)
def test_thinking_goes_back_as_it_was_given_or_not_at_all(changes, sentence):
    thinking = Answer((Thought(" Hm \n"), Redacted(), Said("Hi")))
    with strict(thinking, options=Options(same_system=False)) as server:
        assert refusal(server, "anthropic", GOOD) is None
        body = changed(answered(server, GOOD, [TEXT]), *changes)
        assert said_so(refusal(server, "anthropic", body), sentence)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([], None),
        ([("messages", 3, "content", 0, GONE)], None),
        ([("messages", 1, "content", 0, GONE), ("messages", 3, "content", 0, GONE)], None),
        ([("messages", 1, "content", 0, GONE)], "messages.3.content.0: `thinking`"),
    ],
)
def test_earlier_thinking_may_not_be_left_out_where_later_thinking_is_kept(changes, sentence):
    with strict(Answer((Thought("Hm"), Said("Hi")))) as server:
        assert refusal(server, "anthropic", GOOD) is None
        second = answered(server, GOOD, [TEXT])
        assert refusal(server, "anthropic", second) is None
        assert said_so(refusal(server, "anthropic", changed(answered(server, second, [TEXT]), *changes)), sentence)


@pytest.mark.parametrize("setting", [{"type": "adaptive"}, {"type": "enabled", "budget_tokens": 1024}])
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([], None),
        ([("messages", 3, assistant(TEXT)), ("messages", 4, user(TEXT)), (*FIRST, 0, GONE), (*FIRST, 0, GONE)], None),
        ([("thinking", {"type": "disabled"}), (*FIRST, 0, GONE), (*FIRST, 0, GONE)], None),
        ([(*FIRST, 0, GONE), (*FIRST, 0, GONE)], "Expected `thinking` or `redacted_thinking`, but found `text`"),
        ([(*FIRST, 1, GONE)], "cannot be modified"),
        ([(*FIRST, 2, "text", "I looked.")], None),
    ],
)
def test_thinking_that_led_to_a_call_has_to_come_back_with_its_result(setting, changes, sentence):
    calling = Answer((Thought("Hm"), Redacted(), Said("I look."), Call("weather"), Call("weather")))
    first = changed(GOOD, ("tools", [TOOL]), ("thinking", setting))
    with strict(calling) as server:
        assert refusal(server, "anthropic", first) is None
        results = [result(call) for call in [block.get("id") for block in server.memory.answers[-1].blocks] if call]
        body = changed(answered(server, first, results), *changes)
        assert said_so(refusal(server, "anthropic", body), sentence)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [({"type": "adaptive"}, None), ({"type": "enabled", "budget_tokens": 1024}, "but found `tool_use`")],
)
def test_a_call_of_another_model_lacks_thinking_only_where_that_is_enabled_by_hand(setting, sentence):
    body = changed(TOOLS, ("thinking", setting))
    assert said_so(alone("anthropic", body, FOREIGN), sentence)
    with strict(Answer((Call("weather"),))) as server:
        first = changed(body, ("messages", [user(TEXT)]))
        assert refusal(server, "anthropic", first) is None
        call = server.memory.answers[-1].blocks[0]["id"]
        assert refusal(server, "anthropic", answered(server, first, [result(call)])) is None


def test_blank_text_between_thinking_and_a_call_may_be_left_out():
    first = changed(GOOD, ("tools", [TOOL]))
    with strict(Answer((Thought("A"), Said("\n"), Call("weather"), Thought("B"), Said("Hi")))) as server:
        assert refusal(server, "anthropic", first) is None
        whole = answered(server, first, [result(server.memory.answers[-1].blocks[2]["id"])])
        assert said_so(refusal(server, "anthropic", whole), "non-whitespace")
        assert refusal(server, "anthropic", changed(whole, (*FIRST, 1, GONE))) is None


def test_thinking_between_calls_stays_in_its_place():
    first = changed(GOOD, ("tools", [TOOL]))
    with strict(Answer((Thought("A"), Call("weather"), Thought("B"), Said("Hi")))) as server:
        assert refusal(server, "anthropic", first) is None
        whole = answered(server, first, [result(server.memory.answers[-1].blocks[1]["id"])])
        assert refusal(server, "anthropic", whole) is None
        thought = whole["messages"][1]["content"][2]
        early = changed(whole, (*FIRST, 2, GONE), (*FIRST, 1, thought))
        assert said_so(refusal(server, "anthropic", early), "messages.1.content.1: `thinking`")
        assert said_so(refusal(server, "anthropic", changed(whole, (*FIRST, 2, GONE))), "cannot be modified")


def test_what_came_of_an_answer_that_broke_off_may_go_back():
    broken = Answer((Thought("A"), Call("weather"), Thought("B", whole=False)), Cut())
    first = changed(GOOD, ("tools", [TOOL]))
    with strict(broken, SAYS_HI) as server:
        assert refusal(server, "anthropic", first) is None
        blocks = server.memory.answers[-1].blocks
        assert [block["type"] for block in blocks] == ["thinking", "tool_use"]
        assert refusal(server, "anthropic", answered(server, first, [result(blocks[1]["id"])])) is None
