"""What an answer costs, by the prices of the configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mewcode.llm.messages import Usage

_A_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens. None: tokens read from the cache, or written to it, cost what input costs."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None

    def cost(self, usage: Usage | None) -> float | None:
        """Dollars; None where the server did not count both ways."""
        if usage is None or usage.input_tokens is None or usage.output_tokens is None:
            return None
        read, written = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
        parts = (
            (max(0, usage.input_tokens - read - written), self.input),
            (read, self.input if self.cache_read is None else self.cache_read),
            (written, self.input if self.cache_write is None else self.cache_write),
            (usage.output_tokens, self.output),
        )
        return sum(tokens * price for tokens, price in parts) / _A_MILLION


def dollars(amount: float) -> str:
    """As much of it as matters: cents, or ten thousandths of a dollar where it is less than ten cents."""
    if 0 < amount < 0.0001:
        return "<$0.0001"
    return f"${amount:,.2f}" if amount >= 0.1 or amount == 0 else f"${amount:.4f}"
