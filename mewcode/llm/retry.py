"""Trying again: when it is worth it, after how long, and never once anything of the turn was shown."""

from __future__ import annotations

import math
import random
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewcode.errors import LLMError
from mewcode.llm.events import Retrying

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from mewcode.llm.cancel import CancelToken
    from mewcode.llm.events import Event


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How patient a turn is. Times are in seconds; `patience` is the longest wait that a server may ask for."""

    max_retries: int = 9
    first_delay: float = 0.5
    longest_delay: float = 15.0
    jitter: float = 0.2
    patience: float = 60.0

    def delay(self, failures: Sequence[LLMError], lean: float) -> float | None:
        """How long to wait after these failures of one turn, the newest last; None when another attempt is no use.

        `lean`, from -1 to 1, is the turn's place within the jitter.
        """
        error = failures[-1]
        if len(failures) > self.max_retries or not _worth_it(failures):
            return None
        if error.retry_after is not None and error.retry_after > 0:
            return error.retry_after if error.retry_after <= self.patience else None
        back_off = self.first_delay * 2.0 ** min(len(failures) - 1, 30)
        return min(back_off * (1 + self.jitter * lean), self.longest_delay)

    def max_attempts(self, failures: Sequence[LLMError]) -> int:
        """All attempts there can be, those that failed counted, if what went wrong last goes wrong again."""
        allowed = self.max_retries + 1
        return allowed if failures[-1].max_attempts is None else min(allowed, len(failures) + 1)


def _worth_it(failures: Sequence[LLMError]) -> bool:
    """An error that bounds its attempts is counted for itself: a server that restarts refuses after many a 503."""
    error = failures[-1]
    if error.max_attempts is None:
        return error.retryable
    return sum(failure.max_attempts is not None for failure in failures) < error.max_attempts


def attempts(
    attempt: Callable[[], Generator[Event, None, None]],
    policy: RetryPolicy,
    cancel: CancelToken,
    rng: random.Random | None = None,
) -> Generator[Event, None, None]:
    """The events of the first attempt that yields any, with a Retrying before each new one.

    Raises: the LLMError of the last attempt. Thread: a turn's worker; waiting ends when the turn is cancelled.
    """
    failures: list[LLMError] = []
    lean = _lean(rng or random.Random())
    while True:
        shown = False
        try:
            with closing(attempt()) as events:
                for event in events:
                    shown = True
                    yield event
            return
        except LLMError as error:
            failures.append(error)
            delay = None if shown or cancel.stopped else policy.delay(failures, lean)
            if delay is None:
                raise
            yield Retrying(len(failures) + 1, policy.max_attempts(failures), delay, error)
            if cancel.sleep(delay):
                raise


def _lean(rng: random.Random) -> float:
    """Where a turn stands within the jitter, nearer its ends than its middle.

    Clients that failed together are to come back apart. Drawn once for a turn: draws of each attempt would even out.
    """
    return math.cos(math.pi * rng.random())
