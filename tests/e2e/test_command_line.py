"""The command line: what each flag does, what is refused and with which sentence, and what is not even loaded."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import sys

import pytest

from mewcode import __version__
from mewcode.cli import main
from tests.fakes.dialects import CHAT, KEY, MESSAGES, settle_sdks
from tests.fakes.inside import run_inside
from tests.fakes.program import Home, Ran, entry
from tests.fakes.scenarios import Scenario, once, play_all
from tests.fakes.sse_server import serving

LOADED = "import sys, mewcode.cli; mewcode.cli.main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
SECRET_TEXT = "the words of the user"


def modules(*arguments: str):
    """What a run has loaded when it ends, on stderr."""

    def run(home: Home) -> Ran:
        line = " ".join(f"'{argument}'" for argument in ("-c", LOADED, *arguments))
        return home.shell(f"{sys.executable} {line}")

    return run


SCENARIOS = {
    "log": once(SECRET_TEXT, "--log", "debug"),
    "openai": Scenario(modules("once", "hi")),
    "anthropic": Scenario(modules("once", "hi"), MESSAGES.answer("Hello"), MESSAGES),
    "version": Scenario(modules("once", "-m", " ")),
    "no terminal": Scenario(lambda home: home.shell("$MEWCODE </dev/null")),
    "no stdin": Scenario(lambda home: home.shell("$MEWCODE chat <&-")),
}
BROKEN = {
    "empty": ("", "empty"),
    "tab": ("providers:\n\t- name: a\n", "tab"),
    "no providers": ("default: a\n", "providers"),
    "typo": ("providers:\n  - {name: a, protocol: openai, model: m, api_kye: x}\n", "did you mean api_key?"),
    "no key": ("providers:\n  - {name: a, protocol: openai, model: m}\n", "api_key: ${OPENAI_API_KEY}"),
    "unset": (
        "providers:\n  - {name: a, protocol: openai, model: m, api_key: '${NOT_THERE}'}\n",
        "NOT_THERE is not set",
    ),
    "protocol": ("providers:\n  - {name: a, protocol: telnet, model: m, api_key: x}\n", "protocol"),
    "twice": ("providers:\n  - {name: a, name: b, protocol: openai, model: m, api_key: x}\n", "name"),
    "plain http": (
        "providers:\n  - {name: a, protocol: openai, model: m, api_key: x, base_url: 'http://example.com'}\n",
        "allow_http",
    ),
    "no file for certificates": (
        "providers:\n  - {name: a, protocol: openai, model: m, api_key: x, ca_bundle: nowhere.pem}\n",
        "ca_bundle",
    ),
}
TWO = (entry("openai", "http://127.0.0.1:9", "one"), entry("anthropic", "http://127.0.0.1:9", "two"))


@pytest.fixture(scope="module", autouse=True)
def _settled_sdks():
    settle_sdks()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return play_all(SCENARIOS, tmp_path_factory.mktemp("command-line"))


@pytest.fixture
def home(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    return Home(folder)


def request(home, *arguments, dialect=CHAT, more="", rest=""):
    """The body that the server gets from `mewcode once` with these arguments."""
    with serving(dialect.answer("Hello")) as server:
        home.configure(entry(dialect.protocol, server.url + dialect.root, more=more), rest=rest)
        assert run_inside("once", *arguments, "-m", "hi") == Ran(0, b"Hello", "")
        return server.request().json


def refused(code, *arguments, given=b""):
    """The one line on stderr of a run that ends with this code."""
    ran = run_inside(*arguments, given=given)
    assert (ran.code, ran.out) == (code, b""), ran
    assert re.fullmatch(r"mewcode: .+\n", ran.err), ran.err
    return ran.err


def test_flags_reach_the_request(home):
    body = request(home, "--model", "big", "--max-tokens", "7", "--system", "Sing.")
    assert (body["model"], body["max_tokens"]) == ("big", 7)
    assert body["messages"] == [{"role": "system", "content": "Sing."}, {"role": "user", "content": "hi"}]


def test_flags_go_before_the_configuration_and_the_configuration_before_what_is_built_in(home):
    more = ", max_output_tokens: 5"
    rest = "system_prompt: Hum.\n"
    body = request(home, more=more, rest=rest)
    assert (body["model"], body["max_tokens"], body["messages"][0]["content"]) == ("tiny", 5, "Hum.")
    body = request(home, "--max-tokens", "7", "--system", "", more=more, rest=rest)
    assert (body["max_tokens"], body["messages"][0]["role"]) == (7, "user")
    assert "mewcode" in request(home)["messages"][0]["content"]


def test_a_system_prompt_may_come_from_a_file(home):
    home.write("prompt.txt", "Sing 你.\n")
    assert request(home, "--system", "@prompt.txt")["messages"][0]["content"] == "Sing 你.\n"


@pytest.mark.parametrize(
    ("flag", "thinking"),
    [("--thinking", {"type": "adaptive", "display": "summarized"}), ("--no-thinking", {"type": "disabled"})],
)
def test_thinking_is_asked_for_or_not(home, flag, thinking):
    assert request(home, flag, "--model", "claude-opus-4-8", dialect=MESSAGES)["thinking"] == thinking
    assert "thinking" not in request(home, "--model", "claude-opus-4-8", dialect=MESSAGES)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("once",), "no message"),
        (("once", "-m", " \n"), "no message"),
        (("once", "hi", "-m", "hi"), "give the message once"),
        (("once", "-p", "three", "hi"), "no provider `three`: choose one with -p: one, two"),
        (("once", "-p", "th\x1b[1mree", "hi"), "`th␛[1mree`"),
        (("once", "hi"), "several providers and no default: choose one with -p: one, two"),
    ],
)
def test_a_wrong_use_is_said_in_one_line(home, arguments, words):
    home.configure(*(TWO if "hi" in arguments else TWO[:1]))
    assert words in refused(2, *arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("once", "--max-tokens", "0"), "--max-tokens: give a whole number of at least 1"),
        (("once", "--max-tokens", "x"), "--max-tokens: give a whole number of at least 1"),
        (("once", "--nonsense"), "--nonsense"),
        (("once", "--loc", "hi"), "--loc"),
        (("sing",), "no command `sing`: there are chat and once"),
        (("--log", "debug", "sing"), "no command `sing`: there are chat and once"),
    ],
)
def test_what_is_no_argument_is_wrong_usage(home, arguments, words):
    assert words in refused(2, *arguments)


def test_flags_may_stand_before_the_command(home):
    assert "no message" in refused(2, "--log", "debug", "--local", "once")
    assert "no message" in refused(2, "--output", "jsonl", "--local", "x.gguf", "once")
    assert "x.gguf" in refused(78, "--local", "x.gguf", "-m", "hi", "once")


@pytest.mark.parametrize("arguments", [("once", "--version"), ("--version", "once"), ("chat", "--version")])
def test_the_version_is_told_wherever_it_is_asked_for(home, arguments):
    assert run_inside(*arguments) == Ran(0, f"mewcode {__version__}\n".encode(), "")


def test_a_current_directory_that_is_gone_is_said(home):
    ran = home.shell("mkdir gone; cd gone; rmdir ../gone; $MEWCODE once hi")
    assert ran == Ran(78, b"", "mewcode: the current directory has been deleted; change to one that is there\n")


def test_ctrl_c_before_there_is_anything_to_cancel_ends_it_without_a_word(home):
    pipe = home.path / "config"
    os.mkfifo(pipe)
    process = home.start("once", "-c", str(pipe), "hi")
    with pipe.open("wb"):  # opened by both: the program reads it now, and nothing comes
        process.send_signal(signal.SIGINT)
        assert home.finish(process) == Ran(-signal.SIGINT, b"", "")


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_configuration_is_one_line_with_the_place(home, name):
    text, words = BROKEN[name]
    home.write(".config/mewcode/config.yaml", text)
    sentence = refused(78, "once", "hi")
    assert words in sentence
    assert "config.yaml" in sentence


def test_no_configuration_at_all_says_what_to_do(home):
    assert "mewcode --local" in refused(78, "once", "hi")


@pytest.mark.parametrize("content", [None, b"\xff\xfe", "a directory"])
def test_a_file_that_cannot_be_read_is_one_line_that_names_it(home, content):
    if isinstance(content, bytes):
        home.write("odd.txt", content)
    elif content:
        (home.path / "odd.txt").mkdir()
    assert "odd.txt" in refused(78, "once", "-c", "odd.txt", "hi")
    home.configure(TWO[0])
    assert "@odd.txt" in refused(78, "once", "--system", "@odd.txt", "hi")


def test_a_key_that_others_can_read_is_warned_of_with_the_command(home):
    with serving(CHAT.answer("Hello")) as server:
        home.configure(entry("openai-compat", server.url)).chmod(0o644)
        ran = run_inside("once", "hi")
    assert (ran.code, ran.text, ran.err.count("\n")) == (0, "Hello", 1)
    assert "chmod 600" in ran.err


def test_a_project_file_that_takes_a_key_from_outside_is_refused(home):
    home.write(".mewcode/config.yaml", "providers:\n  - {name: a, protocol: openai, model: m, api_key: '${HOME}'}\n")
    assert "project file" in refused(78, "once", "hi")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("once", "--local", "text", "-m", "other"), 2, "give the message once"),
        (("once", "--local"), 2, "no message"),
        (("once", "--local", "nothere.gguf"), 2, "no message"),
        (("once", "--local", "nothere.gguf", "hi"), 78, "nothere.gguf"),
        (("once", "--local", "nothere.gguf", "-m", "hi"), 78, "nothere.gguf"),
        (("once", "--local=nothere.gguf", "hi"), 78, "nothere.gguf"),
    ],
)
def test_what_follows_local_is_the_model_only_with_its_ending(home, arguments, code, words):
    assert words in refused(code, *arguments)


def test_local_reads_no_configuration(home):
    home.write(".config/mewcode/config.yaml", "broken: [")
    assert "no message" in refused(2, "once", "--local")


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("once", "--help"), ("chat", "-h")])
def test_version_and_help_need_nothing(home, arguments):
    ran = run_inside(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert ran.text == f"mewcode {__version__}\n" if arguments == ("--version",) else "usage: mewcode" in ran.text


def test_without_a_terminal_the_chat_goes_line_by_line(runs):
    assert runs["no terminal"].ran == Ran(0, b"", "mewcode: here, tiny; /help lists the commands\n")


def test_without_an_input_there_is_no_chat(runs):
    sentence = "mewcode: the chat needs an input and an output; use `mewcode once` without them\n"
    assert runs["no stdin"].ran == Ran(2, b"", sentence)


@pytest.mark.parametrize(("name", "other"), [("openai", "anthropic"), ("anthropic", "openai")])
def test_only_the_sdk_in_use_is_loaded(runs, name, other):
    loaded = runs[name].ran.err.split()
    assert runs[name].ran.text == "Hello"
    assert name in loaded
    assert not [module for module in (other, "urwid", "mistune") if module in loaded]


def test_what_fails_early_loads_no_sdk(runs):
    loaded = runs["version"].ran.err.split()
    assert "mewcode.launch" in loaded
    assert not {"anthropic", "openai", "urwid", "mistune", "pydantic", "httpx2"} & set(loaded)


def test_the_log_has_the_request_and_neither_its_text_nor_the_key(runs):
    played = runs["log"]
    assert played.ran == Ran(0, b"Hello", "")
    file = played.home.path / ".local/state/mewcode/mewcode.log"
    log = file.read_text()
    size = len(json.dumps(played.heard[0].json, separators=(",", ":"), ensure_ascii=False).encode())
    for fact in ("protocol openai-compat", "1 messages", "POST /v1/chat/completions", f"{size} bytes"):
        assert fact in log
    for hidden in (KEY, SECRET_TEXT, "Hello", "Hel"):
        assert hidden not in log
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_main_takes_its_arguments_from_the_process_when_none_are_given(home, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["mewcode", "--version"])
    assert main() == 0
    assert capsys.readouterr().out == f"mewcode {__version__}\n"
