from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from mewcode.text import Cleaner, clean, one_line

FLAG = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
LONGEST_CODE = "\U000e0067\U000e0062\U000e0061\U000e0062\U000e0063\U000e0031"
# what the rules are about, one character at a time
PIECES = [
    *"ab1#\r\n\t\x00\x1b\x7f\x9b",
    *"\u00e9\u06cc\u0915\u4e2d\u845b\u1820",
    *"\u2764\U0001f468\U0001f3f4\U0001f3fd",
    *"\u200b\u200c\u200d\u200e\u202e\u2066\ufeff\u00ad\u180b\u180e\ufe00\ufe0f\U000e0100",
    *"\U000e0001\U000e0020\U000e0062\U000e0067\U000e0037\U000e007f",
    *"\ud83d\ude00",
    "\r\n",
    FLAG,
    "\u2764\ufe0f\u200d\U0001f525",
]
FOREIGN = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=14)
CUTS = st.lists(st.integers(0, 40), max_size=5)


def pieces(text, cuts):
    places = sorted([0, *(min(cut, len(text)) for cut in cuts), len(text)])  # some pieces are empty
    return [text[start:end] for start, end in pairwise(places)]


@given(FOREIGN)
@settings(max_examples=200, deadline=None)
def test_what_is_clean_stays_as_it_is(text):
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert clean(clean(text, invisible=False)) == cleaned
    plain = clean(text, ascii=True)
    assert clean(plain, ascii=True) == clean(plain) == plain


@given(FOREIGN)
@settings(max_examples=150, deadline=None)
def test_clean_text_can_be_written_and_holds_no_control(text):
    for cleaned in (clean(text), clean(text, invisible=False), clean(text, ascii=True)):
        cleaned.encode()
        assert not [char for char in cleaned if char not in "\n\t" and (ord(char) < 32 or 0x7F <= ord(char) < 0xA0)]


@given(FOREIGN, CUTS, st.booleans(), st.booleans())
@example("a\r\n", [3], True, False)
@example("\r\r\n", [1, 2], True, True)
@example(f"{FLAG}\n", [1, 8], True, False)
@example(f"\U0001f3f4{LONGEST_CODE}\U000e007f", [7], True, False)
@example(f"\U0001f3f4{LONGEST_CODE}\U000e0061\U000e007f", [7], True, False)
@example("\u2764\ufe0f\u200d\u200d", [1, 2, 3], True, False)
@example("1\ufe0f", [1, 1], True, False)
@settings(max_examples=400, deadline=None)
def test_a_text_in_pieces_is_cleaned_like_the_whole(text, cuts, invisible, ascii):
    cleaner = Cleaner(invisible=invisible, ascii=ascii)
    given_out = "".join(cleaner.feed(piece) for piece in pieces(text, cuts)) + cleaner.rest()
    assert given_out == clean(text, invisible=invisible, ascii=ascii)


@given(FOREIGN, st.integers(2, 30))
@settings(max_examples=150, deadline=None)
def test_one_line_is_one_clean_line_of_at_most_its_limit(text, limit):
    line = one_line(text, limit)
    assert len(line) <= limit
    assert clean(line) == line
    assert "\n" not in line
