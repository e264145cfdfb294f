"""A provider is one new file: found by its name, in the configuration as in the command line, nothing else edited."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from mewcode import providers
from mewcode.llm import registry
from tests.fakes.inside import run_inside

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

PARROT = '''
from mewcode.errors import Overloaded
from mewcode.llm.events import StreamEnd, TextDelta
from mewcode.llm.messages import Usage
from mewcode.llm.registry import register


class Parrot:
    """Says what it hears, the second time it is asked."""

    def __init__(self, config):
        self._asked = 0

    def open(self, request, cancel):
        self._asked += 1
        if self._asked == 1:
            raise Overloaded("the parrot sleeps", retry_after=0.01)
        yield TextDelta(f"{request.model}: {request.messages[-1].blocks[-1].text}")
        yield StreamEnd("end", "sung", Usage(1, 2))

    def close(self):
        pass


register("talking-parrot", Parrot)
'''
CONFIG = "providers:\n  - {name: polly, protocol: talking-parrot, model: grey, api_key: none}\n"


@pytest.fixture
def parrot(tmp_path: Path) -> Generator[None, None, None]:
    """The one file, in the package of the providers; taken out afterwards."""
    (tmp_path / "talking_parrot.py").write_text(PARROT, encoding="utf-8")
    providers.__path__.append(str(tmp_path))
    yield
    providers.__path__.remove(str(tmp_path))
    sys.modules.pop("mewcode.providers.talking_parrot", None)
    registry._factories.pop("talking-parrot", None)


@pytest.mark.usefixtures("parrot")
def test_a_new_file_is_a_new_provider_with_retries_and_all(folder):
    config = folder / "c.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    ran = run_inside("once", "-c", str(config), "-m", "Hello")
    assert (ran.code, ran.text) == (0, "grey: Hello")
    assert "the parrot sleeps" in ran.err
    assert "2/10" in ran.err


def test_without_the_file_the_protocol_is_unknown(folder):
    config = folder / "c.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    ran = run_inside("once", "-c", str(config), "-m", "Hello")
    assert ran.code == 78
    assert "`protocol` must be one of" in ran.err
    assert "talking-parrot" not in ran.err.partition("one of")[2]
