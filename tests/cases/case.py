"""The inputs of one case, and its serve.json as steps of the scripted server."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.fakes.case_server import Step
from tests.fakes.dialects import ALL

if TYPE_CHECKING:
    from tests.fakes.case_server import CaseServer

INPUTS = Path(__file__).parent / "inputs"
DIALECTS = {dialect.protocol: dialect for dialect in ALL}
EVENT_STREAM = {"Content-Type": "text/event-stream"}


class Case:
    """Named by its number, such as `C001`."""

    def __init__(self, number: str) -> None:
        (self.folder,) = INPUTS.glob(f"{number}-*")

    def bytes(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def text(self, name: str) -> str:
        return self.bytes(name).decode()

    def json(self, name: str) -> Any:
        return json.loads(self.bytes(name))

    @property
    def protocol(self) -> str:
        return str(self.json("serve.json")["protocol"])

    @property
    def steps(self) -> list[Step]:
        return [self._step(written) for written in self.json("serve.json")["steps"]]

    def serving(self, name: str, place: int = 0) -> Step:
        """A step of serve.json with another body."""
        return replace(self.steps[place], body=self.bytes(name))

    def environment(self, name: str, server: CaseServer) -> list[tuple[str, str]]:
        """The lines `NAME=value` of a file, the ports put in."""
        lines = self.text(name).replace("SINK", str(server.sink.port)).splitlines()
        pairs = (line.partition("=") for line in lines)
        return [(variable, value) for variable, _, value in pairs]

    def _step(self, written: dict[str, Any]) -> Step:
        known = {name: written[name] for name in ("status", "headers", "framing", "end", "rule") if name in written}
        return Step(
            **known,
            body=self.bytes(written["body"]) if "body" in written else b"",
            delay=written.get("delay_between_events", 0.0),
            repeats="repeat" in written,
            trickle=written.get("trickle", "").encode(),
            every=written.get("every", 1.0),
            forever=written.get("forever", False),
        )


def answer(protocol: str, *texts: str) -> Step:
    """A whole answer in the words of a protocol, where a case does not say which."""
    dialect = DIALECTS[protocol]
    body = b"".join((*dialect.begun(*(texts or ("ok",))), *dialect.ended()))
    return Step(headers=EVENT_STREAM, body=body, framing="chunked")
