"""The main job on a real model, over all three protocols: it remembers, after a cancel and after a switch too."""

from __future__ import annotations

import pytest

from mewcode.errors import ContextTooLong
from mewcode.llm.client import ProviderConfig
from mewcode.llm.registry import create_client
from mewcode.session import Session
from tests.fakes.scripted import PATIENCE, Wakes

PROTOCOLS = ("anthropic", "openai", "openai-compat")
SWITCHES = [("anthropic", "openai"), ("openai", "openai-compat"), ("openai-compat", "anthropic")]
TELL, ASK = "The secret word is banana. Say OK.", "What is the secret word?"


def client_of(embedded, protocol):
    base_url = embedded.url if protocol == "anthropic" else f"{embedded.url}/v1"
    config = ProviderConfig(protocol, protocol, embedded.model, embedded.key, base_url=base_url, max_output_tokens=40)
    return create_client(config, "You are a helpful assistant.")


@pytest.fixture
def chat(embedded):
    """A session to be given a client."""
    sessions = []

    def begin(protocol):
        wakes = Wakes()
        session = Session(client_of(embedded, protocol), wakes)
        sessions.append(session)
        return session, wakes

    yield begin
    for session in sessions:
        session.close(PATIENCE)


def follow(session, wakes, until=lambda session: not session.running):
    """Apply the running answer until then."""
    while not until(session):
        seen = wakes.count
        if not session.pump():
            assert wakes.wait_for(seen + 1)
    return session.answer().text


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_second_question_knows_of_the_first(chat, protocol):
    session, wakes = chat(protocol)
    session.ask(TELL)
    follow(session, wakes)
    session.ask(ASK)
    assert "banana" in follow(session, wakes)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_cancelled_answer_does_not_disturb_the_next_ones(chat, protocol):
    session, wakes = chat(protocol)
    session.ask("Tell me a very long story about a cat.")
    follow(session, wakes, until=lambda session: len(session.answer().text) > 5)
    session.cancel()
    assert session.answer().status == "cancelled"
    session.ask(TELL)
    follow(session, wakes)
    session.ask(ASK)
    assert "banana" in follow(session, wakes)


@pytest.mark.parametrize(("before", "after"), SWITCHES)
def test_another_provider_goes_on_with_the_conversation(chat, embedded, before, after):
    session, wakes = chat(before)
    session.ask(TELL)
    follow(session, wakes)
    session.client.close()
    session.client = client_of(embedded, after)
    session.ask(ASK)
    assert "banana" in follow(session, wakes)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_conversation_that_does_not_fit_names_both_numbers_and_is_left_with_two_commands(chat, protocol):
    session, wakes = chat(protocol)
    session.ask("word " * 9000)
    follow(session, wakes)
    error = session.failure(session.answer().id)
    assert isinstance(error, ContextTooLong)
    assert error.limit == 4096
    assert error.requested is not None
    assert error.requested > 9000
    assert "4,096" in str(error) or "4096" in str(error)
    session.ask(TELL)
    follow(session, wakes)
    assert isinstance(session.failure(session.answer().id), ContextTooLong)
    session.clear()
    session.retry()
    assert follow(session, wakes)
    session.ask(ASK)
    assert "banana" in follow(session, wakes)
