from __future__ import annotations

import base64
import copy
import json
import pickle
import traceback
from dataclasses import replace

import pytest

from mewcode.llm.client import ProviderConfig
from mewcode.secret import Secret, redact

KEY = "sk-C2A3N4A5R6Y7"


def test_a_secret_shows_only_when_it_is_told_to():
    assert Secret(KEY).reveal() == KEY


@pytest.mark.parametrize(
    "show",
    [
        str,
        repr,
        format,
        lambda secret: f"{secret} {secret!r} {secret!s} {secret!a}",
        lambda secret: f"%s %r {secret}" % (secret, secret),
        "{0} {0!r}".format,
        lambda secret: repr([secret, {"key": secret}]),
        lambda secret: repr(ProviderConfig("n", "p", "m", secret, headers={"X": secret})),
        lambda secret: repr(ValueError(secret)),
    ],
)
def test_no_form_of_text_shows_it(show):
    assert KEY not in show(Secret(KEY))
    assert "***" in show(Secret(KEY))


@pytest.mark.parametrize("save", [pickle.dumps, copy.deepcopy, json.dumps, "{:>20}".format, bytes, "".join])
def test_what_would_copy_it_elsewhere_fails_without_showing_it(save):
    with pytest.raises(TypeError) as failed:
        save(Secret(KEY))
    assert KEY not in "".join(traceback.format_exception(failed.value))


def test_it_cannot_be_looked_into():
    assert not hasattr(Secret(KEY), "__dict__")


def test_a_configuration_keeps_it_when_another_field_changes():
    assert replace(ProviderConfig("n", "p", "m", Secret(KEY)), model="x").api_key == Secret(KEY)


def test_secrets_are_equal_by_their_text_and_true_unless_empty():
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a")}) == 1
    assert Secret("a")
    assert not Secret("")


def test_redact_replaces_every_secret_wherever_it_stands():
    assert redact(f"key {KEY}, again {KEY}{KEY}", (Secret(KEY),)) == "key ***, again ***"
    assert redact("a b", ()) == "a b"


@pytest.mark.parametrize("turn", [1, -1])
def test_a_secret_that_begins_another_leaves_no_rest_of_it(turn: int):
    secrets = (Secret("sk-1234"), Secret("sk-1234-5678"))[::turn]
    assert redact("got sk-1234-5678 and sk-1234", secrets) == "got *** and ***"


def test_words_that_stand_in_for_a_key_are_not_taken_out_of_a_sentence():
    assert redact("xyz is no key", (Secret("xyz"), Secret(""))) == "xyz is no key"


@pytest.mark.parametrize(
    "shown", ["ant-SECRETKEY123", "SECRETKEY123", "sk-ant-SEC", "ant-SECRETKE", "SK-ANT-SECRETKEY123"]
)
def test_an_end_or_a_beginning_that_tells_too_much_is_hidden_too(shown):
    assert redact(f"bad key {shown}!", (Secret("sk-ant-SECRETKEY123"),)) == "bad key ***!"


def test_a_mask_with_the_last_four_letters_stays():
    assert redact("bad key ****Y123", (Secret("sk-ant-SECRETKEY123"),)) == "bad key ****Y123"


@pytest.mark.parametrize("before", ["", "u:", "me:", "user:", "long-name:"])
@pytest.mark.parametrize("after", ["", "x", "\n", " and more"])
def test_base64_of_a_key_is_hidden_wherever_it_stands_in_what_was_encoded(before, after):
    key = "sk-ÿ>?~C2A3N4A5R6Y7"
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        encoded = encode(f"{before}{key}{after}".encode()).decode()
        ahead, hidden, behind = redact(encoded, (Secret(key),)).partition("***")
        assert hidden
        assert len(ahead) * 6 <= (len(before.encode()) + 1) * 8 + 5  # of the key at most the bits of one letter
        assert len(behind.rstrip("=")) * 6 <= (len(after.encode()) + 1) * 8 + 5
