"""What makes a hundred turns cheap, and an empty directory for each: its files are private to the test."""

from __future__ import annotations

import pytest

from tests.cases.certificates import Authority
from tests.fakes.dialects import settle_sdks


@pytest.fixture(scope="session", autouse=True)
def _settled_sdks() -> None:
    settle_sdks()


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(autouse=True)
def _trusted(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """One certificate to trust instead of the system's 150."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.pem))


@pytest.fixture(autouse=True)
def _alone(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each case has a current directory of its own; its name, which the chat shows, says nothing."""
    monkeypatch.chdir(tmp_path_factory.mktemp("w"))
