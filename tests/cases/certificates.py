"""A certificate authority and what it signs, made when the tests run: nothing secret lies in the repository."""

from __future__ import annotations

import ssl
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc")


class Authority:
    """Whoever trusts `pem` trusts the servers it signs for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.pem = folder / "test-ca.pem"
        self._key = folder / "test-ca.key"
        self._openssl("req", "-x509", *_KEY, "-subj", "/CN=test", "-keyout", self._key, "-out", self.pem, "-days", "2")

    def server_side(self, host: str, days: int = 2) -> ssl.SSLContext:
        """A server with a certificate for this host, which is valid for so many days: -1 ended yesterday."""
        key, request, signed, names = (self._folder / f"{host}{days}.{kind}" for kind in ("key", "csr", "pem", "ext"))
        names.write_text(f"subjectAltName=DNS:{host}\n")
        self._openssl("req", *_KEY, "-subj", f"/CN={host}", "-keyout", key, "-out", request)
        signing = ("-CA", self.pem, "-CAkey", self._key, "-days", str(days), "-extfile", names)
        self._openssl("x509", "-req", "-in", request, *signing, "-out", signed)
        signed.write_text(signed.read_text() + self.pem.read_text())  # the chain, as a proxy sends it
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(signed, key)
        return context

    def _openssl(self, *arguments: str | Path) -> None:
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
