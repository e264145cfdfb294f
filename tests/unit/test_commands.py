from __future__ import annotations

import pytest

from mewcode.commands import ALIASES, COMMANDS, complete, is_command, run_command
from mewcode.llm.events import StreamEnd, TextDelta
from mewcode.llm.messages import Usage
from mewcode.price import Price
from tests.fakes.front import FakeFront

CODE = "Here:\n\n```py\nprint(1)\n```\n\nand\n\n```\nls\n```\n"


@pytest.fixture
def front():
    return FakeFront()


def answered(front, *answers, question="Why?"):
    """A conversation with these answers."""
    for answer in answers:
        front.session.ask(question)
        front.session.client.say(TextDelta(answer), StreamEnd("end", "stop", Usage(100, 7, 75)))
        front.session.pump()
    return front


@pytest.mark.parametrize(
    "text", ["/help", "/exit", "/nope", "/nope now", "/no-pe", "/?", "/猫", "/exit\nnow", "/save!"]
)
def test_a_first_word_with_one_slash_in_front_is_a_command(text):
    assert is_command(text)


@pytest.mark.parametrize(
    "text", ["", "help", " /help", "/", "/ help", "//help", "/etc/hosts is", "/a/", "\n/help", "a /help"]
)
def test_anything_else_is_text(text):
    assert not is_command(text)


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("/help", ("help", None)),
        ("/?", ("help", None)),
        ("/clear", ("clear", None)),
        ("/new", ("clear", None)),
        ("/exit", ("quit", None)),
        ("/quit ", ("quit", None)),
        ("/provider", ("choose", None)),
        ("/find two words", ("find", "two words")),
        ("/raw", ("tell", "Answers are shown as their source.")),
        ("/thinking", ("tell", "Thinking is shown.")),
        ("/time", ("tell", "Times are shown.")),
        ("/mouse", ("tell", "The mouse is mewcode's: its wheel scrolls.")),
        ("/system", ("tell", "The system prompt: Be brief.")),
    ],
)
def test_each_command_does_what_it_says(front, text, done):
    assert run_command(front, text) is None
    assert front.done == [done]


@pytest.mark.parametrize("word", [*(command.name for command in COMMANDS), *ALIASES])
def test_no_command_can_break_the_chat_whatever_it_is_given(word):
    for argument in ("", " 1", " 0", " -1", " x", " 99999999", " /nowhere/at/all.md", " \x1b[2J", " é" * 400):
        front = answered(FakeFront(), "Because.")
        sentence = run_command(front, f"/{word}{argument}")
        assert sentence is None or ("\x1b" not in sentence and len(sentence) < 400)
        front.session.close(5)


def test_an_unknown_command_is_named_with_the_way_round(front):
    sentence = run_command(front, "/exti now")
    assert sentence == "There is no /exti; /help lists what there is. A blank in front sends it as text."
    assert front.done == []


def test_a_long_unknown_command_is_named_in_short(front):
    sentence = run_command(front, "/" + "x" * 5000)
    assert sentence is not None
    assert len(sentence) < 150


@pytest.mark.parametrize("text", ["/clear all", "/exit\nsecond line"])
def test_a_command_with_more_behind_it_is_not_run_so_that_nothing_is_lost(front, text):
    sentence = run_command(front, text)
    assert sentence is not None
    assert "stands alone" in sentence
    assert front.done == []


@pytest.mark.parametrize("text", ["/save", "/find", "/find  "])
def test_a_command_that_wants_more_says_what(front, text):
    sentence = run_command(front, text)
    assert sentence is not None
    assert sentence.startswith(("/save FILE: ", "/find TEXT: "))


def test_while_an_answer_runs_only_what_needs_no_rest_is_done(front):
    front.session.ask("Why?")
    for text in ("/retry", "/continue", "/edit", "/model x", "/provider other", "/system x"):
        assert run_command(front, text) == "still answering; Esc cancels"
    for text in ("/help", "/raw", "/exit"):
        assert run_command(front, text) is None
    front.session.close(5)


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        ("/copy", "second"),
        ("/copy 2", "first"),
        ("/copy 3", "There is no answer 3: count from the last one, which is 1, to 2."),
        ("/copy x", "X is no number: 1 is the first."),
    ],
)
def test_an_answer_is_copied_by_its_place_from_the_end(front, text, copied):
    sentence = run_command(answered(front, "first", "second"), text)
    assert sentence == copied if sentence else front.done == [("copy", copied), ("tell", "Sent.")]


@pytest.mark.parametrize(("text", "copied"), [("/code", "print(1)"), ("/code 2", "ls")])
def test_a_block_of_code_is_copied_without_its_fence(front, text, copied):
    assert run_command(answered(front, "no code", CODE), text) is None
    assert front.done[0] == ("copy", copied)


@pytest.mark.parametrize("text", ["/copy", "/code", "/edit", "/retry", "/continue"])
def test_where_nothing_was_said_there_is_nothing_to_do_and_that_is_said(front, text):
    sentence = run_command(front, text)
    assert sentence is not None
    assert sentence.endswith(".")
    assert front.done == []


def test_a_conversation_is_saved_once_and_over_only_when_told_so(front, tmp_path):
    file = tmp_path / "talk.md"
    answered(front, "Because.")
    assert run_command(front, f"/save {file}") is None
    assert "Because." in file.read_text(encoding="utf-8")
    refused = run_command(front, f"/save {file}")
    assert refused is not None
    assert "/save!" in refused
    assert run_command(front, f"/save! {file}") is None


def test_another_model_answers_from_now_on_with_the_same_conversation(front):
    answered(front, "Because.")
    assert run_command(front, "/model big-one") is None
    assert front.done == [("tell", "fake answers from now on, with big-one.")]
    front.session.ask("And?")
    assert len(front.clients.made[1].asked[0]) == 3
    front.session.close(5)


def test_another_provider_answers_from_now_on_and_an_unknown_one_is_named(front):
    assert run_command(front, "/provider nobody") == "There is no provider nobody; there are fake, other."
    assert run_command(front, "/provider other") is None
    assert front.session.client.name == "other"
    run_command(front, "/model")
    assert front.done[-1] == (
        "explain",
        [("model", "model-2, of other"), ("/provider fake", "model-1"), ("/provider other", "model-2")],
    )


def test_another_system_prompt_holds_from_the_next_message_on(front):
    run_command(front, "/model big-one")
    assert run_command(front, "/system Speak French.") is None
    assert (front.clients.system, front.session.client.model) == ("Speak French.", "big-one")


def test_the_last_question_is_put_into_the_prompt_and_the_next_one_takes_its_place(front):
    answered(front, "first", "second")
    assert run_command(front, "/edit") is None
    assert front.done[0] == ("compose", "Why?")
    front.desk.ask("Why not?")
    said = [message.text for message in front.session.conversation.snapshot()]
    assert said == ["Why?", "first", "Why not?", ""]
    front.session.close(5)


def test_the_tokens_are_told_of_the_answer_and_of_all(front):
    run_command(front, "/usage")
    assert front.done == [("explain", [("tokens", "no server has counted any yet")])]
    run_command(answered(front, "first", "second"), "/usage")
    assert front.done[-1] == (
        "explain",
        [
            ("last answer", "tokens 100 in (75 from the cache), 7 out"),
            ("conversation", "tokens 200 in (150 from the cache), 14 out"),
            ("cache", "75% of the input was read from it"),
        ],
    )


def test_files_go_along_with_the_next_message_and_only_with_it(front, tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"inside {name}\n")
        assert run_command(front, f"/file {tmp_path / name}") is None
    assert front.done[-1] == ("tell", "a.txt (1 line), b.txt (1 line) go along with the next message.")
    assert front.desk.with_attached("Why?").endswith("inside b.txt\n```\n\nWhy?")
    assert front.desk.with_attached("Why?") == "Why?"
    run_command(front, f"/file {tmp_path / 'a.txt'}")
    run_command(front, "/file")
    run_command(front, "/file")
    assert [said for _, said in front.done[-2:]] == [
        "No file goes along any more.",
        "No file goes along with the next message.",
    ]
    assert front.desk.with_attached("Why?") == "Why?"


def test_files_and_providers_are_completed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("x")
    assert complete("/file no") == ["/file notes.txt"]
    assert complete("/save no") == ["/save notes.txt"]
    assert complete("/provider o", ["fake", "other"]) == ["/provider other"]
    assert complete("/find no") == complete("/nope no") == complete("/copy ", ["a"]) == []


def test_a_file_that_cannot_go_along_is_named_and_nothing_changes(front, tmp_path):
    (tmp_path / "a").write_bytes(b"\0")
    assert (
        run_command(front, f"/file {tmp_path / 'a'}")
        == f"{tmp_path / 'a'} is not text in UTF-8; only such files can go along."
    )
    assert front.desk.attached == []


def test_the_cost_is_told_where_the_configuration_has_a_price(front):
    front.clients.price = Price(10, 100)
    answered(front, "first", "second")
    run_command(front, "/usage")
    assert dict(front.done[-1][1])["cost"] == "$0.0017 for the last answer, $0.0034 in all"
    front.desk.use_model("another-model")
    run_command(answered(front, "third"), "/usage")
    assert dict(front.done[-1][1])["cost"] == "$0.0034 in all, without 1 answer of unknown price"


def test_the_share_of_the_context_is_told_where_its_size_is_known(front):
    front.client.context_window = 214
    run_command(answered(front, "first"), "/usage")
    assert dict(front.done[-1][1])["context"] == "50% of what the model can take"


def test_a_whole_answer_is_not_gone_on_with(front):
    assert run_command(answered(front, "Because."), "/continue") == "The last answer came to its end."


@pytest.mark.parametrize(
    ("begun", "whole"),
    [
        ("/re", ["/retry"]),
        ("/s", ["/system ", "/save ", "/save! "]),
        ("/exit", ["/exit"]),
        ("/zz", []),
        ("word", []),
        ("/save x", []),
    ],
)
def test_the_beginning_of_a_command_is_completed(begun, whole):
    assert complete(begun) == whole
