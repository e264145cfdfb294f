from __future__ import annotations

import os
from pathlib import Path

import pytest

from mewcode.config.load import find, load_settings
from mewcode.errors import ConfigError
from mewcode.paths import config_home, project_config, state_home, user_config

PLAIN = """\
providers:
  - name: demo
    protocol: openai
    model: demo-model
    api_key: kk-test-0123456789
"""
TEMPLATE = """\
providers:
  - name: demo
    protocol: openai
    model: demo-model
"""
FOREIGN = [
    ("    api_key: ${OPENAI_API_KEY}", "5:14", "take OPENAI_API_KEY from the environment", "write the key here"),
    ("    api_key_env: OPENAI_API_KEY", "5:18", "take OPENAI_API_KEY from the environment", "write the key here"),
    ("    api_key: k\n    headers: {X-A: '${A}'}", "6:15", "take A from the environment", "write the value here"),
    ("    api_key: k\n  - {name: l, protocol: local, model: m.gguf}", "6:5", "run a model file", "remove `model`"),
]


def write(path: Path, text: str, mode: int = 0o600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home directory of this test's own, without XDG variables."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def test_the_places_are_below_home_without_xdg_variables(home):
    assert config_home() == home / ".config/mewcode"
    assert state_home() == home / ".local/state/mewcode"
    assert user_config() == home / ".config/mewcode/config.yaml"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("/xdg", "/xdg/mewcode"), ("relative", "HOME/.config/mewcode"), ("", "HOME/.config/mewcode")],
)
def test_an_xdg_variable_counts_only_when_it_is_absolute(home, monkeypatch, value, expected):
    monkeypatch.setenv("XDG_CONFIG_HOME", value)
    assert str(config_home()) == expected.replace("HOME", str(home))


def test_the_state_has_its_own_variable(home, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert state_home() == Path("/state/mewcode")


def test_the_file_asked_for_wins_over_the_projects_and_the_users(home, tmp_path):
    assert find(tmp_path / "asked", tmp_path) == tmp_path / "asked"
    user = write(user_config(), PLAIN)
    assert find(None, tmp_path) == user
    project = write(project_config(tmp_path), PLAIN)
    assert find(None, tmp_path) == project


def test_no_file_at_all_names_both_places_and_the_ways_out(home, tmp_path):
    with pytest.raises(ConfigError) as caught:
        find(None, home / "work")
    assert str(caught.value) == (
        "no config file: neither ~/work/.mewcode/config.yaml nor ~/.config/mewcode/config.yaml is there; copy"
        " config.yaml.example of the project to one of them and edit it, or run mewcode --local, which needs none"
    )


def test_a_pipe_in_a_projects_folder_is_passed_over(home, tmp_path):
    user = write(user_config(), PLAIN)
    project_config(tmp_path).parent.mkdir()
    os.mkfifo(project_config(tmp_path))
    assert find(None, tmp_path) == user


def test_a_pipe_can_be_the_config(tmp_path):
    reading, writing = os.pipe()
    os.write(writing, PLAIN.encode())
    os.close(writing)
    try:
        settings, warnings = load_settings(Path(f"/dev/fd/{reading}"), tmp_path)
    finally:
        os.close(reading)
    assert (settings.providers[0].name, warnings) == ("demo", [])


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602])
def test_a_key_that_others_can_read_is_a_warning_with_the_command(home, mode):
    path = write(home / "a b/c.yaml", PLAIN, mode)
    _, warnings = load_settings(path, home)
    assert warnings == [f"~/a b/c.yaml holds a key and is open to other users: run chmod 600 '{home}/a b/c.yaml'"]


def test_no_warning_for_a_private_file_or_one_without_a_key_in_it(home):
    assert load_settings(write(home / "c.yaml", PLAIN, 0o600), home)[1] == []
    without = PLAIN.replace("kk-test-0123456789", "${DEMO_KEY}")
    assert load_settings(write(home / "c.yaml", without, 0o644), home)[1] == []


@pytest.mark.parametrize("key", ["kk-test-0123456789", "none"])
def test_a_project_file_with_its_own_key_is_used(home, tmp_path, key):
    path = write(project_config(tmp_path), PLAIN.replace("kk-test-0123456789", key))
    settings, _ = load_settings(None, tmp_path)
    assert settings.path == path


@pytest.mark.parametrize(("lines", "where", "deed", "way_out"), FOREIGN)
def test_a_project_file_that_takes_from_outside_is_refused_unless_it_is_asked_for(home, lines, where, deed, way_out):
    path = write(project_config(home), TEMPLATE + lines)
    with pytest.raises(ConfigError) as caught:
        load_settings(None, home)
    assert str(caught.value) == (
        f"~/.mewcode/config.yaml:{where}: a project file may not {deed}: pass the file with -c if you trust it, or"
        f" {way_out}"
    )
    assert load_settings(path, home)[0].path == path


def test_a_project_file_may_use_the_packaged_model(home):
    path = write(project_config(home), "providers: [{name: l, protocol: local}]")
    assert load_settings(None, home)[0].path == path


def test_the_users_own_file_may_take_its_key_from_the_environment(home):
    path = write(user_config(), TEMPLATE + FOREIGN[0][0])
    assert load_settings(None, home)[0].path == path


@pytest.mark.parametrize(("make", "reason"), [("nothing", "No such file or directory"), ("folder", "Is a directory")])
def test_a_file_that_cannot_be_read_says_why(home, make, reason):
    path = home / "c.yaml"
    if make == "folder":
        path.mkdir()
    with pytest.raises(ConfigError) as caught:
        load_settings(path, home)
    assert str(caught.value) == f"~/c.yaml: cannot be read ({reason}): mend that, or name another file with -c"


def test_a_path_cannot_act_on_the_terminal(home):
    with pytest.raises(ConfigError) as caught:
        load_settings(home / "a\x1b[31m\nb.yaml", home)
    assert str(caught.value).startswith("~/a␛[31m␊b.yaml: cannot be read")
