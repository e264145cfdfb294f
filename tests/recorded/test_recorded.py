"""The recorded streams of real servers, through the real SDKs and our adapters: understood as the oracle does."""

from __future__ import annotations

import random

import pytest

from tests.fakes.dialects import settle_sdks
from tests.recorded.recordings import FOLDER, THERE, differences, play, rows

if not THERE:
    pytest.skip(f"the recorded streams are not at hand: no INDEX.tsv in {FOLDER}", allow_module_level=True)

SEED = 20261130  # joined with the file's name: every stream is cut into the same pieces again


@pytest.fixture(scope="module", autouse=True)
def _settled_sdks() -> None:
    settle_sdks()


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["file"].removesuffix(".sse"))
def test_a_recorded_stream_is_understood_as_the_oracle_understands_it(row):
    assert differences(row, play(row, random.Random(f"{SEED} {row['file']}"))) == []
