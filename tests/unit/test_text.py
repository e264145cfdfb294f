from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime

import pytest

from mewcode.export import export
from mewcode.llm.messages import Message, TextBlock
from mewcode.text import Cleaner, clean, one_line, takes_utf8, write_to

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"

# Default_Ignorable_Code_Point and Bidi_Control. Source: DerivedCoreProperties.txt and PropList.txt, Unicode 17.
IGNORABLE = [
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0),
    *range(0x180B, 0x1810),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFE00, 0xFE10),
    *range(0xFFF0, 0xFFF9),
    *range(0x1BCA0, 0x1BCA4),
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE1000),
]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "␛[2J"),
        ("\x00\x07\x08\x0b\x0c\x0e\x0f\x1f", "␀␇␈␋␌␎␏␟"),
        ("\x7f", "␡"),
        ("\x80\x9b\x9f", "<U+0080><U+009B><U+009F>"),
        ("a\rb", "a␍b"),
        ("a\r\nb", "a\nb"),
        ("a\r\r\nb", "a␍\nb"),
        ("\ud83d", "<U+D83D>"),
        ("user\u202e \u2066# admin\u2069", "user<U+202E> <U+2066># admin<U+2069>"),
        ("build\u200b/tmp\u2060", "build<U+200B>/tmp<U+2060>"),
        ("\ufeffa\u061cb\u200ec\u200f", "<U+FEFF>a<U+061C>b<U+200E>c<U+200F>"),
        ("\u2028\u2029", "<U+2028><U+2029>"),
        ("hi\U000e0068\U000e0069", "hi<U+E0068><U+E0069>"),
    ],
)
def test_what_could_act_on_the_terminal_or_hide_is_a_mark(text: str, shown: str):
    assert clean(text) == shown


def test_no_invisible_character_stays_in_ordinary_text():
    assert len(IGNORABLE) == 4174
    marks = "".join(f"<U+{code:04X}>x" for code in IGNORABLE)
    assert clean("".join(f"{chr(code)}x" for code in IGNORABLE)) == marks


def test_characters_that_hide_bytes_behind_an_emoji_are_marks_but_the_first():
    assert clean("\u2764\ufe0f\ufe0f\ufe01") == "\u2764\ufe0f<U+FE0F><U+FE01>"
    assert clean("\u4e2d\U000e0100\U000e0101") == "\u4e2d\U000e0100<U+E0101>"
    assert clean("\U0001f600" + "\U000e0110" * 2) == "\U0001f600<U+E0110><U+E0110>"


@pytest.mark.parametrize("tags", ["", "g", "gbengland", "GBENG", "gb eng", "gbeng\U000e0001"])
def test_tags_that_spell_no_flag_are_marks(tags: str):
    hidden = "".join(chr(0xE0000 + ord(char)) if ord(char) < 128 else char for char in tags) + "\U000e007f"
    assert clean(f"\U0001f3f4{hidden}") == "\U0001f3f4" + "".join(f"<U+{ord(char):04X}>" for char in hidden)


@pytest.mark.parametrize(
    "text",
    [
        "plain, with\ttab\nand line",
        "café Übergröße Ω ж 中文 かな 한글",
        "مرحبا بالعالم abc 123 שלום",
        "می‌خواهم",
        "क्‍ष और क्‌ष",
        "ශ්‍රී ലങ്ക",
        "ᠠ᠋ ᠨ᠎ᠠ",
        "👨‍👩‍👧‍👦 👩🏽‍🚀 🧑‍🤝‍🧑",
        "❤️‍🔥 ❤︎ ⚠️ ☺ ©️ ℹ️ Ⓜ️ ↔️ 〰️ ㊗️",
        "1️⃣ #️⃣ *️⃣",
        "🇩🇪 🏴‍☠️ 🏳️‍🌈 👁️‍🗨️",
        ENGLAND,
        "葛\U000e0100飾",
    ],
)
def test_text_that_needs_joiners_and_selectors_is_untouched(text: str):
    assert clean(text) == text
    cleaner = Cleaner()
    assert "".join(map(cleaner.feed, text)) + cleaner.rest() == text


def test_a_pipe_gets_invisible_characters_but_no_control():
    assert clean("a\u200bb\u202e\x1b", invisible=False) == "a\u200bb\u202e␛"


def test_only_what_may_go_on_is_held_back():
    cleaner = Cleaner()
    assert [cleaner.feed(piece) for piece in ("a\r", "\nb\r", "c", ENGLAND[:3], ENGLAND[3:])] == [
        "a",
        "\nb",
        "␍c",
        "",
        ENGLAND,
    ]
    assert cleaner.feed("\r") == ""
    assert cleaner.rest() == "␍"
    assert cleaner.rest() == ""


def test_a_line_end_is_not_torn_where_a_piece_ends():
    cleaner = Cleaner()
    assert cleaner.feed("a\r\n") + cleaner.feed("b\r\n") + cleaner.rest() == "a\nb\n"


def test_one_line_folds_blanks_and_marks_the_rest():
    assert one_line(" a\r\n\n b\t\x1b[1m ") == "a b ␛[1m"


def test_one_line_ends_with_an_ellipsis_where_it_was_cut():
    assert one_line("a" * 10, 10) == "a" * 10
    assert one_line("a" * 11, 10) == "a" * 9 + "…"
    assert one_line(f"abc{ENGLAND}", 7) == "abc…"


def test_without_utf_8_the_marks_are_ascii_and_the_text_stays():
    shown = clean("\x00\x1b[2J\x1f\x7f\x9b\u202eé\ud83d❯", ascii=True)
    assert shown == "^@^[[2J^_^?<U+009B><U+202E>é<U+D83D>❯"
    assert clean(shown, ascii=True) == clean(shown) == shown
    assert one_line("\x1b" + "a" * 10, 10, ascii=True) == "^[aaaaa..."
    cleaner = Cleaner(ascii=True)
    assert cleaner.feed("a\x1b") + cleaner.feed("\r") + cleaner.rest() == "a^[^M"


@pytest.mark.parametrize(
    ("environment", "shown"),
    [
        ({"LC_ALL": "C.UTF-8"}, "True True False False"),
        ({"LC_ALL": "C"}, "False False False False"),  # Python writes UTF-8 all the same
        ({"LC_ALL": "C", "PYTHONUTF8": "0"}, "False False False False"),
        ({}, "True True False False"),  # Python makes C.UTF-8 of an empty environment
    ],
)
def test_the_marks_need_a_terminal_and_a_locale_of_utf_8(environment: dict[str, str], shown: str):
    code = "from mewcode.text import takes_utf8 as t; print(t('utf-8'), t('UTF8'), t('gbk'), t('ascii'))"
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == shown


def test_a_stream_without_an_encoding_is_no_terminal():
    assert takes_utf8(None)


@pytest.fixture
def screen_of():
    """Text goes to a terminal of the encoding that is told."""
    yield write_to
    write_to("utf-8")


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("ascii", "^[ ?? ?? e \u2026 x \xe9"),
        ("gbk", "^[ \u732b ?? e \u2026 x \xe9"),
        ("iso-8859-1", "^[ ?? ?? e \u2026 x \xe9"),
    ],
)
def test_what_an_encoding_lacks_is_as_wide_as_it_was(screen_of, encoding, shown):
    screen_of(encoding)
    text = "\x1b \u732b \U0001f600 e\u0301 \u2026 x \xe9"
    assert clean(text) == shown
    assert clean(clean(text)) == shown
    assert clean("plain \u2026") == "plain \u2026"  # one column: left to what the screen puts there


def test_a_file_does_not_ask_for_the_terminal(screen_of):
    screen_of("ascii")
    message = Message("1", "assistant", (TextBlock("\x1b \u732b"),))
    assert "\u241b \u732b" in export([message], "txt", datetime(2026, 12, 1, tzinfo=UTC))


def test_a_long_line_ends_in_ascii_where_marks_do(screen_of):
    screen_of("gbk")
    assert one_line("x" * 20, 10) == "xxxxxxx..."
