"""Messages of one Responses answer go back as they came, each with the phase that the server gave it (openai 3.57)."""

from __future__ import annotations

from mewcode.llm.collect import collect
from mewcode.llm.conversation import Conversation
from mewcode.llm.messages import TextBlock
from tests.fakes.dialects import CHAT, RESPONSES, connected
from tests.fakes.sse_server import Reply, serving
from tests.loopback.answers import response_end

REMARK, ANSWER = "Let me think about it.", "It is 4."


def message(place, said, phase):
    item = {"type": "message", "id": f"msg_{place}", "role": "assistant", "content": []}
    done = item | {"content": [{"type": "output_text", "text": said}], "phase": phase}
    at = {"output_index": place, "content_index": 0}
    return [
        {"type": "response.output_item.added", **at, "item": item | {"phase": phase}},
        {"type": "response.output_text.delta", **at, "delta": said[:3]},
        {"type": "response.output_text.delta", **at, "delta": said[3:]},
        {"type": "response.output_item.done", **at, "item": done},
    ]


PHASED = Reply(RESPONSES.wire(*message(0, REMARK, "commentary"), *message(1, ANSWER, "final_answer"), response_end()))


def told(body):
    return [(item["content"][0]["text"], item.get("phase")) for item in body["input"] if item["role"] == "assistant"]


def answered(client):
    """A conversation whose first answer was the phased one, and a second question."""
    conversation = Conversation()
    conversation.add("user", "What is 2 + 2?")
    answer, _ = collect(client.stream(conversation))
    assert answer.text == f"{REMARK}\n\n{ANSWER}"
    conversation.add("assistant", answer.blocks)
    conversation.add("user", "Thanks")
    return conversation


def asked_again(dialect, model="tiny"):
    """The request that another client makes of such a conversation."""
    with serving(PHASED, dialect.answer("Bye.")) as server:
        with connected(RESPONSES.config(server.url)) as client:
            conversation = answered(client)
        with connected(dialect.config(server.url, model)) as other:
            collect(other.stream(conversation))
        server.request()
        return server.request().json


def test_both_messages_go_back_word_for_word():
    assert told(asked_again(RESPONSES)) == [(REMARK, "commentary"), (ANSWER, "final_answer")]


def test_another_model_is_told_the_words_without_their_phases():
    assert told(asked_again(RESPONSES, "another")) == [(REMARK, None), (ANSWER, None)]


def test_chat_completions_are_told_one_message():
    assert asked_again(CHAT)["messages"][2]["content"] == f"{REMARK}\n\n{ANSWER}"


def test_a_conversation_keeps_texts_of_two_phases_apart():
    conversation = Conversation()
    running = conversation.add("assistant", status="streaming")
    for piece in (TextBlock("a", "commentary"), "b", TextBlock("\n\nc", apart=2), "d"):
        conversation.append(running, piece)
    texts = [block for block in conversation.get(running).blocks if isinstance(block, TextBlock)]
    assert [(block.text, block.said, block.phase) for block in texts] == [
        ("ab", "ab", "commentary"),
        ("\n\ncd", "cd", None),
    ]
