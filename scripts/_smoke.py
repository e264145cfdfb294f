"""What scripts/smoke.sh does: per provider one question by `mewcode once`, then two turns through the library.

A line a provider says how it went; the exit code is 1 when one failed. Each costs three short answers.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mewcode.errors import MewcodeError
from mewcode.launch import Launcher, Options
from mewcode.llm.collect import collect
from mewcode.llm.conversation import Conversation
from mewcode.log import Log
from mewcode.paths import state_home

if TYPE_CHECKING:
    from mewcode.llm.client import LLMClient

TELL, ASK, WORD = "The secret word is banana. Say OK.", "What is the secret word?", "banana"
LIMIT = 300  # seconds that `once` may take


class Failure(Exception):
    """Its words are the verdict."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/smoke.sh", description=__doc__, allow_abbrev=False)
    parser.add_argument("-c", "--config", type=Path, metavar="FILE", help="this configuration and no other")
    parser.add_argument("--local", action="store_true", help="the embedded model instead of a configuration")
    parser.add_argument("providers", nargs="*", metavar="PROVIDER", help="entries of the configuration (all)")
    given = parser.parse_args()
    options = Options(config=given.config, local="" if given.local else None)
    source = ["--local"] if given.local else ["-c", str(given.config)] if given.config else []
    try:
        launcher = Launcher(options, Log(state_home(), "error"))
        names = given.providers or [entry.name for entry in launcher.settings.providers]
        verdicts = [check(launcher, name, source) for name in names]
    except MewcodeError as error:
        sys.stderr.write(f"mewcode: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("mewcode: interrupted\n")
        return 130
    print(f"{verdicts.count(True)} of {len(verdicts)} providers passed")
    return 0 if all(verdicts) else 1


def check(launcher: Launcher, name: str, source: list[str]) -> bool:
    """Print the verdict on one provider."""
    began = time.monotonic()
    try:
        entry = launcher.settings.choose(name)
        one_question([*source, *([] if source == ["--local"] else ["-p", name])])
        client = launcher.client(entry)
        try:
            pieces = two_turns(client)
        finally:
            client.close()
    except (Failure, MewcodeError) as failure:
        print(f"{name}: FAILED: {failure}", flush=True)
        return False
    print(f"{name}: passed in {time.monotonic() - began:.1f} s, streamed in {pieces} pieces", flush=True)
    return True


def one_question(flags: list[str]) -> None:
    command = [sys.executable, "-I", "-m", "mewcode", "once", *flags, "-m", "Say hello."]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise Failure(f"once had no whole answer after {LIMIT} s") from None
    if done.returncode:
        raise Failure(f"once ended with {done.returncode}: {done.stderr.strip()}")
    if not done.stdout.strip():
        raise Failure("once printed no answer")


def two_turns(client: LLMClient) -> int:
    """Number of pieces in which the answers came. Asked for without the first turn, the word must not come."""
    conversation, pieces = Conversation(), 0
    for question in (TELL, ASK):
        conversation.add("user", question)
        heard: list[str] = []
        message, _ = collect(client.stream(conversation), heard.append)
        conversation.add("assistant", message.blocks, origin=client.origin)
        pieces += len(heard)
    if WORD not in message.text.lower():
        raise Failure(f"it forgot the first turn: {message.text.strip()[:80]!r}")
    if pieces < 3:
        raise Failure("the answers did not stream")
    alone = Conversation()
    alone.add("user", ASK)
    guess, _ = collect(client.stream(alone))
    if WORD in guess.text.lower():
        raise Failure("it knew the word without the first turn: this proves no memory")
    return pieces


if __name__ == "__main__":
    sys.exit(main())
