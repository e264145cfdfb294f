from __future__ import annotations

import pytest

from mewcode.launch import Launcher, Options
from mewcode.log import Log
from mewcode.providers.local import default_model


@pytest.fixture
def launcher(folder):
    def launch(**options):
        path = folder / "c.yaml"
        path.write_text(
            "providers:\n"
            "  - {name: one, protocol: openai-compat, model: m, api_key: none}\n"
            "  - {name: own, protocol: local}\n"
        )
        path.chmod(0o600)
        return Launcher(Options(config=path, **options), Log(folder / "state", "error"))

    return launch


def test_a_list_to_choose_from_names_the_model_that_would_answer(launcher):
    listed = [(entry.name, entry.model) for entry in launcher().entries()]
    assert listed == [("one", "m"), ("own", str(default_model()))]


def test_a_model_from_the_command_line_would_answer_everywhere(launcher):
    assert [entry.model for entry in launcher(model="other").entries()] == ["other", "other"]


def test_a_chosen_entry_answers_with_the_model_that_the_list_named(launcher):
    started = launcher()
    for entry in started.entries():
        assert started.client(entry).model == entry.model
