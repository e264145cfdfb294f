"""Whatever was said, cut, cancelled, edited or switched: the next request is one that the server takes.

A refusal counts although the client would mend it by itself. Thousands more: scripts/torture R36 --full.
"""

from __future__ import annotations

import pytest

from tests.fakes.dialects import settle_sdks
from tests.property.histories import drawn, script
from tests.property.playing import PROTOCOLS, cast, entries, play

HISTORIES = 80


@pytest.fixture(scope="module", autouse=True)
def _settled_sdks() -> None:
    settle_sdks()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_history_is_refused(protocol):
    clients = len(entries(protocol))
    with cast(protocol) as players:
        assert len(players.taught) == (4 if protocol == "openai-compat" else 0)
        for seed in range(HISTORIES):
            steps = drawn(seed, clients)
            play(players, steps, first=seed // 2 % clients)
            assert players.refused == [], f"history {seed}:\n{script(steps)}"
            assert players.server.accepted
