"""`mewcode once`: stdout carries the answer and nothing else, the exit code says the rest.

What concerns the process is tried on one; what is written for which events, inside this one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess

import pytest

from tests.fakes.dialects import CHAT, KEY, MESSAGES, RESPONSES, settle_sdks
from tests.fakes.inside import run_inside
from tests.fakes.program import LIMIT, Home, Ran, entry
from tests.fakes.scenarios import Scenario, once, play_all
from tests.fakes.sse_server import Reply, json_error, serving
from tests.loopback import answers

FLOOD = Reply((*CHAT.begun("Hel"), *(piece for _ in range(300) for piece in CHAT.begun("lo " * 500)), *CHAT.ended()))
NARROW = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}  # ASCII, and no way around it


def signalled(number: int, *arguments: str) -> Scenario:
    """Send a signal once the first words are there."""

    def run(home: Home) -> Ran:
        process = home.start("once", "hi", *arguments)
        assert process.stdout is not None
        first = os.read(process.stdout.fileno(), 3)
        process.send_signal(number)
        ran = home.finish(process)
        return Ran(ran.code, first + ran.out, ran.err)

    return Scenario(run, CHAT.stuck("Hel", "lo"))


def reader_gone(home: Home) -> Ran:
    process = home.start("once", "hi")
    assert process.stdout is not None
    assert process.stderr is not None
    first = os.read(process.stdout.fileno(), 3)
    process.stdout.close()
    with process:
        err = process.stderr.read().decode()
    return Ran(process.returncode, first, err)


def silent_pipe(home: Home) -> Ran:
    """A pipe on stdin that stays open and that nobody writes to."""
    process = home.start("once", "-m", "hi", stdin=subprocess.PIPE)
    process.wait(LIMIT)
    return home.finish(process)


def broken_sdk(home: Home) -> Ran:
    home.write("broken/openai.py", "raise RuntimeError('secret words')\n")
    return home.run("once", "hi")


def shell(line: str, reply: Reply | None = None, **variables: str) -> Scenario:
    return Scenario(lambda home: home.shell(line), reply or CHAT.answer("Hel", "lo"), variables=variables)


SCENARIOS = {
    "0": once("hi", reply=CHAT.answer("Hel", "lo 你好\n\n")),
    "1": Scenario(broken_sdk, variables={"PYTHONPATH": "broken"}),
    "65": once("hi", reply=json_error(400, {"error": {"message": "No such field"}})),
    "69": once("hi", reply=json_error(404, {"error": {"message": "x", "code": "model_not_found"}})),
    "74": shell("$MEWCODE once hi > /dev/full"),
    "74 closed": shell("$MEWCODE once hi >&-"),
    "75": once("hi", reply=Reply(CHAT.begun("Hel"), end="cut")),
    "76": once("hi", reply=Reply((b"<html>",), headers={"Content-Type": "text/html"})),
    "77": once("hi", reply=json_error(401, {"error": {"message": f"Wrong key {KEY}\x1b[31m"}})),
    "78": once("hi", variables={"ALL_PROXY": "gopher://x"}),
    "129": signalled(signal.SIGHUP),
    "130": signalled(signal.SIGINT),
    "143": signalled(signal.SIGTERM, "--output", "jsonl"),
    "141": Scenario(reader_gone, FLOOD),
    "message and pipe": once("-m", "first", given=b"\nsecond\nthird\n\n"),
    "silent pipe": Scenario(silent_pipe),
    "closed streams": shell("$MEWCODE once hi <&- 2>&-"),
    "narrow": shell("$MEWCODE once \"$(printf 'h\\344\\275\\240')\"", CHAT.answer("“你好”"), **NARROW),
}


@pytest.fixture(scope="module", autouse=True)
def _settled_sdks():
    settle_sdks()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return play_all(SCENARIOS, tmp_path_factory.mktemp("once"))


@pytest.fixture
def ran(runs):
    """What came of a scenario."""
    return lambda name: runs[name].ran


def asked(played):
    """The message that the server got."""
    return played.heard[0].json["messages"][-1]["content"]


def test_stdout_is_exactly_the_answer(ran):
    assert ran("0") == Ran(0, "Hello 你好\n\n".encode(), "")


@pytest.mark.parametrize(
    ("name", "out", "words"),
    [
        ("1", "", "internal error (RuntimeError)"),
        ("65", "", "No such field"),
        ("69", "", "does not know the model tiny"),
        ("74", "", "cannot write the answer: No space left on device"),
        ("74 closed", "", "cannot write the answer"),
        ("75", "Hel", "the connection broke"),
        ("76", "", "text/html"),
        ("77", "", "Wrong key ***␛[31m"),
        ("78", "", "ALL_PROXY"),
        ("129", "Hello", ""),
        ("130", "Hello", ""),
        ("141", "Hel", ""),
    ],
)
def test_the_exit_code_says_how_it_went_and_what_came_is_kept(ran, name, out, words):
    result = ran(name)
    assert (result.code, result.text) == (int(name.split()[0]), out), result
    assert words in result.err
    assert result.err.count("\n") == bool(words)
    assert "Traceback" not in result.err
    assert KEY not in result.err


def test_a_signal_makes_cancelled_the_last_json_line(ran):
    lines = [json.loads(line) for line in ran("143").text.splitlines()]
    assert lines == [{"type": "text_delta", "text": "Hel"}, {"type": "text_delta", "text": "lo"}, {"type": "cancelled"}]
    assert (ran("143").code, ran("143").err) == (143, "")


def test_a_closed_stdout_is_noticed_before_anything_is_asked(runs):
    assert runs["74 closed"].heard == []


def test_a_closed_stdin_and_stderr_cost_nothing(ran):
    assert ran("closed streams") == Ran(0, b"Hello", "")


def test_the_message_comes_first_and_then_after_a_blank_line_what_is_piped_in(runs):
    assert asked(runs["message and pipe"]) == "first\n\nsecond\nthird"


def test_a_pipe_that_nobody_writes_to_is_left_unread_with_a_note(runs):
    assert (runs["silent pipe"].ran.code, runs["silent pipe"].ran.text) == (0, "Hello")
    assert "left unread" in runs["silent pipe"].ran.err
    assert asked(runs["silent pipe"]) == "hi"


def test_a_locale_without_letters_changes_neither_the_message_nor_the_answer(runs):
    assert asked(runs["narrow"]) == "h你"
    assert runs["narrow"].ran == Ran(0, "“你好”".encode(), "")


def inside(home, reply, *arguments, dialect=CHAT, then=(), settings=""):
    with serving(reply, *then) as server:
        home.configure(entry(dialect.protocol, server.url + dialect.root, more=settings))
        return run_inside("once", "hi", *arguments)


@pytest.fixture
def home(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    return Home(folder)


@pytest.mark.parametrize("dialect", [MESSAGES, RESPONSES])
def test_every_protocol_answers(home, dialect):
    assert inside(home, dialect.answer("Hello"), dialect=dialect) == Ran(0, b"Hello", "")


@pytest.mark.parametrize(
    ("reason", "code", "words"),
    [
        ("length", 0, "Cut off at the token limit."),
        ("tool_calls", 0, "asked for a tool"),
        ("eos\x1b[1m", 0, "Stopped: eos␛[1m."),
        ("content_filter", 65, "content filter"),
    ],
)
def test_every_end_but_the_regular_one_is_noted(home, reason, code, words):
    ran = inside(home, Reply(CHAT.wire(answers.chunk(content="Hel"), answers.chunk(reason))))
    assert (ran.code, ran.text, ran.err.count("\n")) == (code, "Hel", 1)
    assert words in ran.err


def test_a_refusal_is_shown_and_is_no_success(home):
    ran = inside(home, Reply(CHAT.wire(*answers.REFUSAL["openai-compat"])))
    assert ran == Ran(65, b"I will not.", "mewcode: The model declined.\n")


def test_controls_are_marks_and_invisible_characters_stay_in_a_pipe(home):
    ran = inside(home, CHAT.answer(*"a\x1b[31mb\x9b\r\nc\u202e\ttab\r"))
    assert ran.text == "a␛[31mb<U+009B>\nc\u202e\ttab␍"


def test_json_lines_come_in_order_with_the_fields_of_the_events(home):
    thinking, calls = answers.THINKING["anthropic"][:-2], answers.CALLS["anthropic"]
    ran = inside(home, Reply(MESSAGES.wire(*thinking, *calls)), "--output", "jsonl", dialect=MESSAGES)
    assert (ran.code, ran.out.isascii(), ran.text.endswith("}\n")) == (0, True, True)
    weather, clock = {"tool_id": "t1", "tool_name": "weather"}, {"tool_id": "t2", "tool_name": "clock"}
    counts = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "thinking_tokens")
    assert [json.loads(line) for line in ran.text.splitlines()] == [
        {"type": "thinking_delta", "text": "Hm"},
        {"type": "thinking_delta", "text": "m."},
        {"type": "thinking_complete", "block": {"text": "Hmm.", "signature": "sig==", "redacted_data": None}},
        {"type": "thinking_complete", "block": {"text": "", "signature": None, "redacted_data": "opaque"}},
        {"type": "text_delta", "text": "Hi"},
        {"type": "tool_call_start", **weather},
        {"type": "tool_call_delta", "tool_id": "t1", "text": '{"city"'},
        {"type": "tool_call_delta", "tool_id": "t1", "text": ': "Bern"}'},
        {"type": "tool_call_complete", **weather, "arguments": {"city": "Bern"}, "error": None},
        {"type": "tool_call_start", **clock},
        {"type": "tool_call_complete", **clock, "arguments": {}, "error": None},
        {
            "type": "stream_end",
            "stop_reason": "tool_use",
            "raw_stop_reason": "tool_use",
            "usage": dict.fromkeys(counts),
        },
    ]


def test_a_tool_that_the_model_asks_for_is_named(home):
    ran = inside(home, Reply(MESSAGES.wire(*answers.CALLS["anthropic"])), dialect=MESSAGES)
    assert ran == Ran(0, b"", "mewcode: The model asked for a tool (weather, clock), which mewcode does not run.\n")


def test_the_name_of_a_tool_is_foreign_text(home):
    call = answers.piece(0, "{}", "t1", "rm\x1b[2J\n" + "x" * 2000)
    ran = inside(home, Reply(CHAT.wire(call, answers.chunk("tool_calls"))))
    assert (ran.code, ran.err.count("\n"), "\x1b" in ran.err) == (0, 1, False)
    assert "(rm␛[2J xx" in ran.err
    assert ran.err.endswith("which mewcode does not run.\n")


BUSY = json_error(503, {"error": {"message": "Busy\x1b[1m"}}, retry_after_ms="20", x_request_id="req_1")


def test_a_retry_is_noted_and_no_part_of_the_answer(home):
    ran = inside(home, BUSY, then=[CHAT.answer("Hel", "lo")], settings=", max_retries: 2")
    assert (ran.code, ran.text, ran.err.count("\n")) == (0, "Hello", 1)
    assert "Busy␛[1m" in ran.err
    assert ran.err.endswith("; retrying 2/3 in 0 s\n")


def test_a_retry_is_a_json_line_with_the_error_that_caused_it(home):
    ran = inside(home, BUSY, "--output", "jsonl", then=[CHAT.answer("Hello")], settings=", max_retries: 2")
    retrying, *rest = [json.loads(line) for line in ran.text.splitlines()]
    message = retrying["error"].pop("message")
    facts = {"kind": "server_error", "status": 503, "request_id": "req_1", "retryable": True}
    assert retrying == {"type": "retrying", "attempt": 2, "max_attempts": 3, "delay": 0.02, "error": facts}
    assert "Busy" in message
    assert [line["type"] for line in rest] == ["text_delta", "stream_end"]


def test_a_flood_arrives_whole_and_in_order(home):
    pieces = [f"{number} " for number in range(1000)]
    flood = Reply((b"".join([*CHAT.begun(*pieces), *CHAT.ended()]),))
    assert inside(home, flood) == Ran(0, "".join(pieces).encode(), "")
    *deltas, _ = inside(home, flood, "--output", "jsonl").text.splitlines()
    assert [json.loads(delta)["text"] for delta in deltas] == pieces


def test_a_cut_call_says_so_in_its_json_line(home):
    ran = inside(home, Reply(CHAT.wire(*answers.CUT_CALL["openai-compat"])), "--output", "jsonl")
    [line] = [json.loads(line) for line in ran.text.splitlines() if "tool_call_complete" in line]
    assert (line["arguments"], line["error"]["kind"]) == (None, "tool_arguments_error")


def test_an_error_is_the_last_json_line(home):
    reply = json_error(503, {"error": "Busy"}, x_request_id="req_1")
    ran = inside(home, reply, "--output", "jsonl")
    [line] = [json.loads(line) for line in ran.text.splitlines()]
    message = line["error"].pop("message")
    facts = {"kind": "server_error", "status": 503, "request_id": "req_1", "retryable": True}
    assert (ran.code, line) == (75, {"type": "stream_error", "error": facts})
    assert "Busy" in message
    assert message in ran.err


def test_bytes_through_the_pipe_that_are_no_text_arrive_as_marks(home):
    with serving(CHAT.answer("Hello")) as server:
        home.configure(entry("openai-compat", server.url))
        assert run_inside("once", given=b"\xff only \xe4\xbd\xa0\n").code == 0
        assert server.request().json["messages"][-1]["content"] == "\ufffd only 你"
