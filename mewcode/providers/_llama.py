"""The embedded model's process: a llama.cpp server that lives as long as its stdin. How it is called, and its own side.

It runs as a script and imports nothing of ours, so that it works from any directory and never meets another installed
version of the program. The key is the first line of its stdin; one line on stdout, `http://127.0.0.1:PORT`, says that
it listens; why it does not is the last line on stderr. The parent's side is in `mewcode.providers.local`.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

CONTEXT = 4096  # tokens; as in mewcode.llm.models, which this file cannot import
# The configuration may keep a key in a variable of any name; these are the usual ones.
_SECRETS = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|^ANTHROPIC_|^OPENAI_", re.IGNORECASE)


def folder(package: str) -> Path | None:
    """Where a package is. It is found and not imported: none of them belongs into the parent's process."""
    spec = importlib.util.find_spec(package)
    return next((Path(place) for place in (spec and spec.submodule_search_locations) or ()), None)


def fault(model: Path) -> str | None:
    """What is wrong with a file as a model, judged by its first bytes; None for a GGUF."""
    try:
        if not model.is_file():  # asked before it is opened: a pipe would wait for a writer
            return "is no file"
        with model.open("rb") as file:
            return None if file.read(4) == b"GGUF" else "is not a GGUF file"
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def alias(model: Path) -> str:
    """The name by which the server knows its model."""
    return model.stem.lower()


def spawn(model: Path, packages: Path) -> subprocess.Popen[bytes]:
    """The child, with unbuffered pipes. `packages` holds xllamacpp: our sys.path alone may know it. Raises: OSError."""
    script = Path(__file__).absolute()
    return subprocess.Popen(
        # -I: beside this file are an openai.py and an anthropic.py, which must not hide the SDKs; PYTHON* is not for it
        [sys.executable, "-I", str(script), str(model.absolute()), str(packages.absolute())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        close_fds=True,
        env={name: value for name, value in os.environ.items() if not _SECRETS.search(name)},
        start_new_session=True,  # Ctrl+C in the terminal is not meant for it
    )


def read_key() -> str:
    """The first line of stdin; empty when it is no key that a header could carry."""
    line = sys.stdin.buffer.readline().strip() if sys.stdin else b""
    return line.decode() if line.isascii() and line.decode().isprintable() else ""


def until_stdin_ends(then: Callable[[], None]) -> None:
    """Read and drop what follows the key; when it ends, however the other side went, call `then`."""
    while os.read(0, 4096):
        pass
    then()


def main() -> None:
    model, packages = sys.argv[1:]
    ready = os.dup(1)
    os.dup2(2, 1)  # what the library may print is noise, and must not pass for the line on stdout
    key = read_key()
    if not key:  # llama.cpp would serve everybody
        sys.exit("there is no key on stdin")
    # not a parent-death signal: that would come when the *thread* that started us ends
    life = threading.Thread(target=until_stdin_ends, args=(lambda: os._exit(0),), daemon=True)
    life.start()
    sys.path.insert(_behind_the_standard_library(), packages)
    try:
        server = _serve(Path(model), key)
    except (ImportError, RuntimeError, UnicodeError) as error:
        os.write(2, f"{error}\n".encode(errors="replace"))
        os._exit(1)  # as below: nothing here needs tidying, and the other threads are not to be waited for
    os.write(ready, f"{server.listening_address}\n".encode())
    os.close(ready)
    life.join()


def _behind_the_standard_library() -> int:
    return next((at for at, path in enumerate(sys.path) if path.endswith("-packages")), len(sys.path))


def _serve(model: Path, key: str) -> Any:
    """The running server, after about a second, much of it with the interpreter's lock held (xllamacpp 2026.10)."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {alias(model)}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.ui = False
    params.verbosity = 0
    params.sampling.temp = 0.0
    params.n_ctx = CONTEXT
    params.n_parallel = 1  # slots share the context
    # A prompt is given up only between two batches: a cancelled one holds the next question as long as one takes.
    params.n_batch = params.n_ubatch = 128
    params.cache_ram_mib = 0  # else each conversation left is kept aside: 35 MB for 1,500 tokens, up to 8 GiB
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _threads()
    return xllamacpp.Server(params)


def _threads() -> int:
    """All processors but one, which the screen needs."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, count - 1)


if __name__ == "__main__":
    main()
