from __future__ import annotations

import pytest
from urwid.testing import check_box_sizing, render_text, resolve_attr
from urwid.util import LayeredAttr

from mewcode.config.settings import NoKey, ProviderEntry
from mewcode.errors import ContextTooLong, Overloaded, RateLimited, StreamInterrupted
from mewcode.llm.events import Retrying, StreamEnd, StreamError, TextDelta, ThinkingDelta
from mewcode.llm.messages import Usage
from mewcode.price import Price
from mewcode.tui.picker import Picker
from mewcode.tui.theme import palette
from tests.fakes.talker import Talker
from tests.screens.stage import SIZES, Stage, check_screen

pytestmark = pytest.mark.usefixtures("in_a_project")

DONE = StreamEnd("end", "stop", Usage(input_tokens=1234, output_tokens=56))
MARKDOWN = """\
# Cats and 猫

Cats are *fluffy*, **soft** and ~~loud~~; see `Cat.purr()` and [the book](https://example.org/cats).

1. sleep
2. eat
   - fish
   - 鱼和饭

> A cat is a lion
> in a small jungle.

```python
def purr(times: int) -> str:
    return "purr " * times
```

| cat | 名字 | age |
|-----|:----:|----:|
| Mia | 咪咪 | 3 |
| Tom | 汤姆 | 12 |

---

The end."""


def test_the_start(at_each_size):
    at_each_size("start", lambda stage: None)


def test_waiting_for_the_first_word(at_each_size):
    at_each_size("waiting", lambda stage: stage.ask("What is a cat?"))


def test_an_answer_that_is_being_written(at_each_size):
    def act(stage: Stage) -> None:
        stage.ask("What is a cat?")
        stage.say(ThinkingDelta("They want to know"), TextDelta("A cat is a **small** animal.\n\n- it sle"))

    at_each_size("streaming", act)


def test_every_construct_of_a_finished_answer(at_each_size):
    def act(stage: Stage) -> None:
        stage.ask("你好, tell me about cats")
        stage.say(*map(TextDelta, MARKDOWN), DONE)

    at_each_size("markdown", act)


def test_an_error(at_each_size):
    def act(stage: Stage) -> None:
        stage.ask("Hello")
        stage.say(StreamError(RateLimited("fake: too many requests for now; try again in a minute")))

    at_each_size("error", act)


def test_a_new_attempt_is_counted_down(at_each_size):
    def act(stage: Stage) -> None:
        stage.ask("Hello")
        error = Overloaded("fake is overloaded (529): nobody is free; try again later.", retry_after=14.0)
        stage.say(Retrying(2, 10, 14.0, error))

    at_each_size("retrying", act)


def test_a_cut_answer_offers_to_go_on(at_each_size):
    def act(stage: Stage) -> None:
        stage.ask("Count to a thousand")
        stage.say(TextDelta("one, two, three"), StreamError(StreamInterrupted("fake: the connection broke.")))

    at_each_size("interrupted", act)


def test_a_cancelled_answer_keeps_what_came(at_each_size):
    def act(stage: Stage) -> None:
        stage.ask("Count to a thousand")
        stage.say(TextDelta("one, two, three"))
        stage.press("esc")

    at_each_size("cancelled", act)


def test_the_help(at_each_size):
    at_each_size("help", lambda stage: stage.ask("/help"))


def picker(size: tuple[int, int], *down: str) -> list[str]:
    names = (("work", "claude-opus-5-1"), ("公司的模型", "qwen3-max"), ("local", "models/SmolLM2-135M.gguf"))
    entries = tuple(ProviderEntry(name, "openai-compat", model, NoKey()) for name, model in names)
    widget = Picker(entries, lambda entry: None, lambda: None)
    for key in down:
        widget.keypress(size, key)
    return render_text(widget, size, focus=True, strip=True)


def test_the_picker():
    check_screen("picker", {size: picker(size) for size in SIZES})


def test_the_picker_scrolls_in_a_small_window():
    assert any("SmolLM2" in row for row in picker((20, 5), "down", "down"))


@pytest.mark.parametrize("size", SIZES)
def test_the_picker_says_why_a_choice_did_not_work_and_leaves_the_choice_in_view(size):
    entries = (ProviderEntry("work", "openai", "gpt", NoKey()), ProviderEntry("home", "openai", "gpt", NoKey()))
    widget = Picker(entries, lambda entry: None, lambda: None)
    widget.tell("work: " + "the variable is not set; " * 9)
    widget.keypress(size, "down")
    shown = render_text(widget, size, focus=True, strip=True)
    assert any(row.startswith("home  gpt") for row in shown)
    assert any(row.startswith("work: the variable") for row in shown)


def test_an_error_stands_in_the_error_colour_and_the_next_message_works(stage):
    stage.ask("Hello")
    stage.say(StreamError(RateLimited("fake: too many requests")))
    assert stage.style_of("too many requests") == {"error"}
    assert "red" in resolve_attr("error", palette("auto"), colors=16).foreground
    stage.ask("Again")
    stage.say(TextDelta("Here."), DONE)
    assert "Here." in stage.rows


def test_the_phase_is_shown_from_the_moment_of_sending_and_the_time_at_the_end(stage):
    stage.ask("Hello")
    assert "Imagining… (0s) · waiting" in stage.rows
    stage.say(TextDelta("Hi."), DONE)
    rows = stage.rows
    assert not any("Imagining" in row for row in rows)
    assert rows[rows.index("Hi.") + 2].endswith(" s · tokens 1,234 in, 56 out")


def test_one_blank_row_stands_between_what_is_said_at_every_moment(stage):

    def talk(rows: int) -> list[str]:
        shown: list[str] = stage.rows
        start = shown.index("❯ Hello")
        return shown[start : start + rows]

    stage.ask("Hello")
    assert talk(3) == ["❯ Hello", "", "Imagining… (0s) · waiting"]
    stage.say(TextDelta("Hi"))
    assert talk(5) == ["❯ Hello", "", "Hi", "", "Imagining… (0s)"]
    stage.say(DONE)
    assert talk(4) == ["❯ Hello", "", "Hi", ""]


@pytest.mark.parametrize("text", ["Again", "/retry", "/usage"])
def test_what_is_sent_between_the_end_of_an_answer_and_the_next_frame_finds_it_ended(stage, text):
    stage.ask("Hello")
    stage.say(TextDelta("Hi"))
    stage.client.say(DONE)
    stage.chat.pump()  # and no frame
    stage.ask(text)
    if text != "/usage":
        stage.say(TextDelta("There"), DONE)
    assert "Imagining" not in "\n".join(stage.rows)
    assert sum("s · tokens" in row for row in stage.rows) == (1 if text == "/usage" else 2)


def test_one_clock_ticks_however_often_something_is_asked(stage):
    for _ in range(3):
        stage.ask("Hello")
        stage.say(DONE)
    stage.ask("Hello")
    pending = stage.after[:]
    stage.after.clear()
    for _, tick in pending:
        tick()
    assert len(stage.after) == 1


def test_letters_appear_one_by_one(stage):
    stage.ask("Hello")
    for end in range(1, 6):
        stage.say(TextDelta("Hello"[end - 1]))
        assert "Hello"[:end] in stage.rows


def test_wide_and_joined_characters_never_break_a_row(staged):
    text = "家👨‍👩‍👧‍👦族 🇩🇪 ❤️ e\u0301 ⚠ ไทย हिन्दी 👍🏽 " * 30
    stage = staged((30, 12))
    stage.ask("猫👩‍💻" * 20)
    for end in range(1, len(text), 7):
        stage.say(TextDelta(text[end : end + 7]))
    for size in (*SIZES, (7, 9), (3, 3), (1, 1)):
        stage.resize(size)
        check_box_sizing(stage.chat.view, cols=size[0], rows=size[1])


def test_long_names_leave_the_bar_one_row_wide(staged):
    stage = staged(client=Talker("provider-with-a-very-long-name-" * 3, "vendor/模型-" * 20))
    for size in (*SIZES, (1, 1)):
        stage.resize(size)
        check_box_sizing(stage.chat.view, cols=size[0], rows=size[1])
    stage.resize((40, 12))
    assert stage.rows[-1].startswith("provider-with")


def test_text_of_the_model_cannot_act_on_the_terminal(stage):
    stage.ask("Hello \x1b[2J")
    stage.say(TextDelta("a\x1b]52;c;eA==\x07b\u202ec"), StreamError(RateLimited("no\x1b[31m")))
    shown = "\n".join(stage.rows)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "a␛]52;c;eA==␇b<U+202E>c" in shown
    assert "no␛[31m" in shown


def test_an_entry_is_picked_with_the_arrow_keys():
    chosen: list[str] = []
    entries = tuple(ProviderEntry(name, "openai-compat", "m", NoKey()) for name in "abc")
    widget = Picker(entries, lambda entry: chosen.append(entry.name), lambda: chosen.append("left"))
    for key in ("down", "down", "up", "enter", "esc"):
        widget.keypress((80, 24), key)
    assert chosen == ["b", "left"]


def test_warnings_stand_above_the_first_message(stage):
    stage.chat.open(["config.yaml can be read by others: chmod 600 config.yaml"])
    assert stage.style_of("chmod 600") == {"note"}


def test_the_bar_says_the_cost_and_that_the_context_is_nearly_full(stage):
    stage.clients.price = Price(3, 15)
    stage.client.context_window = 1_000
    stage.ask("x")
    stage.say(TextDelta("y"), StreamEnd("end", "stop", Usage(700, 99)))
    assert "700 in · 99 out · $0.0036  " in stage.rows[-1]
    stage.ask("x")
    stage.say(TextDelta("y"), StreamEnd("end", "stop", Usage(700, 100)))
    assert "700 in · 100 out · $0.0036 · context 80% full" in stage.rows[-1]
    stage.resize((40, 12))
    assert "context 80% full" in stage.rows[-1]


def test_a_server_that_refuses_tells_how_much_its_model_can_take(stage):
    stage.ask("x")
    stage.say(StreamError(ContextTooLong("too long", limit=1_000, requested=1_200)))
    stage.ask("x")
    stage.say(TextDelta("y"), StreamEnd("end", "stop", Usage(900, 50)))
    assert "context 95% full" in stage.rows[-1]


def test_markdown_is_shown_in_its_styles(staged):
    stage = staged((80, 40))
    stage.ask("x")
    stage.say(TextDelta(MARKDOWN), DONE)
    shown = {words: stage.style_of(words) for words in ("fluffy", "soft", "loud", "Cat.purr()", "return", "a lion")}
    assert shown == {
        "fluffy": {"md.emphasis"},
        "soft": {"md.strong"},
        "loud": {"md.strike"},
        "Cat.purr()": {"md.code"},
        "return": {LayeredAttr("code.keyword", "md.code")},
        "a lion": {"md.quote"},
    }
