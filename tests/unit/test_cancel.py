from __future__ import annotations

import threading

import pytest

from mewcode.llm.cancel import CancelToken


def test_a_token_is_cancelled_once_and_for_good():
    token = CancelToken()
    assert not token.cancelled
    token.cancel()
    token.cancel()
    assert token.cancelled


def test_the_hook_runs_once_when_cancelled_inside():
    token, calls = CancelToken(), []
    with token.aborting(lambda: calls.append("shut")):
        assert calls == []
        token.cancel()
        token.cancel()
    assert calls == ["shut"]


def test_the_hook_runs_at_once_and_once_when_cancelled_before():
    token, calls = CancelToken(), []
    token.cancel()
    with token.aborting(lambda: calls.append("shut")):
        assert calls == ["shut"]
        token.cancel()
    assert calls == ["shut"]


def test_the_hook_never_runs_after_its_block():
    token, calls = CancelToken(), []
    with token.aborting(lambda: calls.append("shut")):
        pass
    token.cancel()
    assert calls == []


def test_the_hook_is_gone_when_the_block_fails():
    token, calls = CancelToken(), []
    with pytest.raises(OSError, match="cut"), token.aborting(lambda: calls.append("shut")):
        raise OSError("cut")
    token.cancel()
    assert calls == []


def test_the_next_block_has_a_hook_of_its_own():
    token, calls = CancelToken(), []
    with token.aborting(lambda: calls.append("first")):
        pass
    with token.aborting(lambda: calls.append("second")):
        token.cancel()
    assert calls == ["second"]


def test_a_block_is_not_left_while_its_hook_runs():
    token, inside, cancelled, go_on, order = CancelToken(), threading.Event(), threading.Event(), threading.Event(), []

    def hook():
        cancelled.set()
        assert go_on.wait(10)
        order.append("hook")

    def block():
        with token.aborting(hook):
            inside.set()
            assert cancelled.wait(10)
        order.append("left")

    def cancel():
        assert inside.wait(10)
        token.cancel()

    threads = [threading.Thread(target=block), threading.Thread(target=cancel)]
    for thread in threads:
        thread.start()
    assert cancelled.wait(10)
    threads[0].join(0.02)
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert order == ["hook", "left"]


def test_sleep_wakes_when_cancelled():
    token, woke = CancelToken(), []
    sleeper = threading.Thread(target=lambda: woke.append(token.sleep(60)))
    sleeper.start()
    token.cancel()
    sleeper.join(1.0)
    assert woke == [True]


def test_sleep_after_cancelling_is_no_sleep():
    token = CancelToken()
    token.cancel()
    assert token.sleep(60)


def test_an_undisturbed_sleep_says_so():
    assert not CancelToken().sleep(0.001)
