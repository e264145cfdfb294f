"""How a case is played: `once` inside this process, and the chat on a scripted screen over the real client."""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mewcode.config.load import load
from mewcode.llm.registry import create_client
from tests.cases.case import DIALECTS
from tests.cases.strict import strict
from tests.fakes.case_server import serving
from tests.fakes.inside import run_inside
from tests.fakes.sse_server import LIMIT
from tests.fakes.talker import Talker
from tests.screens.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from mewcode.errors import LLMError
    from mewcode.llm.client import LLMClient, ProviderConfig, ToolSchema
    from mewcode.llm.conversation import Conversation
    from mewcode.llm.messages import Message, Origin
    from mewcode.llm.turn import Turn
    from mewcode.session import Session
    from tests.cases.case import Case
    from tests.fakes.case_server import CaseServer, Heard, Step
    from tests.fakes.program import Ran

KEY = "kk-cases-0123456789"
SYSTEM = "Be brief."
TAG = re.compile(r"</?[a-zA-Z]")
_CRASHED = re.compile(r"Traceback|JSONDecodeError|Expecting value|internal error|Exception\b| object at 0x")


def config_file(url: str, protocol: str, **settings: Any) -> Path:
    """A configuration with one provider, in the current directory. A setting of None leaves its line out.

    Each server has a file of its own, so that several can be asked at once.
    """
    base_url = url + DIALECTS[protocol].root
    entry = {"name": "demo", "protocol": protocol, "model": "demo-model", "api_key": KEY, "base_url": base_url}
    whole = {name: value for name, value in (entry | settings).items() if value is not None}
    return private_file(f"config-{urlsplit(url).port}.yaml", json.dumps({"providers": [whole]}).encode())


def private_file(name: str, data: bytes) -> Path:
    path = Path(name)
    path.write_bytes(data)
    path.chmod(0o600)
    return path


def once(url: str, protocol: str, *arguments: str, **settings: Any) -> Ran:
    """`mewcode once -m hi` with a configuration of these settings."""
    return run_inside("once", "-c", str(config_file(url, protocol, **settings)), "-m", "hi", *arguments)


def provider(url: str, protocol: str, **settings: Any) -> ProviderConfig:
    """The same configuration as the program reads it."""
    return load(config_file(url, protocol, **settings)).choose(None).resolve(os.environ)


class _Live(Talker):
    """A Talker whose answers come from a real client."""

    def __init__(self, client: LLMClient, news: threading.Event) -> None:
        super().__init__(client.name, client.model)
        self._client = client
        self._news = news

    @property
    def origin(self) -> Origin:
        return self._client.origin

    def stream(
        self,
        conversation: Conversation,
        tools: Sequence[ToolSchema] = (),
        on_ready: Callable[[], None] | None = None,
    ) -> Turn:
        return self._client.stream(conversation, tools, self._news.set)

    def close(self) -> None:
        self._client.close()


class Screen(Stage):
    """The chat over a real client, a turn at a time."""

    def __init__(self, client: LLMClient) -> None:
        self._news = threading.Event()
        super().__init__(client=_Live(client, self._news))

    @property
    def session(self) -> Session:
        return self._session

    @property
    def shown(self) -> str:
        return "\n".join(self.rows)

    def turn(self, text: str = "hi") -> Message:
        """Ask, and wait for the end of the answer."""
        self.ask(text)
        return self.finish()

    def finish(self) -> Message:
        """Wait for the end of the running answer."""
        self.wait(lambda: not self.session.running)
        return self.session.answer()

    def wait(self, condition: Callable[[], bool]) -> None:
        """Pump and draw until something holds."""
        while not condition():
            assert self._news.wait(LIMIT), f"waited in vain:\n{self.shown}"
            self._news.clear()
            self.chat.pump()
            self.chat.refresh()
            self.draw()

    def swap(self, client: LLMClient) -> None:
        """Let another client answer from the next question on."""
        self.session.client = _Live(client, self._news)

    def remember(self, turns: list[dict[str, str]]) -> None:
        """Begin from these turns; the last answer is one that broke off."""
        conversation = self.session.conversation
        for turn in turns:
            assistant = turn["role"] == "assistant"
            status = "interrupted" if assistant and turn is turns[-1] else "complete"
            origin = self.session.client.origin if assistant else None
            message_id = conversation.add(turn["role"], turn["content"], status=status, origin=origin)  # type: ignore[arg-type]
            if assistant:
                self.session.answer_id = message_id


@contextlib.contextmanager
def screen(url: str, protocol: str, **settings: Any) -> Generator[Screen, None, None]:
    """A chat with the provider of these settings."""
    shown = Screen(create_client(provider(url, protocol, **settings), SYSTEM))
    try:
        yield shown
    finally:
        shown.close()


@dataclass(frozen=True, slots=True)
class Played:
    """What came of one run of `once` and of one turn in the chat, each with a server of its own."""

    ran: Ran
    message: Message
    shown: str
    failure: LLMError | None
    note: str | None
    once_requests: list[Heard]
    requests: list[Heard]

    @property
    def texts(self) -> tuple[str, str, str]:
        """All that somebody can see."""
        return self.ran.text, self.ran.err, self.shown


def play(case: Case, *steps: Step, protocol: str = "", **settings: Any) -> Played:
    """Run `once` and one turn of the chat; both have to stay calm."""
    protocol, steps = protocol or case.protocol, steps or tuple(case.steps)
    with case_serving(*steps) as server:
        ran = once(server.url, protocol, **settings)
        once_requests = server.requests
    with case_serving(*steps) as server, screen(server.url, protocol, **settings) as chat:
        message = chat.turn()
        failure, note = chat.session.failure(message.id), chat.session.note(message.id)
        shown = chat.shown
    played = Played(ran, message, shown, failure, note, once_requests, server.requests)
    for text in played.texts:
        assert not _CRASHED.search(text), text
    return played


def case_serving(*steps: Step, clock: float = 0.0) -> contextlib.AbstractContextManager[CaseServer]:
    """A strict server: one that refuses what the vendors refuse."""
    return serving(*steps, judge=strict, clock=clock)


def crashed(text: str) -> bool:
    return _CRASHED.search(text) is not None


def cut_off(shown: str) -> bool:
    """Whether the words on the screen say that the answer is not whole."""
    return (
        re.search(r"cut off|broke off|broken off|interrupted|not complete|incomplete", shown, re.IGNORECASE) is not None
    )
