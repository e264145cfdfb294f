"""What a service answers when it refuses, as one of our errors.

Status codes lie (a wrong key is 400 at xAI, a full context 429 at OpenAI), so the server's own type, code and words go
before them. Source: payloads recorded from, or documented by, the servers named beside the rules, 2026-11.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mewcode import errors
from mewcode.errors import Facts, LLMError, is_prompt_too_long
from mewcode.providers._json import dig
from mewcode.secret import redact
from mewcode.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewcode.llm.client import ProviderConfig


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer that is an error. Status 200 means that it came inside the stream. `code` is type and code together."""

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

    def fits(self, fault: Fault) -> bool:
        if self.status and fault.status not in self.status:
            return False
        return bool(
            re.search(self.code, fault.code, re.IGNORECASE) or re.search(self.words, fault.words, re.IGNORECASE)
        )


_MONEY = r"credit balance|insufficient (balance|credit|quota)|exceeded your current quota|billing|spend(ing)? limit"
_SPENT = r"spend|credit|billing|usage limit"
_RULES = (
    _Rule(errors.ContextTooLong, code=r"context_length_exceeded|exceed_context_size|too_many_prompt_tokens"),
    _Rule(errors.ContextTooLong, words=r"request too large for", status=(413, 429)),  # OpenAI, Groq: per minute
    _Rule(errors.ContextTooLong, words=r"token limit reached", status=(200, 400)),  # OpenRouter
    _Rule(errors.QuotaExhausted, code=r"insufficient_quota|billing_error|spend_limit|linked_organization"),
    _Rule(errors.QuotaExhausted, words=_MONEY, status=(400, 402, 403, 200)),  # DeepSeek, Anthropic
    _Rule(errors.AuthError, code=r"invalid_api_key|authentication_error|no_db_connection|API_KEY_INVALID|forbidden"),
    _Rule(errors.AuthError, words=r"(incorrect|invalid|wrong) api key|api key not valid", status=(400, 403)),  # xAI
    _Rule(errors.ModelNotFound, code=r"model_not_found|DeploymentNotFound|invalid_model"),  # OpenAI, Azure, Mistral
    _Rule(
        errors.ModelNotFound,
        words=r"\bmodels?\b.*(does not exist|not found)|invalid model( name)?\b|^model: ",  # LiteLLM, Ollama, Anthropic
        status=(400, 404),
    ),
    _Rule(errors.ContentFiltered, code=r"content_filter|content_policy"),
    _Rule(errors.Overloaded, code=r"overloaded", words=r"^loading model"),  # Anthropic, llama.cpp
    _Rule(errors.RateLimited, code=r"rate_limit|RateLimitReached"),
    _Rule(errors.PermissionDenied, code=r"permission_error"),
    _Rule(errors.ServerError, code=r"\b(api_error|timeout_error|server_error|internal_server_error)\b"),
)
_BY_STATUS: Mapping[int, type[LLMError]] = {
    401: errors.AuthError,
    402: errors.QuotaExhausted,
    403: errors.PermissionDenied,
    404: errors.ProtocolError,
    408: errors.TimedOut,
    409: errors.Overloaded,
    413: errors.ContextTooLong,
    429: errors.RateLimited,
    529: errors.Overloaded,
}


def read_fault(status: int, body: object, headers: Mapping[str, str]) -> Fault:
    """Find the code and the words in a body: parsed JSON, or the text of a body that was none."""
    if isinstance(body, list) and body:
        body = body[0]  # Gemini wraps the object
    inner = body.get("error", body) if isinstance(body, dict) else body
    code = " ".join(dict.fromkeys(str(value) for value in _codes(body, inner) if value))
    in_words = re.fullmatch(r"[1-5]\d\d", code.split(" ")[-1]) if status == 200 and code else None
    if in_words:  # OpenRouter sends the status it would have given as the code
        status = int(in_words[0])
        code += " content_filter" if status == 403 else ""  # the key was good enough to begin
    return Fault(status, code, _words(body, inner), headers, body)


def _codes(body: object, inner: object) -> list[object]:
    codes = [part.get(key) for part in (body, inner) if isinstance(part, dict) for key in ("type", "status", "code")]
    return [dig(inner, "details", "error_code"), *codes]


def _words(body: object, inner: object) -> str:
    match inner, body:
        case {"message": str(words), "metadata": {"raw": raw}}, _:  # OpenRouter: the inner provider's own words
            return f"{words} {raw}"
        case ({"message": str(words)}, _) | (_, {"message": str(words)}) | ({"detail": str(words)}, _):
            return words
        case ({"message": {"detail": detail}}, _) | ({"detail": detail}, _):  # Mistral's 422
            return json.dumps(detail)
        case str(words), _:
            return _without_tags(words)
    return ""


def _without_tags(page: str) -> str:
    """The title of an HTML page, else its text."""
    title = re.search(r"<title[^>]*>(.*?)</title>", page, re.IGNORECASE | re.DOTALL)
    return re.sub(r"<[^>]*>", " ", title[1] if title else page)


def classify(fault: Fault) -> type[LLMError]:
    if _is_spent(fault):
        return errors.QuotaExhausted
    for rule in _RULES:
        if rule.fits(fault):
            return rule.kind
    probe = LLMError(fault.words, status=fault.status)
    if fault.status in (200, 400, 413, 422) and is_prompt_too_long(probe):
        return errors.ContextTooLong
    if fault.status == 429 and "retry-after" not in fault.headers and re.search(_MONEY, fault.words, re.IGNORECASE):
        return errors.QuotaExhausted
    if fault.status in _BY_STATUS:
        return _BY_STATUS[fault.status]
    if 300 <= fault.status < 400:
        return errors.ProtocolError
    return errors.ServerError if fault.status >= 500 or fault.status == 200 else errors.BadRequest


def _is_spent(fault: Fault) -> bool:
    """Anthropic's limit of money comes as a limit of rate: only its words tell, and that no time to return is named."""
    named = fault.status == 429 and "rate_limit_error" in fault.code and "retry-after" not in fault.headers
    return named and bool(re.search(_SPENT, fault.words, re.IGNORECASE))


def to_error(fault: Fault, config: ProviderConfig, url: str) -> LLMError:
    """The error for a fault: its class, and one sentence with the server's words and the way out."""
    kind = classify(fault)
    secrets = (*([config.api_key] if config.api_key else []), *config.headers.values())
    words = one_line(redact(fault.words, secrets)).rstrip(".")
    said = f" ({fault.status}): {words}" if words else f" ({fault.status})"
    facts = Facts(
        provider=config.name,
        status=fault.status,
        request_id=fault.headers.get("request-id") or fault.headers.get("x-request-id"),
        retry_after=_seconds(fault.headers.get("retry-after")),
    )
    name = config.name
    if kind is errors.AuthError:
        return _auth_error(f"{name} {'refused the key' if config.api_key else 'wants a key'}{said}.", config, facts)
    if kind is errors.ContextTooLong:
        limit, requested = _limits(fault)
        sentence = f"{name}: the conversation is too long for {config.model}{said}; start anew with /clear."
        return errors.ContextTooLong(sentence, limit=limit, requested=requested, **facts)
    return kind(redact(_sentence(kind, name, said, fault, config, url), secrets), **facts)


def _auth_error(sentence: str, config: ProviderConfig, facts: Facts) -> LLMError:
    has_key = config.api_key is not None
    fix = f"Check {config.key_source}" if has_key and config.key_source else "Set api_key in the configuration"
    return errors.AuthError(f"{sentence} {fix}.", key_source=config.key_source, has_key=has_key, **facts)


def _sentence(kind: type[LLMError], name: str, said: str, fault: Fault, config: ProviderConfig, url: str) -> str:
    if kind is errors.ProtocolError and 300 <= fault.status < 400:
        target = one_line(fault.headers.get("location", "nowhere"), 200)
        where = f"{url} redirects ({fault.status}) to {target}"
        return f"{name}: {where}, which is not followed; set base_url to the right address."
    if kind is errors.ProtocolError:
        return f"{name}: there is nothing at {url}{said}; check base_url (most servers want it to end in /v1)."
    return {
        errors.PermissionDenied: f"{name}: the key may not use {config.model}{said}.",
        errors.QuotaExhausted: f"{name}: the account has no quota left{said}.",
        errors.RateLimited: f"{name}: too many requests for now{said}; try again later.",
        errors.ModelNotFound: f"{name} does not know the model {config.model}{said}; set another `model`.",
        errors.ContentFiltered: f"{name}: the provider's filter refused this{said}.",
        errors.Overloaded: f"{name} is overloaded{said}; try again later.",
        errors.TimedOut: f"{name} gave up waiting{said}; try again.",
        errors.ServerError: f"{name}: the server {host(url)} failed{said}; try again.",
    }.get(kind, f"{name} refused the request{said}.")


def _limits(fault: Fault) -> tuple[int | None, int | None]:
    """(limit, requested) in tokens, from the fields of llama.cpp or from the words."""
    match fault.body:
        case {"error": {"n_ctx": int(limit), "n_prompt_tokens": int(requested)}}:
            return limit, requested
    if found := re.search(r"(\d+) tokens? > (\d+)", fault.words):
        return int(found[2]), int(found[1])
    return (
        _first_number(r"maximum context length is (\d+)", fault.words),
        _first_number(r"requested (?:about )?(\d+)", fault.words),
    )


def _first_number(pattern: str, words: str) -> int | None:
    found = re.search(pattern, words)
    return int(found[1]) if found else None


def host(url: str) -> str:
    """Whom a URL asks: the host and the port, nothing else."""
    return one_line(urlsplit(url).netloc.rpartition("@")[2], 100)


def _seconds(value: str | None) -> float | None:
    return float(value) if value and re.fullmatch(r"\d{1,6}(\.\d+)?", value) else None


def parse(text: str) -> Any:
    """A body as JSON where it is JSON, else as it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
