"""More expected screens: what is found, every construct, narrow tables; ASCII and plain lines on a real terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mewcode.llm.events import StreamEnd, TextDelta
from mewcode.llm.messages import Usage
from tests.cases.case import answer
from tests.cases.play import case_serving, config_file
from tests.e2e.terminal import terminal
from tests.screens.stage import check_screen, steady
from tests.screens.test_screens import MARKDOWN

if TYPE_CHECKING:
    from tests.e2e.terminal import Terminal
    from tests.screens.stage import Stage

pytestmark = pytest.mark.usefixtures("in_a_project")

DONE = StreamEnd("end", "stop", Usage(input_tokens=1234, output_tokens=56))
CONSTRUCTS = """\
Setext *heading*
================

### Third level ###

- [x] fed
- [ ] brushed
  1. head
     - ears

     still the head
  2. tail
* another list, loose

* its second item

> quoted
> > twice
> - a list in it
>   ```sh
>   ls -l | grep cat
>   ```

A hard\\
break, an ![image](cat.png "Mia"), <https://example.org>, a [reference][1], H<sub>2</sub>O, a footnote[^n],
`` a ` tick ``, $E = mc^2$ and \\(x_i\\);
&copy; &lt;b&gt;, Donaudampfschifffahrtsgesellschaftskapitaensmuetzenabzeichen.

<details>
<summary>HTML</summary>
stays as it is
</details>

    indented code

$$
\\int_0^1 x\\,dx
$$

```diff
- old
+ new
```

| left | centre | right |
|:-----|:------:|------:|
| a \\| b | 猫咪 | 3.50 |
| `x` | **bold** | 12.00 |

[1]: https://example.org/reference
[^n]: The note itself.
"""
TABLE = """\
| Command | What it does | Since | 说明 |
|---------|--------------|-------|------|
| `systemctl restart nginx` | stops the service and starts it again, in one step | 1.2 | 重启服务 |
| `journalctl -u nginx -f` | follows the log | 0.9 | 查看日志 😀 |
"""


def test_what_is_found(at_each_size):
    def act(stage: Stage) -> None:
        for number in range(9):
            stage.ask(f"Question {number}?")
            stage.say(TextDelta(f"Answer {number} with a *needle* in it.\n\nAnd more."), DONE)
        stage.ask("/find needle")
        stage.press("N", "N")

    at_each_size("find", act)


def test_every_other_construct_of_markdown(at_each_size):
    def act(stage: Stage) -> None:
        stage.ask("Show me everything")
        stage.say(*map(TextDelta, CONSTRUCTS), DONE)
        stage.press("home")

    at_each_size("constructs", act)


def test_a_table_in_a_narrow_window(at_each_size):
    def act(stage: Stage) -> None:
        stage.ask("Which commands?")
        stage.say(*map(TextDelta, TABLE), DONE)

    at_each_size("table", act)


def rows(chat: Terminal) -> list[str]:
    return [steady(row) for row in chat.rows]


@pytest.mark.parametrize(
    ("name", "environ", "dot"),
    [
        ("ascii", {"LC_ALL": "C"}, "-"),  # Python writes UTF-8 all the same: other letters go out as they are
        ("ascii-strict", {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "·"),
    ],
)
def test_without_utf_8(name, environ, dot):
    shown = {}
    for size in ((80, 50), (40, 24)):
        with (
            case_serving(answer("openai-compat", *MARKDOWN, " \x1b[2J “quoted” – and…")) as server,
            terminal("-c", str(config_file(server.url, "openai-compat").absolute()), size=size, **environ) as chat,
        ):
            if name == "ascii-strict":
                chat.be_legacy()
            chat.wait("Ask anything")
            chat.send("Tell me\r")
            chat.wait(f" s {dot} tokens")
            shown[size] = rows(chat)
    check_screen(name, shown)


def at_the_prompt(chat: Terminal, shown: str) -> None:
    """Wait until this has come, and the prompt for the next line."""
    chat.wait(lambda: shown in chat.text and chat.rows[chat.cursor[1]] == ">")


def test_line_by_line():
    with (
        case_serving(answer("openai-compat", *MARKDOWN)) as server,
        terminal("-c", str(config_file(server.url, "openai-compat").absolute()), "--plain", size=(60, 60)) as chat,
    ):
        shown = "lists the commands]"
        for line, last in (("Tell me", "The end."), ("/usage", "conversation: tokens"), ("/nope", "There is no /nope")):
            at_the_prompt(chat, shown)
            chat.send(f"{line}\r")
            shown = last
        at_the_prompt(chat, shown)
        check_screen("plain", {(60, 60): rows(chat)})
