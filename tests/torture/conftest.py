"""The SDKs imported once, and one certificate to trust instead of the system's 150: a client is made in no time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fakes.certificate import make_certificate
from tests.fakes.dialects import settle_sdks

if TYPE_CHECKING:
    from tests.fakes.certificate import Certificate


@pytest.fixture(scope="session", autouse=True)
def _settled_sdks() -> None:
    settle_sdks()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(autouse=True)
def _trusted(certificate: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.pem))
