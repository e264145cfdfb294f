"""What a request holds and where it goes: settings that a model refuses, base URLs, and redirects."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from mewcode.errors import BadRequest, ProtocolError
from tests.cases.case import DIALECTS, Case, answer
from tests.cases.play import KEY, case_serving, once, screen
from tests.cases.strict import nulls
from tests.fakes.case_server import Step

SET = {"max_output_tokens": 100, "temperature": 0.5}
LIMITS = ("max_tokens", "max_completion_tokens")
REDIRECTS = [301, 302, 303, 307, 308]

each_protocol = pytest.mark.parametrize("protocol", DIALECTS)
each_model = pytest.mark.parametrize("model", ["new-model", "old-model"])


@each_model
def test_c035_without_settings_a_request_holds_none_of_them(model):
    case = Case("C035")
    with case_serving(*case.steps) as server:
        ran = once(server.url, case.protocol, model=model)
    assert (ran.code, ran.text, len(server.requests)) == (0, "ok", 1)
    body = server.requests[0].json
    assert not {*LIMITS, "temperature"} & body.keys()
    assert nulls(body) == []


@pytest.mark.parametrize(("model", "most"), [("new-model", 3), ("old-model", 2)])
def test_c035_settings_that_a_model_refuses_are_corrected_once_and_remembered(model, most):
    case = Case("C035")
    with case_serving(*case.steps) as server, screen(server.url, case.protocol, model=model, **SET) as chat:
        assert chat.turn("first").text == "ok"
        first = len(server.requests)
        assert chat.turn("second").text == "ok"
        assert len(server.requests) == first + 1
    assert first == 3 if model == "new-model" else first <= most
    limits = [server.requests[-1].json.get(name) for name in LIMITS]
    assert 100 in limits
    assert all(nulls(request.json) == [] for request in server.requests)


@each_model
def test_c035_once_works_with_the_settings_too(model):
    case = Case("C035")
    with case_serving(*case.steps) as server:
        ran = once(server.url, case.protocol, model=model, **SET)
    assert (ran.code, ran.text) == (0, "ok")


def test_c035_a_correction_that_is_refused_as_well_is_the_end_with_the_servers_words():
    case = Case("C035")
    refused = replace(case.steps[0], rule="", repeats=True)
    settings = {"model": "new-model", "max_output_tokens": 100}
    with case_serving(refused) as server, screen(server.url, case.protocol, **settings) as chat:
        message = chat.turn()
        failure = chat.session.failure(message.id)
        shown = chat.shown.replace("\n", " ")
    assert len(server.requests) == 2
    assert isinstance(failure, BadRequest)
    words = case.json("error.json")["error"]["message"].rstrip(".")
    assert words in str(failure)
    assert "Use 'max_completion_tokens' instead" in shown


@pytest.mark.parametrize(("protocol", "root", "path"), Case("C043").json("table.json"))
def test_c043_every_spelling_of_a_base_url_leads_to_the_endpoint(protocol, root, path):
    with case_serving(answer(protocol)) as server:
        ran = once(server.url, protocol, base_url=server.url + root)
    if "or a config error" in path and ran.code == 78:
        assert "base_url" in ran.err
        return
    assert (ran.code, ran.text) == (0, "ok")
    assert [request.path for request in server.requests] == [path.split(" ")[0]]
    assert not re.search("//|/v1/v1", server.requests[0].path)


@each_protocol
def test_c043_a_404_shows_the_url_that_was_asked_and_speaks_of_base_url(protocol):
    dialect = DIALECTS[protocol]
    with case_serving(Step(404)) as server:
        root = "/wrong" + dialect.root
        ran = once(server.url, protocol, base_url=f"{server.url}{root}?secret=canary")
    endpoint = dialect.path.removeprefix(dialect.root)
    assert f"{server.url}{root}{endpoint}" in ran.err
    assert "base_url" in ran.err
    assert "canary" not in ran.err
    assert KEY not in ran.err
    assert (ran.code, len(server.requests)) == (76, 1)


@each_protocol
@pytest.mark.parametrize("place", range(5), ids=map(str, REDIRECTS))
def test_c055_a_redirect_to_another_host_is_an_error_and_takes_nothing_there(place, protocol):
    step = Case("C055").steps[place]
    with case_serving(step) as server:
        ran = once(server.url, protocol)
        target = f"localhost:{server.sink.port}"
        assert server.sink.connections == 0
    assert (ran.code, ran.text, len(server.requests)) == (76, "", 1)
    assert str(step.status) in ran.err
    assert target in ran.err
    assert ran.err.count("\n") == 1


@each_protocol
def test_c055_a_redirect_of_the_second_turn_is_an_error_too(protocol):
    step = Case("C055").steps[3]
    with case_serving(answer(protocol), step) as server, screen(server.url, protocol) as chat:
        assert chat.turn("first").text == "ok"
        message = chat.turn("second")
        failure = chat.session.failure(message.id)
        assert isinstance(failure, ProtocolError)
        assert "307" in chat.shown
        assert f"localhost:{server.sink.port}" in chat.shown.replace("\n", "")
        assert (len(server.requests), server.sink.connections) == (2, 0)


@each_protocol
@pytest.mark.parametrize("status", REDIRECTS)
def test_c055_a_redirect_within_the_same_host_is_an_error_too(status, protocol):
    with case_serving(Step(status, {"Location": "/elsewhere\x1b[31m"})) as server:
        ran = once(server.url, protocol)
    assert (ran.code, len(server.requests)) == (76, 1)
    assert str(status) in ran.err
    assert "\x1b" not in ran.err
