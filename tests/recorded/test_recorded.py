"""The recorded streams of real servers, through the real SDKs and our adapters: understood as the oracle does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fakes.dialects import settle_sdks
from tests.recorded.deliveries import QUICK
from tests.recorded.recordings import FOLDER, THERE, Stage, differences, rows

if TYPE_CHECKING:
    from collections.abc import Generator

if not THERE:
    pytest.skip(f"the recorded streams are not at hand: no INDEX.tsv in {FOLDER}", allow_module_level=True)


@pytest.fixture(scope="module")
def stage() -> Generator[Stage, None, None]:
    settle_sdks()
    with Stage() as opened:
        yield opened


@pytest.mark.parametrize("delivery", QUICK.values(), ids=[name.replace(" ", "-") for name in QUICK])
@pytest.mark.parametrize("row", rows(), ids=lambda row: row["file"].removesuffix(".sse"))
def test_a_recorded_stream_is_understood_as_the_oracle_understands_it(row, delivery, stage):
    assert differences(row, stage.play(row, delivery)) == []
