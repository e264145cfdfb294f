"""The rows there are, by name: what `scripts/torture` runs, and what the tests run a sample of."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from tests.torture.bad_bytes import bytes_replaced
from tests.torture.bad_http import http_broken
from tests.torture.bad_json import json_bent
from tests.torture.crowd import crowded
from tests.torture.cut import cut_anywhere
from tests.torture.delivery import delivered_anyhow
from tests.torture.leaving import left
from tests.torture.never_refused import never_refused
from tests.torture.refusals import refused
from tests.torture.stall import stalled
from tests.torture.trickle import trickling
from tests.torture.unreachable import unreachable
from tests.torture.waits import waited

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.torture.tally import Share, Tally

    Row = Callable[[Share], Tally]

ROWS: Mapping[str, Row] = MappingProxyType(
    {
        "R1": cut_anywhere,
        "R2": delivered_anyhow,
        "R3": stalled,
        "R4": left,
        "R5": trickling,
        "R6": bytes_replaced,
        "R7": json_bent,
        "R8": http_broken,
        "R9": refused,
        "R10": waited,
        "R11": crowded,
        "R12": unreachable,
        "R36": never_refused,
    }
)
