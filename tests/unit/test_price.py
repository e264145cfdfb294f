from __future__ import annotations

import pytest

from mewcode.llm.messages import Usage
from mewcode.price import Price, dollars

PRICE = Price(input=3, output=15, cache_read=0.3, cache_write=3.75)


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(1_000_000, 0), 3),
        (Usage(0, 1_000_000), 15),
        (Usage(1_000_000, 0, cache_read_tokens=1_000_000), 0.3),
        (Usage(1_000_000, 0, cache_write_tokens=1_000_000), 3.75),
        (Usage(4_000_000, 1_000_000, 1_000_000, 1_000_000), 2 * 3 + 0.3 + 3.75 + 15),
        (Usage(1_000_000, 1_000_000, thinking_tokens=900_000), 18),  # thinking is in the output already
        (Usage(10, 0, cache_read_tokens=50), 50 * 0.3 / 1e6),  # a server that counts the cache apart
    ],
)
def test_each_token_costs_what_its_kind_costs(usage, cost):
    assert PRICE.cost(usage) == pytest.approx(cost)


def test_tokens_of_the_cache_cost_what_input_costs_where_nothing_else_is_said():
    assert Price(2, 8).cost(Usage(1_000_000, 0, 400_000, 300_000)) == pytest.approx(2)


@pytest.mark.parametrize("usage", [None, Usage(), Usage(5), Usage(None, 5)])
def test_what_nobody_counted_has_no_cost(usage):
    assert PRICE.cost(usage) is None


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (0, "$0.00"),
        (0.00001, "<$0.0001"),
        (0.0123, "$0.0123"),
        (0.1, "$0.10"),
        (12.345, "$12.35"),
        (1234.5, "$1,234.50"),
    ],
)
def test_dollars_have_the_digits_that_matter(amount, words):
    assert dollars(amount) == words
