from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewcode.providers._context_size import Size, read_size


@pytest.mark.parametrize(
    ("words", "size"),
    [
        ("prompt is too long: 333,000 tokens > 200,000 maximum", Size(200_000, 333_000, 133_000)),
        ("Request too large: Limit 30, Used 20, Requested 36", Size(30, 36, 6)),
        ("maximum context length is 8192 tokens and your request has 500 input tokens", Size(8192, 500, None)),
        ("prompt is too long", Size()),
        (f"maximum context length is {'9' * 5000} tokens", Size()),
    ],
)
def test_the_numbers_are_read_from_the_words(words: str, size: Size):
    assert read_size(None, words) == size


def test_fields_go_before_words_and_must_be_numbers_of_tokens():
    words = "maximum context length is 70 tokens, you requested 80"
    assert read_size({"error": {"n_ctx": 50, "n_prompt_tokens": 60}}, words) == Size(50, 60, 10)
    for odd in (-1, 0, 10**12, 1e300, True, "50", None, [50]):
        assert read_size({"error": {"n_ctx": odd, "n_prompt_tokens": odd}}, words) == Size(70, 80, 10)


@given(st.text(max_size=200))
def test_no_words_break_it(words: str):
    size = read_size(None, words)
    assert size.over is None or size.over > 0
