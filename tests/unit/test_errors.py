from __future__ import annotations

import re

import pytest

from mewcode import errors, exits
from mewcode.errors import (
    AuthError,
    BadRequest,
    ConfigError,
    ContextTooLong,
    LLMError,
    MewcodeError,
    NetworkError,
    RateLimited,
    StreamInterrupted,
    ToolArgumentsError,
    is_prompt_too_long,
)


def drawn():
    """The tree of the module's docstring: (class, its parent, whether it says retryable)."""
    path: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"((?:│   |    )*)(?:├── |└── )?([A-Z]\w+)  ", line):
            branch = re.match(r"(?:│   |    )*(?:├── |└── )?", line)
            depth = len(branch[0]) // 4 if branch else 0
            del path[depth:]
            yield found[2], path[-1] if path else "Exception", "(retryable" in line
            path.append(found[2])


def written():
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, MewcodeError):
            yield kind.__name__, kind.__bases__[0].__name__, getattr(kind, "default_retryable", False)


def kinds(kind: type[MewcodeError] = MewcodeError):
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield child
            yield from kinds(child)


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes():
    assert list(drawn()) == list(written())


def test_the_tree_has_all_the_classes_that_are_promised():
    assert " ".join(name for name, parent, _ in drawn() if parent == "LLMError") == (
        "AuthError PermissionDenied RateLimited QuotaExhausted ContextTooLong ContentFiltered ModelNotFound BadRequest"
        " Overloaded ServerError NetworkError TimedOut StreamInterrupted ProtocolError"
    )


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (LLMError, "llm_error"),
        (AuthError, "auth_error"),
        (RateLimited, "rate_limited"),
        (ContextTooLong, "context_too_long"),
        (errors.TimedOut, "timed_out"),
    ],
)
def test_the_kind_is_the_class_in_snake_case(kind: type[LLMError], name: str):
    assert kind("x").kind == name


def test_the_kind_of_every_class_can_be_told_back():
    for kind in kinds():
        error = kind("x", "y") if kind is ToolArgumentsError else kind("x")
        assert error.kind.replace("_", "") == kind.__name__.lower()


def test_an_error_carries_what_is_known_of_the_request():
    error = RateLimited("slow down", provider="claude", status=429, request_id="r1", retry_after=2.5)
    facts = (str(error), error.provider, error.status, error.request_id, error.retryable, error.retry_after)
    assert facts == ("slow down", "claude", 429, "r1", True, 2.5)


def test_what_is_not_known_is_none_and_nothing_is_retried_by_guess():
    error = BadRequest("no")
    facts = (error.provider, error.status, error.request_id, error.retryable, error.retry_after)
    assert facts == ("", None, None, False, None)


def test_one_error_may_be_less_retryable_than_its_kind():
    assert NetworkError("refused").retryable
    assert not NetworkError("bad certificate", retryable=False).retryable


def test_some_errors_carry_more():
    auth = AuthError("no key", key_source="A_KEY", has_key=False, status=401)
    assert (auth.key_source, auth.has_key, auth.status) == ("A_KEY", False, 401)
    long = ContextTooLong("too long", limit=10, requested=20)
    assert (long.limit, long.requested) == (10, 20)
    assert StreamInterrupted("cut", partial="so far").partial == "so far"
    call = ToolArgumentsError('{"a": ', "it ends too early")
    assert (call.raw, call.reason) == ('{"a": ', "it ends too early")
    assert call.reason in str(call)


@pytest.mark.parametrize(
    "words",
    [
        "the request exceeds the available context size, try increasing it",
        "Error code: context_length_exceeded",
        "exceed_context_size_error",
        "too_many_prompt_tokens",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "Prompt too long",
        "prompt_too_long",
        "This model's maximum context length is 8192 tokens",
        "max_context_length",
        "MAX CONTEXT LENGTH",
        "too many tokens in the messages",
        "fits not the context window",
        "context length of the model",
        "Context size",
        "input is too long for requested model",
        "Input too long",
        "Request too large for model `x`",
        "Please reduce the length of the messages",
    ],
)
def test_the_words_of_a_full_context_are_known_in_any_case(words: str):
    for form in (words, words.upper(), words.lower()):
        assert is_prompt_too_long(form)
        assert is_prompt_too_long(BadRequest(form, status=400))


def test_too_many_tokens_is_a_rate_limit_with_status_429():
    assert not is_prompt_too_long(LLMError("Too many tokens, wait", status=429))
    assert is_prompt_too_long(LLMError("maximum context length is 8192 tokens", status=429))


def test_a_full_context_is_known_by_its_class_too():
    assert is_prompt_too_long(ContextTooLong("no"))


@pytest.mark.parametrize("words", ["", "invalid api key", "rate limit reached", "the context is unclear", "max_tokens"])
def test_other_words_say_nothing_of_the_context(words: str):
    assert not is_prompt_too_long(words)


@pytest.mark.parametrize(
    ("code", "names"),
    [
        (65, "ContextTooLong BadRequest ContentFiltered"),
        (69, "ModelNotFound QuotaExhausted"),
        (75, "RateLimited Overloaded ServerError NetworkError TimedOut StreamInterrupted"),
        (76, "ProtocolError"),
        (77, "AuthError PermissionDenied"),
        (78, "ConfigError"),
        (1, "LLMError"),
    ],
)
def test_each_error_has_its_exit_code(code: int, names: str):
    for name in names.split():
        assert exits.exit_code(getattr(errors, name)("x")) == code


def test_a_tls_fault_is_not_worth_another_try():
    assert exits.exit_code(NetworkError("bad certificate", retryable=False)) == 69


def test_a_setting_that_fails_while_a_turn_runs_has_the_code_of_the_configuration():
    error = LLMError("wrong proxy")
    error.__cause__ = ConfigError("wrong proxy")
    assert exits.exit_code(error) == 78


def test_every_retryable_error_says_try_again():
    for kind in kinds(LLMError):
        assert (exits.exit_code(kind("x")) == exits.TRY_AGAIN) == kind("x").retryable
