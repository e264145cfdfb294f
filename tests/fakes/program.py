"""The program as a process: its own home, nothing of this machine's, and its three streams."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.fakes.dialects import KEY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LIMIT = 60.0  # seconds
_FOREIGN = re.compile(r"ANTHROPIC_|OPENAI_|XDG_|LC_|LANG|.*_PROXY$|.*_API_KEY$|MEWCODE_|SSL_CERT_", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()


@dataclass(frozen=True, slots=True)
class Home:
    """A directory that is HOME and the current one."""

    path: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not _FOREIGN.match(name)}
        return own | {"HOME": str(self.path), "LANG": "C.UTF-8", **self.variables}

    def write(self, name: str, content: str | bytes, mode: int = 0o600) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(mode)
        return path

    def configure(self, *entries: str, rest: str = "") -> Path:
        """The user's own configuration."""
        listed = "".join(f"  - {entry}\n" for entry in entries)
        return self.write(".config/mewcode/config.yaml", f"providers:\n{listed}{rest}")

    def start(
        self,
        *arguments: str,
        stdin: int | None = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
        start_new_session: bool = False,
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "mewcode", *arguments],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=self.path,
            env=self.environment,
            start_new_session=start_new_session,
        )

    def run(self, *arguments: str, given: bytes | None = None) -> Ran:
        """To its end; `given` comes through a pipe on stdin."""
        return self.finish(
            self.start(*arguments, stdin=subprocess.DEVNULL if given is None else subprocess.PIPE), given
        )

    def shell(self, line: str) -> Ran:
        """A line of sh in which $MEWCODE runs the program."""
        program = {"MEWCODE": f"{sys.executable} -m mewcode"}
        return self.finish(
            subprocess.Popen(
                ["sh", "-c", line],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.path,
                env=self.environment | program,
            )
        )

    def finish(self, process: subprocess.Popen[bytes], given: bytes | None = None) -> Ran:
        with process:
            try:
                out, err = process.communicate(given, timeout=LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return Ran(process.returncode, out, err.decode())


def entry(protocol: str, base_url: str, name: str = "here", more: str = "") -> str:
    """An item of `providers:` on one line; it asks once, unless `more` says otherwise."""
    once = "" if "max_retries" in more else ", max_retries: 0"
    return f"{{name: {name}, protocol: {protocol}, model: tiny, api_key: {KEY}, base_url: '{base_url}'{once}{more}}}"
