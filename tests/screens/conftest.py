from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.screens.stage import SIZES, Stage, check_screen

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

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


@pytest.fixture
def at_each_size(staged: Callable[..., Stage]) -> Callable[[str, Callable[[Stage], None]], None]:
    def check(name: str, act: Callable[[Stage], None]) -> None:
        stages = [staged(size) for size in SIZES]
        for stage in stages:
            act(stage)
        check_screen(name, {stage.size: stage.rows for stage in stages})

    return check


@pytest.fixture
def in_a_project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A current directory whose name is the same each time."""
    (folder / "cats").mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.chdir(folder / "cats")
