from __future__ import annotations

import pytest

from tests.e2e.matrix import fault, sample


@pytest.mark.parametrize("each", sample(), ids=lambda each: f"{each.term} {each.locale} {each.size[0]}x{each.size[1]}")
def test_the_chat_is_readable_and_can_be_left_in_every_terminal(each, tmp_path):
    assert fault(each, tmp_path) == ""
