"""A real OpenSSH server of the test's own: on loopback, with its own port, keys and settings."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

_PRIVILEGE_SEPARATION = Path("/run/sshd")  # Debian's service makes it, and it wants to be there
_SETTINGS = """\
ListenAddress 127.0.0.1:{port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
LogLevel ERROR
"""
_OPTIONS = ("BatchMode=yes", "StrictHostKeyChecking=no", "LogLevel=ERROR", "IdentitiesOnly=yes")


class Sshd:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in ("host", "user"):
            command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
            subprocess.run(command, check=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = folder / "sshd_config"
        settings.write_text(_SETTINGS.format(port=self.port, folder=folder))
        if os.geteuid() == 0:
            _PRIVILEGE_SEPARATION.mkdir(mode=0o755, exist_ok=True)
        self._process = subprocess.Popen([_path(), "-D", "-e", "-f", str(settings)], stderr=subprocess.DEVNULL)
        self._until_it_listens()

    def client(self, *command: str) -> list[str]:
        """The command of a client with a terminal that runs this on the other side."""
        options = [*_OPTIONS, f"UserKnownHostsFile={self._folder}/known"]
        flags = [word for option in options for word in ("-o", option)]
        identity = ["-i", str(self._folder / "user"), "-p", str(self.port)]
        return ["ssh", "-tt", "-F", "/dev/null", *flags, *identity, "127.0.0.1", *command]

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()

    def _until_it_listens(self) -> None:
        for _ in range(200):
            assert self._process.poll() is None, "sshd has ended"
            with socket.socket() as probe:
                probe.settimeout(1)
                if probe.connect_ex(("127.0.0.1", self.port)) == 0 and probe.recv(4) == b"SSH-":
                    return
            try:
                self._process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
        raise AssertionError("sshd does not listen")


def _path() -> str:
    """It has to be started by its whole path, and is outside the PATH of most users."""
    found = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    assert found is not None
    return found
