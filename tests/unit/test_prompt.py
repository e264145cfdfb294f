from __future__ import annotations

import os
from pathlib import Path

import pytest

from mewcode import __version__
from mewcode.prompt import CAT, banner, system_prompt


def test_the_system_prompt_names_the_directory_and_the_system_and_stays_the_same():
    prompt = system_prompt(Path("/srv/work"))
    assert "/srv/work" in prompt
    assert os.uname().sysname in prompt
    assert system_prompt(Path("/srv/work")) == prompt


def test_a_directory_whose_name_is_no_text_can_still_be_sent():
    cwd = Path(os.fsdecode(b"/srv/caf\xe9"))
    assert "/srv/caf\ufffd" in system_prompt(cwd)
    system_prompt(cwd).encode()


@pytest.mark.parametrize(
    ("cwd", "shown"),
    [
        ("/home/ada", "~"),
        ("/home/ada/work/x", "~/work/x"),
        ("/home/adam", "/home/adam"),
        ("/srv", "/srv"),
        ("/", "/"),
    ],
)
def test_the_banner_has_name_version_and_directory_beside_the_cat(cwd, shown):
    rows = banner(Path(cwd), Path("/home/ada"))
    assert [cat for cat, _ in rows] == list(CAT)
    assert [words for _, words in rows] == ["", f"mewcode {__version__}", shown]


def test_the_rows_of_the_cat_are_equally_wide_and_plain():
    assert {len(row) for row in CAT} == {len(CAT[0])}
    assert all(row.isascii() for row in CAT)
