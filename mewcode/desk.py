"""A chat without a face: the session, which provider answers, and what commands want of both.

The screen and the line mode each have one. Thread: the consumer's, as for the session.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

from mewcode.attachment import Attachment, attach, with_attachments
from mewcode.errors import ConfigError
from mewcode.llm.models import resolve_model
from mewcode.price import dollars
from mewcode.readable import tokens, total
from mewcode.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewcode.config.settings import ProviderEntry
    from mewcode.llm.client import LLMClient
    from mewcode.llm.messages import Message, Usage
    from mewcode.session import Session


class Clients(Protocol):
    """Where clients come from: mewcode.launch.Launcher."""

    system: str | None

    def entries(self) -> list[ProviderEntry]: ...
    def client(self, entry: ProviderEntry, model: str | None = None) -> LLMClient: ...
    def prompt(self) -> str: ...


class Desk:
    def __init__(self, session: Session, clients: Clients, entry: ProviderEntry) -> None:
        self.session = session
        self.entry = entry  # of the provider that answers
        self.editing = False  # whether the next message takes the place of the last question
        self.attached: list[Attachment] = []  # to the next message
        self._clients = clients

    def attach(self, name: str) -> str:
        """Let a text file go along with the next message; a sentence. Raises: AttachError."""
        self.attached.append(attach(name))
        return self.along

    @property
    def along(self) -> str:
        """What goes along with the next message, as a sentence; empty for nothing."""
        if not self.attached:
            return ""
        listed = ", ".join(f"{file.name} ({file.size})" for file in self.attached)
        return f"{listed} {'goes' if len(self.attached) == 1 else 'go'} along with the next message."

    def detach(self) -> str:
        """Let no file go along; a sentence."""
        said = "No file goes along any more." if self.attached else "No file goes along with the next message."
        self.attached.clear()
        return said

    def with_attached(self, text: str) -> str:
        """A message as it is sent: what was to go along does so now, and only with it."""
        files, self.attached = self.attached, []
        return with_attachments(files, text)

    def ask(self, text: str) -> None:
        """Send a message. Raises: RuntimeError while an answer runs."""
        if self.editing:
            self.editing = False
            self.session.ask_instead(text)
        else:
            self.session.ask(text)

    def question(self) -> str:
        """The last one. Raises: LookupError before the first."""
        return self.session.question().text

    def answer(self, n: int) -> str:
        """The source of the n-th answer from the end. Raises: LookupError, a sentence."""
        from mewcode.excerpts import nth_answer  # mistune: after the first paint

        return nth_answer(self.session.conversation.snapshot(), n)

    def code(self, n: int) -> str:
        """The n-th fenced block of the last answer. Raises: LookupError, a sentence."""
        from mewcode.excerpts import nth_code_block

        return nth_code_block(self.answer(1), n)

    def save(self, name: str, *, force: bool) -> str:
        """Write the conversation to a file; a sentence about it. Raises: MewcodeError."""
        from mewcode.export import save

        messages = self.session.conversation.snapshot()
        path = save(name, messages, force=force, reasons=self.reasons(messages))
        return f"Saved {len(messages)} messages to {path}."

    def reasons(self, messages: tuple[Message, ...]) -> Mapping[str, str]:
        """By the id of an answer: why it failed, or what there is to say of its end."""
        told = {message.id: self.session.failure(message.id) or self.session.note(message.id) for message in messages}
        return {name: str(words) for name, words in told.items() if words}

    def providers(self) -> list[ProviderEntry]:
        return self._clients.entries()

    def use_provider(self, name: str) -> str:
        """Let another provider answer from now on; a sentence. Raises: ConfigError; nothing has changed then."""
        entries = self.providers()
        entry = next((entry for entry in entries if entry.name == name), None)
        if entry is None:
            known = ", ".join(entry.name for entry in entries)
            raise ConfigError(f"there is no provider {one_line(name, 40)}; there are {known}")
        self._use(entry, self._clients.client(entry))
        return self._answers()

    def use_model(self, model: str) -> str:
        """Let another model of the same provider answer from now on; a sentence. Raises: ConfigError."""
        self._use(self.entry, self._clients.client(self.entry, model))
        return self._answers()

    def system(self) -> str:
        """The system prompt."""
        return self._clients.prompt()

    def use_system(self, text: str) -> str:
        """Give the model another system prompt from the next message on; a sentence. Raises: ConfigError."""
        self._clients.system = text
        self._use(self.entry, self._clients.client(self.entry, self.session.client.model))
        return "The system prompt holds from the next message on."

    def usage(self) -> list[tuple[str, str]]:
        """What the last answer and the conversation took, as (name, figures)."""
        messages = self.session.conversation.snapshot()
        answers = [message for message in messages if message.role == "assistant" and message.usage]
        if not answers:
            return [("tokens", "no server has counted any yet")]
        whole = total(messages)
        hits, full = cache_hits(whole), self.session.fullness
        rows = [
            ("last answer", tokens(answers[-1].usage)),
            ("conversation", tokens(whole)),
            ("cache", f"{hits:.0%} of the input was read from it" if hits is not None else ""),
            ("cost", self._costs(answers)),
            ("context", f"{full:.0%} of what the model can take" if full is not None else ""),
        ]
        return [(name, figures) for name, figures in rows if figures]

    def cost(self, message: Message) -> float | None:
        """Dollars that an answer cost; None where the configuration has no price for its model."""
        for entry in self.providers():
            if entry.name == message.provider and resolve_model(entry.model, entry.protocol) == message.model:
                return entry.price.cost(message.usage) if entry.price else None
        return None

    def _costs(self, answers: list[Message]) -> str:
        costs = [self.cost(message) for message in answers]
        known = [cost for cost in costs if cost is not None]
        if not known:
            return ""
        last = f"{dollars(costs[-1])} for the last answer, " if costs[-1] is not None else ""
        unknown = len(costs) - len(known)
        without = f", without {unknown} answer{'s' if unknown > 1 else ''} of unknown price" if unknown else ""
        return f"{last}{dollars(sum(known))} in all{without}"

    def _answers(self) -> str:
        client = self.session.client
        return f"{client.name} answers from now on, with {model_label(client.model)}."

    def _use(self, entry: ProviderEntry, client: LLMClient) -> None:
        self.session.use(client)
        self.entry = entry


def model_label(model: str) -> str:
    """How the bar shows a model: the stem of a file, else its id."""
    return PurePath(model).stem if model.endswith(".gguf") else model


def cache_hits(usage: Usage | None) -> float | None:
    """The share of the input that came from the server's cache; None where that is not known."""
    if usage is None or not usage.input_tokens or usage.cache_read_tokens is None:
        return None
    return usage.cache_read_tokens / usage.input_tokens
