from __future__ import annotations

import threading

import pytest

from mewcode.llm.conversation import Conversation
from mewcode.llm.messages import ApiMessage, Origin, TextBlock, ThinkingBlock, ToolUseBlock, Usage

ORIGIN = Origin("p", "http://h", "m")


@pytest.fixture
def conversation():
    return Conversation()


def test_messages_stay_in_order_each_with_an_id_of_its_own(conversation):
    ids = [conversation.add("user", "a"), conversation.add("assistant", "b"), conversation.add("user", "c")]
    assert [(message.id, message.text) for message in conversation.snapshot()] == list(zip(ids, "abc", strict=True))
    assert len(set(ids)) == 3


def test_an_answer_is_told_from_its_origin(conversation):
    answer = conversation.get(conversation.add("assistant", status="streaming", origin=ORIGIN))
    assert (answer.status, answer.blocks, answer.origin) == ("streaming", (), ORIGIN)


def test_text_that_comes_in_pieces_is_one_block(conversation):
    answer = conversation.add("assistant", status="streaming")
    for piece in ("a", "", "b\n", "c"):
        conversation.append(answer, piece)
    assert conversation.get(answer).blocks == (TextBlock("ab\nc"),)


def test_text_after_another_block_begins_a_new_one(conversation):
    thinking, call = ThinkingBlock("hm", "sig"), ToolUseBlock("t", "n", {})
    answer = conversation.add("assistant", status="streaming")
    for content in ("a", thinking, "b", "c", call, "d"):
        conversation.append(answer, content)
    assert conversation.get(answer).blocks == (TextBlock("a"), thinking, TextBlock("bc"), call, TextBlock("d"))


def test_text_joins_what_was_read_in_between(conversation):
    answer = conversation.add("assistant", status="streaming")
    seen = []
    for piece in "abc":
        conversation.append(answer, piece)
        seen.append(conversation.get(answer).text)
    assert seen == ["a", "ab", "abc"]


def test_what_was_read_does_not_change_later(conversation):
    answer = conversation.add("assistant", "a", status="streaming")
    before = conversation.snapshot()
    conversation.append(answer, "b")
    conversation.finish(answer, "complete")
    conversation.add("user", "c")
    assert [(message.text, message.status) for message in before] == [("a", "streaming")]


def test_finishing_gives_status_usage_and_time_and_keeps_the_rest(conversation):
    answer = conversation.add("assistant", status="streaming", origin=ORIGIN)
    begun = conversation.get(answer)
    conversation.append(answer, "a")
    conversation.finish(answer, "complete", Usage(3, 4), 1.5)
    done = conversation.get(answer)
    assert (done.status, done.usage, done.elapsed, done.text) == ("complete", Usage(3, 4), 1.5, "a")
    assert (done.id, done.created_at, done.origin) == (begun.id, begun.created_at, ORIGIN)


def test_an_id_that_nobody_has_is_a_key_error(conversation):
    for touch in (conversation.get, lambda nobody: conversation.append(nobody, "x")):
        with pytest.raises(KeyError):
            touch("nobody")


def test_a_message_that_is_taken_out_is_gone_and_handed_back(conversation):
    conversation.add("user", "a")
    removed = conversation.add("assistant", "b")
    assert conversation.remove(removed).text == "b"
    assert conversation.to_api() == [ApiMessage("user", (TextBlock("a"),))]


def test_no_two_conversations_have_one_id():
    assert Conversation().id != Conversation().id


def test_an_answer_without_origin_is_taken_for_that_of_the_last_request(conversation):
    conversation.asked(Origin("p", "u", "m"), "f1")
    first = conversation.get(conversation.add("assistant", "a"))
    second = conversation.get(conversation.add("assistant", "b"))
    assert (first.origin, first.prefix) == (Origin("p", "u", "m"), "f1")
    assert (second.origin, second.prefix) == (None, None)


def test_an_answer_that_is_already_there_gets_the_fingerprint_of_its_request(conversation):
    running = conversation.add("assistant", status="streaming", origin=Origin("p", "u", "m"))
    conversation.asked(Origin("p", "u", "m"), "f1")
    later = conversation.get(conversation.add("assistant", "b"))
    assert conversation.get(running).prefix == "f1"
    assert later.origin is None


def test_an_answer_of_somebody_else_does_not_get_the_fingerprint(conversation):
    conversation.asked(Origin("p", "u", "m"), "f1")
    answer = conversation.get(conversation.add("assistant", "b", origin=Origin("q", "u", "m")))
    assert (answer.origin, answer.prefix) == (Origin("q", "u", "m"), None)


def test_a_running_answer_is_not_sent(conversation):
    conversation.add("user", "a")
    conversation.add("assistant", "half", status="streaming")
    assert conversation.to_api() == [ApiMessage("user", (TextBlock("a"),))]


def test_many_pieces_are_joined_when_they_are_read_not_with_each(conversation):
    answer = conversation.add("assistant", status="streaming")
    conversation.append(answer, "x")
    first = conversation.get(answer)
    for _ in range(10_000):
        conversation.append(answer, "y")
    assert conversation.get(answer).text == "x" + "y" * 10_000
    assert conversation.get(answer) is conversation.get(answer)
    assert first.text == "x"


def test_threads_that_append_and_read_at_once_lose_and_tear_nothing(conversation):
    answers = [conversation.add("assistant", status="streaming") for _ in range(4)]
    start, done = threading.Barrier(6), threading.Event()
    torn: list[tuple[int, int]] = []

    def write(answer, letter):
        start.wait()
        for number in range(500):
            conversation.append(answer, letter)
            if number % 100 == 99:
                conversation.append(answer, ThinkingBlock(letter))
        conversation.finish(answer, "complete")

    def read():
        lengths = [0] * 4
        start.wait()
        while not done.is_set():
            now = [len(message.text) for message in conversation.snapshot()[:4]]
            torn.extend(pair for pair in zip(lengths, now, strict=True) if pair[0] > pair[1])
            lengths = now

    def add():
        start.wait()
        for _ in range(200):
            conversation.add("user", "q")

    writers = [
        threading.Thread(target=add),
        *(threading.Thread(target=write, args=pair) for pair in zip(answers, "abcd", strict=True)),
    ]
    reader = threading.Thread(target=read)
    for thread in (*writers, reader):
        thread.start()
    for thread in writers:
        thread.join(10)
    done.set()
    reader.join(10)

    assert torn == []
    assert [message.text for message in conversation.snapshot()[:4]] == [letter * 500 for letter in "abcd"]
    assert {len(conversation.get(answer).blocks) for answer in answers} == {10}
    assert len(conversation.snapshot()) == 204
