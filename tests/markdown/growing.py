"""An answer that grows, with its rows held as the transcript holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewcode.tui.answer import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mewcode.tui.rows import Row


class Growing:
    """Fails when a row changes that was settled before."""

    def __init__(self) -> None:
        self.answer = Answer()
        self.rows: list[Row] = []
        self.settled: list[Row] = []

    def grow(self, text: str) -> int:
        return self._hold(*self.answer.grow(text))

    def finish(self, text: str) -> int:
        return self._hold(*self.answer.finish(text))

    def frames(self, text: str, ends: Iterable[int]) -> Iterator[None]:
        """Let it grow to each of these lengths, and end."""
        for end in ends:
            self.grow(text[:end])
            yield
        self.finish(text)
        yield

    def lines(self, width: int) -> list[str]:
        return [line.decode().rstrip() for row in self.rows for line in row.render((width,)).text]

    @property
    def text(self) -> str:
        """What is shown, in lines wide enough not to wrap."""
        return "\n".join(self.lines(999))

    def _hold(self, keep: int, rows: list[Row]) -> int:
        self.rows[keep:] = rows
        assert len(self.settled) <= self.answer.settled <= len(self.rows)
        assert all(now is before for now, before in zip(self.rows, self.settled, strict=False))
        self.settled = self.rows[: self.answer.settled]
        return keep
