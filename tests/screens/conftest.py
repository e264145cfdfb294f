from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.screens.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.fakes.talker import Talker


@pytest.fixture
def staged() -> Generator[Callable[..., Stage], None, None]:
    """Makes stages, and ends what runs on them."""
    stages: list[Stage] = []

    def make(size: tuple[int, int] = (80, 24), client: Talker | None = None) -> Stage:
        stages.append(Stage(size, client))
        return stages[-1]

    yield make
    for stage in stages:
        stage.close()


@pytest.fixture
def stage(staged: Callable[..., Stage]) -> Stage:
    return staged()
