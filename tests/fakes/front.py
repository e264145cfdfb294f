"""A front that shows nothing: it notes what commands ask of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewcode.commands import SWITCHED, Switch
from mewcode.config.settings import NoKey, ProviderEntry
from mewcode.desk import Desk
from mewcode.session import Session
from tests.fakes.talker import Talker

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewcode.price import Price


class FakeClients:
    """Two providers, `fake` and `other`, each with a client of its own."""

    def __init__(self, client: Talker) -> None:
        self.system: str | None = None
        self.price: Price | None = None  # of either provider's own model
        self.made: list[Talker] = [client]

    def entries(self) -> list[ProviderEntry]:
        names = ((1, "fake"), (2, "other"))
        return [ProviderEntry(name, "openai", f"model-{n}", NoKey(), price=self.price) for n, name in names]

    def client(self, entry: ProviderEntry, model: str | None = None) -> Talker:
        self.made.append(Talker(entry.name, model or entry.model))
        return self.made[-1]

    def prompt(self) -> str:
        return "Be brief." if self.system is None else self.system


class FakeFront:
    """`done` is what was asked of it, in order, as (name, what)."""

    def __init__(self) -> None:
        self.client = Talker()
        self.clients = FakeClients(self.client)
        self.session = Session(self.client)
        self.desk = Desk(self.session, self.clients, self.clients.entries()[0])
        self.done: list[tuple[str, object]] = []
        self.on: dict[str, bool] = {}

    def tell(self, sentence: str) -> None:
        self.done.append(("tell", sentence))

    def explain(self, table: Iterable[tuple[str, str]]) -> None:
        self.done.append(("explain", list(table)))

    def help(self) -> None:
        self.done.append(("help", None))

    def switch(self, what: Switch) -> str:
        self.on[what] = not self.on.get(what, False)
        return SWITCHED[what][self.on[what]]

    def find(self, text: str) -> None:
        self.done.append(("find", text))

    def copy(self, text: str) -> str:
        self.done.append(("copy", text))
        return "Sent."

    def compose(self, text: str) -> None:
        self.done.append(("compose", text))

    def follow(self, note: str) -> None:
        self.done.append(("follow", note))

    def choose_provider(self) -> None:
        self.done.append(("choose", None))

    def clear(self) -> None:
        self.done.append(("clear", None))

    def quit(self) -> None:
        self.done.append(("quit", None))
