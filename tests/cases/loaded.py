"""`python -m tests.cases.loaded MESSAGES ARGUMENT…`: the chat, with a conversation in it from the beginning.

MESSAGES is a JSON file: a list of `role` and `content`.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from mewcode import cli
from mewcode.tui import app
from mewcode.tui.entries import Question, Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewcode.attachment import Attachment
    from mewcode.launch import Launcher
    from mewcode.llm.messages import Message


class Loaded(app.App):
    """What a kept conversation will be: in the history, and above the first line that is read."""

    messages: list[dict[str, str]]

    def run(self) -> int:
        assert self._chat is not None
        session, view = self._chat.desk.session, self._chat.view
        for each in self.messages:
            if each["role"] == "user":
                session.conversation.add("user", each["content"])
                view.transcript.add(Question(each["content"], datetime.now(UTC)))
            else:
                name = session.conversation.add("assistant", each["content"], origin=session.client.origin)
                answer: Message = session.conversation.get(name)
                view.transcript.add(Reply(answer, "", None, None))
        view.transcript.follow()
        return super().run()


def run(launcher: Launcher, files: Sequence[Attachment] = ()) -> int:
    return Loaded(launcher, files).run()


if __name__ == "__main__":
    Loaded.messages = json.loads(Path(sys.argv.pop(1)).read_bytes())
    app.run = run
    sys.exit(cli.main())
