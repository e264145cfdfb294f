"""What a service answers when it refuses, as one of our errors.

Status codes lie (a wrong key is 400 at xAI, a full context 429 at OpenAI), so the server's own type, code and words go
before them. Source: payloads recorded from, or documented by, the servers named beside the rules, 2026-11.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mewcode import errors
from mewcode.errors import Facts, LLMError, is_prompt_too_long
from mewcode.providers._context_size import Size, read_size
from mewcode.providers._retry_after import retry_after
from mewcode.providers._sentences import Verdict, host
from mewcode.providers._server_words import codes_of, parse, request_id_of, words_of
from mewcode.secret import redact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewcode.llm.client import ProviderConfig

__all__ = ["Fault", "classify", "host", "parse", "read_fault", "to_error"]


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer that is an error. Status 200 means that it came inside the stream. `code` is type and code together;
    the names of the headers are in lower case."""

    status: int
    code: str
    words: str
    headers: Mapping[str, str]
    body: object = None


@dataclass(frozen=True, slots=True)
class _Rule:
    """The first rule that fits decides. `code` and `words` are searched, either is enough; `status` has to fit too."""

    kind: type[LLMError]
    code: str = r"(?!)"
    words: str = r"(?!)"
    status: tuple[int, ...] = ()

    def fits(self, fault: Fault, meant: int) -> bool:
        if self.status and fault.status not in self.status and meant not in self.status:
            return False
        return bool(
            re.search(self.code, fault.code, re.IGNORECASE) or re.search(self.words, fault.words, re.IGNORECASE)
        )


_MONEY = (
    r"credit balance|(insufficient|out of|not enough) (balance|credit|quota)|exceeded your current quota"
    r"|billing|spend(ing)? limit|余额不足|欠费"
)
_SPENT = r"spend|credit|billing|usage limit"
_TOO_LONG_TOO = (  # Kimi, Qwen, Gemini, GLM, Anthropic with max_tokens
    r"exceeded model token limit|range of input length should be|input token count .{0,60}exceeds"
    r"|prompt exceeds max length|exceed context limit"
)
_RULES = (
    # OpenAI, llama.cpp, Perplexity
    _Rule(errors.ContextTooLong, code=r"context_length_exceeded|exceed_context_size|too_many_prompt_tokens"),
    _Rule(errors.ContextTooLong, words=r"request too large for", status=(200, 413, 429)),  # OpenAI, Groq: per minute
    _Rule(errors.ContextTooLong, words=r"token limit reached", status=(400,)),  # OpenRouter
    _Rule(errors.ContextTooLong, words=_TOO_LONG_TOO, status=(200, 400)),
    # OpenAI, Anthropic, Kimi, Qwen
    _Rule(
        errors.QuotaExhausted,
        code=r"insufficient_quota|billing_error|spend_limit|linked_organization|exceeded_current_quota|arrearage",
    ),
    # OpenAI, which then offers more for money
    _Rule(errors.RateLimited, words=r"rate limit reached for", status=(200,)),
    _Rule(errors.QuotaExhausted, words=_MONEY, status=(200, 400)),  # Anthropic, DeepSeek
    _Rule(errors.ContentFiltered, words=r"input was flagged", status=(403,)),  # OpenRouter
    # OpenAI, Anthropic, LiteLLM, Gemini, Doubleword
    _Rule(
        errors.AuthError, code=r"invalid_api_key|authentication_error|no_db_connection|API_KEY_INVALID|\bforbidden\b"
    ),
    _Rule(
        errors.AuthError,
        words=r"(incorrect|invalid|wrong) api key|api key (is )?(not valid|invalid)"  # xAI, Mistral, Gemini
        r"|^unauthorized|authentication (token|header)",  # Ollama, ChatGPT, OpenRouter
        status=(200, 400),
    ),
    # OpenAI, Groq, Azure, Mistral, Perplexity, Hugging Face
    _Rule(errors.ModelNotFound, code=r"model_not_found|DeploymentNotFound|invalid_model|model_not_supported"),
    _Rule(errors.ModelNotFound, code=r"\bnot_found_error\b", status=(200,)),  # Anthropic; the path was right
    _Rule(
        errors.ModelNotFound,
        words=r"\bmodels?\b.{0,300}(does not exist|not found)"  # vLLM, Ollama, Venice, Gemini
        r"|model not exist|模型不存在"  # DeepSeek, GLM
        r"|invalid model\b(?! (output|input|response|format|param))"  # Mistral, LiteLLM
        r"|not a valid model|no endpoints found",  # OpenRouter
        status=(200, 400, 404),
    ),
    # Anthropic, and any other 404 that speaks of one
    _Rule(errors.ModelNotFound, words=r"(?<![\w/.-])models?\b", status=(404,)),
    # OpenAI, Azure, Qwen
    _Rule(errors.ContentFiltered, code=r"content_filter|content_policy|bio_policy|misalignment_policy|data_inspection"),
    _Rule(errors.Overloaded, code=r"overloaded", words=r"^loading model"),  # Anthropic, OpenAI, Kimi, llama.cpp
    _Rule(errors.RateLimited, code=r"rate_limit|RateLimitReached"),  # Anthropic, OpenAI, Azure
    _Rule(errors.PermissionDenied, code=r"permission_error"),  # Anthropic
)
_BY_STATUS: Mapping[int, type[LLMError]] = {
    401: errors.AuthError,
    402: errors.QuotaExhausted,
    403: errors.PermissionDenied,
    404: errors.ProtocolError,
    405: errors.ProtocolError,  # what a web server says of a page to which something is posted
    408: errors.TimedOut,
    409: errors.Overloaded,
    413: errors.ContextTooLong,
    429: errors.RateLimited,
    511: errors.ProtocolError,  # a captive portal
    529: errors.Overloaded,
}
# The status that an error inside a stream would have had before it, where that is not 500. Source: Anthropic's list of
# errors; ResponseError of openai 3.57; Groq.
_MEANT: Mapping[str, int] = {
    "invalid_request_error": 400,
    "invalid_prompt": 400,
    "unsupported_parameter": 400,
    "unsupported_value": 400,
    "unknown_parameter": 400,
    "data_residency_mismatch": 400,
    "tool_use_failed": 400,
    "request_too_large": 413,
}


def read_fault(status: int, body: object, headers: Mapping[str, str]) -> Fault:
    """Find the code and the words in a body: parsed JSON, or the text of a body that was none."""
    codes = codes_of(body)
    spoken = [int(code) for code in codes if re.fullmatch(r"[45][0-9][0-9]", code)]
    if status < 300 and spoken:  # OpenRouter, vLLM: the status it would have been
        status = spoken[0]
        codes += {403: ["content_filter"], 404: ["model_not_found"]}.get(status, [])  # the key and the path were right
    named = {name.lower(): value for name, value in headers.items()}
    return Fault(status, " ".join(codes), words_of(body), named, body)


def classify(fault: Fault) -> type[LLMError]:
    meant = fault.status if fault.status >= 300 else _meant(fault.code)
    if _is_spent(fault):
        return errors.QuotaExhausted
    for rule in _RULES:
        if rule.fits(fault, meant):
            return rule.kind
    if meant in (200, 400, 413, 422) and is_prompt_too_long(fault.words):
        return errors.ContextTooLong
    if meant in _BY_STATUS:
        return _BY_STATUS[meant]
    if 300 <= meant < 400:
        return errors.ProtocolError
    return errors.ServerError if meant >= 500 or meant < 300 else errors.BadRequest


def _meant(code: str) -> int:
    return next((_MEANT[word] for word in code.split() if word in _MEANT), 200)


def _is_spent(fault: Fault) -> bool:
    """A limit of money that comes as a limit of rate: only its words tell, and that no time to return is named."""
    if fault.status not in (200, 429) or _time_is_named(fault) or "rate_limit_exceeded" in fault.code:
        return False
    limit_of_rate = "rate_limit_error" in fault.code  # Anthropic
    words = _SPENT if limit_of_rate else _MONEY if fault.status == 429 else r"(?!)"
    return bool(re.search(words, fault.words, re.IGNORECASE))


def _time_is_named(fault: Fault) -> bool:
    """Gemini speaks of quota and billing with every limit of rate, and says in words when to come back."""
    in_words = re.search(r"(please|to) (re)?try (again )?in [0-9]", fault.words, re.IGNORECASE)
    return _wait(fault) is not None or in_words is not None


def _wait(fault: Fault) -> float | None:
    return retry_after(fault.headers, datetime.now(UTC))


def to_error(fault: Fault, config: ProviderConfig, url: str) -> LLMError:
    """The error for a fault: its class, and one sentence with the server's words and the way out."""
    kind, wait = classify(fault), _wait(fault)
    secrets = config.secrets
    size = read_size(fault.body, fault.words) if kind is errors.ContextTooLong else Size()
    words = redact(fault.words or fault.code, secrets)
    verdict = Verdict(kind, config, url, fault.status, words, fault.headers.get("location"), wait, size)
    sentence, facts = redact(verdict.sentence(), secrets), _facts(fault, config, wait)
    if kind is errors.AuthError:
        has_key = config.api_key is not None
        return errors.AuthError(sentence, key_source=config.key_source, has_key=has_key, **facts)
    if kind is errors.ContextTooLong:
        return errors.ContextTooLong(sentence, limit=size.limit, requested=size.requested, **facts)
    return kind(sentence, **facts)


def _facts(fault: Fault, config: ProviderConfig, wait: float | None) -> Facts:
    headers = fault.headers
    facts = Facts(provider=config.name, status=fault.status, retry_after=wait)
    facts["request_id"] = headers.get("request-id") or headers.get("x-request-id") or request_id_of(fault.body)
    if headers.get("x-should-retry", "").strip().lower() == "false":
        facts["retryable"] = False
    elif "tool_use_failed" in fault.code:  # Groq: the model wrote a call that is no JSON, the next time it may not
        facts["retryable"], facts["max_attempts"] = True, 2
    return facts
