"""What servers have taught this process: what they refuse, where they answer, which keys they take.

The one piece of state that outlives a client: the same server behind another entry, or after a switch and back, is not
asked to refuse the same thing again. Thread: any.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mewcode.providers._heal import Lesson
    from mewcode.secret import Secret


class Place(NamedTuple):
    """A model at a server: lessons hold for that, since servers refuse by model."""

    url: str
    model: str


class Memory:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lessons: dict[Place, tuple[Lesson, ...]] = {}
        self._detours: dict[str, str] = {}
        self._keys: set[tuple[str, Secret]] = set()

    def lessons(self, place: Place) -> tuple[Lesson, ...]:
        """In the order in which they were learned."""
        with self._lock:
            return self._lessons.get(place, ())

    def learn(self, place: Place, lessons: Iterable[Lesson]) -> None:
        """Keep what is new of these."""
        with self._lock:
            self._lessons[place] = tuple(dict.fromkeys((*self._lessons.get(place, ()), *lessons)))

    def unlearn(self, place: Place, wrong: Callable[[Lesson], bool]) -> None:
        with self._lock:
            self._lessons[place] = tuple(lesson for lesson in self._lessons.get(place, ()) if not wrong(lesson))

    def detour(self, base_url: str) -> str:
        """What has to stand between this base URL and the endpoint's path; mostly nothing."""
        with self._lock:
            return self._detours.get(base_url, "")

    def take_detour(self, base_url: str, path: str) -> None:
        with self._lock:
            self._detours[base_url] = path

    def accepted(self, base_url: str, key: Secret) -> bool:
        """Whether the server has taken this key before."""
        with self._lock:
            return (base_url, key) in self._keys

    def accept(self, base_url: str, key: Secret) -> None:
        with self._lock:
            self._keys.add((base_url, key))

    def forget(self) -> None:
        """As at the start."""
        with self._lock:
            self._lessons.clear()
            self._detours.clear()
            self._keys.clear()


MEMORY = Memory()
