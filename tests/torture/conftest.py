"""Hundreds of turns, made cheap as in tests/loopback."""

from tests.loopback.conftest import _settled_sdks, _trusted, certificate

__all__ = ["_settled_sdks", "_trusted", "certificate"]
