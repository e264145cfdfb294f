from __future__ import annotations

import json
import os
import pty
import signal
import sys
import threading
import time
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

from mewcode.errors import LLMError
from mewcode.llm.cancel import CancelToken
from mewcode.providers import _llama
from mewcode.providers._embedded import EmbeddedServer
from mewcode.providers.local import default_model
from tests.real.conftest import (
    BY_HAND,
    ROOT,
    answer,
    ask,
    children,
    descriptors,
    parent,
    provider,
    request,
    running,
    until,
    watching,
)

START, LAUNCH, WAIT = "start(CancelToken())", "launch()", "sys.stdin.read()"

QUESTION = "Say hello."
CHAT = ("/v1/chat/completions", {"messages": [{"role": "user", "content": QUESTION}], "max_tokens": 4})
RESPONSES = ("/v1/responses", {"input": [{"type": "message", "role": "user", "content": QUESTION}]})
MESSAGES = ("/v1/messages", {"messages": [{"role": "user", "content": QUESTION}], "max_tokens": 4})
PATHS = pytest.mark.parametrize(("path", "body"), [CHAT, RESPONSES, MESSAGES], ids=["chat", "responses", "messages"])


def test_the_child_says_one_line_and_nothing_else():
    packages = _llama.folder("xllamacpp")
    assert packages is not None
    with _llama.spawn(default_model(), packages.parent) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdin.write(b"the-key\n")
        said = child.stdout.read()
        child.stdin.close()
        assert said.startswith(b"http://127.0.0.1:")
        assert said.count(b"\n") == 1
        assert child.stderr.read() == b""


def test_the_key_is_in_no_list_of_processes_and_no_key_in_the_childs_environment():
    variables = {"WORK_API_KEY": "k", "ANTHROPIC_BASE_URL": "u", "OPENAI_ORG_ID": "o", "HF_TOKEN": "t", "PLAIN": "p"}
    then = "print(server.key.reveal(), flush=True); sys.stdin.read()"
    with running(parent(START, then), env={**os.environ, **variables}) as process:
        pid, key = process.stdout.readline().strip(), process.stdout.readline().strip()
        command = Path(f"/proc/{pid}/cmdline").read_text()
        environment = Path(f"/proc/{pid}/environ").read_text()
    assert key
    assert key not in command + environment
    names = {line.partition("=")[0] for line in environment.split("\0")}
    assert names & set(variables) == {"PLAIN"}


def test_the_child_has_a_session_of_its_own(embedded):
    assert os.getsid(embedded.pid) == embedded.pid != os.getsid(0)


def test_only_loopback_is_listened_on(embedded):
    port = int(embedded.url.rpartition(":")[2])
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    assert [row[1] for row in listening if row[3] == "0A" and row[1].endswith(f":{port:04X}")] == [
        f"0100007F:{port:04X}"
    ]


@PATHS
@pytest.mark.parametrize("key", ["", "wrong"], ids=["no key", "a wrong key"])
def test_without_the_key_there_is_no_answer(embedded, path, body, key):
    status, text = ask(embedded, path, body, key)
    assert status == 401
    assert embedded.key.reveal() not in text


@pytest.mark.parametrize(
    ("path", "body", "end"),
    [(*CHAT, "data: [DONE]"), (*RESPONSES, "event: response.completed"), (*MESSAGES, "event: message_stop")],
    ids=["chat", "responses", "messages"],
)
def test_with_the_key_every_protocol_streams_to_its_end_mark(embedded, path, body, end):
    status, text = ask(embedded, path, {**body, "max_output_tokens": 4}, embedded.key.reveal())
    assert status == 200
    assert end in text.splitlines()


def test_the_model_has_a_name_and_no_path(embedded):
    _, text = ask(embedded, *CHAT, embedded.key.reveal())
    first = json.loads(text.splitlines()[0].removeprefix("data: "))
    assert first["model"] == embedded.model == default_model().stem.lower()
    assert "/" not in embedded.model


def test_the_child_dies_with_a_parent_that_is_killed():
    with running(parent(START, WAIT)) as process, watching(int(process.stdout.readline())) as gone_within:
        process.kill()
        assert gone_within(2.0) is not None


def test_the_child_dies_with_a_parent_that_is_killed_while_the_model_loads():
    with running(parent(LAUNCH, WAIT)) as process, watching(int(process.stdout.readline())) as gone_within:
        process.kill()
        assert gone_within(2.0) is not None


@pytest.mark.parametrize("then", ["pass", "sys.exit(3)", "os._exit(0)", "os.kill(os.getpid(), 15)"])
def test_the_child_dies_with_a_parent_that_ends_without_closing_it_and_in_silence(then):
    held = f"sys.stdin.readline(); {then}"
    with running(parent(START, held)) as process, watching(int(process.stdout.readline())) as gone_within:
        said = process.communicate("\n")
        assert gone_within(2.0) is not None
    assert said == ("", "")


def test_closing_ends_the_child_and_leaves_no_process_thread_or_descriptor():
    before = descriptors(), threading.active_count()
    server = EmbeddedServer(default_model())
    server.start(CancelToken())
    assert server.pid in children()
    server.close()
    assert server.pid not in children()
    assert (descriptors(), threading.active_count()) == before
    server.close()


def test_a_child_that_dies_by_itself_leaves_nothing_either():
    before = descriptors(), threading.active_count()
    server = EmbeddedServer(default_model())
    server.start(CancelToken())
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    with pytest.raises(LLMError, match="signal 9"):
        server.join()
    assert server.ended
    assert server.pid not in children()
    server.close()
    assert (descriptors(), threading.active_count()) == before


def test_closing_from_several_threads_at_once_is_one_close():
    server = EmbeddedServer(default_model())
    server.start(CancelToken())
    threads = [threading.Thread(target=server.close) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5.0)
    assert not any(thread.is_alive() for thread in threads)
    assert server.pid not in children()


def test_a_child_that_hears_nothing_is_ended_by_force():
    server = EmbeddedServer(default_model())
    server.start(CancelToken())
    assert server.pid is not None
    os.kill(server.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, server.pid, os.WSTOPPED)
    server.close()
    assert server.pid not in children()


def test_closing_while_the_model_loads_wakes_who_waits_for_it():
    server = EmbeddedServer(default_model())
    server.launch()
    said: list[str] = []

    def wait():
        try:
            server.start(CancelToken())
        except LLMError as error:
            said.append(str(error))

    waiting = threading.Thread(target=wait)
    waiting.start()
    server.close()
    waiting.join(5.0)
    assert said == ["the embedded model was stopped"]
    assert server.pid not in children()


def test_cancelling_while_the_model_loads_ends_the_wait_and_keeps_the_model_for_the_next_question():
    with closing(EmbeddedServer(default_model())) as server:
        server.launch()
        cancel, ended = CancelToken(), []

        def wait():
            with pytest.raises(LLMError, match="cancelled"):
                server.start(cancel)
            ended.append(time.monotonic())

        waiting = threading.Thread(target=wait)
        waiting.start()
        began = time.monotonic()
        cancel.cancel()
        waiting.join(5.0)
        first = server.pid
        server.start(CancelToken())
        assert server.pid == first
        assert server.url
    assert ended[0] - began < 0.1


def test_by_hand_a_piped_first_line_is_the_key_and_the_end_of_the_pipe_the_end():
    with running(BY_HAND, cwd=ROOT) as process:
        process.stdin.write("from-a-script\n")
        process.stdin.flush()
        line = process.stdout.readline()
        request = urllib.request.Request(f"{line.strip()}/v1/models", headers={"Authorization": "Bearer from-a-script"})
        with urllib.request.urlopen(request, timeout=10) as models:
            assert json.load(models)["data"][0]["id"] == default_model().stem.lower()
        out, err = process.communicate()
    assert (process.returncode, out, err) == (0, "", "")


def test_by_hand_on_a_terminal_it_makes_a_key_and_ctrl_c_ends_it_quietly():
    master, slave = pty.openpty()
    with running(BY_HAND, cwd=ROOT, stdin=slave, preexec_fn=_take_terminal) as process:
        os.close(slave)
        url = process.stdout.readline().strip()
        word, key = process.stdout.readline().split()
        entry = process.stdout.readline()
        request = urllib.request.Request(f"{url}/v1/models", headers={"Authorization": f"Bearer {key}"})
        with urllib.request.urlopen(request, timeout=10) as models:
            assert models.status == 200
        os.write(master, b"\x03")
        out, err = process.communicate()
    os.close(master)
    assert word == "key:"
    assert f"{url}/v1" in entry
    assert (process.returncode, out, err) == (130, "", "")


def _take_terminal() -> None:
    os.setsid()
    os.close(os.open(os.ttyname(0), os.O_RDWR))  # the first terminal a session opens is its own


def test_the_provider_starts_one_server_for_all_questions():
    before = children()
    with provider() as tiny:
        first = children() - before  # the model loads while the user types
        assert answer(tiny, "Say hello.")
        assert answer(tiny, "Say hello again.")
        assert children() - before == first
        assert len(first) == 1
    assert children() == before


def test_a_server_that_died_is_started_anew_by_the_next_question():
    before = children()
    with provider() as tiny:
        assert answer(tiny, "Say hello.")
        (first,) = children() - before
        with watching(first) as gone_within:
            os.kill(first, signal.SIGKILL)
            assert gone_within(2.0) is not None
        until(lambda: first not in children())
        assert answer(tiny, "Say hello.")
        (second,) = children() - before
    assert first != second


def test_a_cancelled_prompt_holds_the_next_question_only_for_a_moment():
    with provider() as tiny:
        answer(tiny, "Say hello.")
        cancel = CancelToken()
        reading = threading.Thread(target=_ask_in_vain, args=(tiny, "one two three four " * 500, cancel))
        reading.start()
        reading.join(1.0)  # it is being read now, for some twenty seconds
        assert reading.is_alive()
        cancel.cancel()
        began = time.monotonic()
        reading.join(5.0)
        assert answer(tiny, "Say hello.")
        took = time.monotonic() - began
    sys.stdout.write(f"a cancelled prompt held the next question for {took:.2f} s\n")
    assert took < 10


def _ask_in_vain(tiny, text, cancel):
    with pytest.raises(LLMError):
        list(tiny.open(request(text), cancel))
