"""tmux and OpenSSH: other people's programs, which these tests need and never do without."""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.terminals.sshd import Sshd
from tests.terminals.tmux import Tmux

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

TOOLS = {"tmux": "tmux", "sshd": "openssh-server", "ssh": "openssh-client", "ssh-keygen": "openssh-client"}


@pytest.fixture(scope="session", autouse=True)
def _tools() -> None:
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
    missing = {package for tool, package in TOOLS.items() if shutil.which(tool, path=path) is None}
    if missing:
        pytest.fail(f"these tests need {' and '.join(sorted(missing))}: apt install {' '.join(sorted(missing))}")


@pytest.fixture(autouse=True)
def _alone(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A current directory of its own, with a short name: the chat shows it."""
    monkeypatch.chdir(tmp_path_factory.mktemp("w"))


@pytest.fixture
def in_tmux(tmp_path: Path) -> Generator[Callable[..., Tmux], None, None]:
    """Starts programs in a tmux, and ends it."""
    with contextlib.ExitStack() as ending:

        def start(*argv: str, size: tuple[int, int] = (80, 24), **environ: str) -> Tmux:
            tmux = Tmux(argv, tmp_path, size, **environ)
            ending.callback(tmux.close)
            return tmux

        yield start


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sshd, None, None]:
    server = Sshd(tmp_path_factory.mktemp("sshd"))
    yield server
    server.close()
