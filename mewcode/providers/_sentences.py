"""The one sentence that a refusal becomes: who, what happened, the server's own words, the way out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit, urlunsplit

from mewcode import errors
from mewcode.providers._context_size import Size
from mewcode.providers._retry_after import in_words
from mewcode.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewcode.errors import LLMError
    from mewcode.llm.client import ProviderConfig

_WHOLE = 500  # characters of a sentence; the server's words get what the rest leaves
_LEAST = 100  # and never less than these
_PATIENCE = 60.0  # seconds; a turn does not wait longer (llm.retry), so the user has to know

_SAID: Mapping[type[LLMError], tuple[str, str]] = {
    errors.PermissionDenied: ("{name}: the key may not use {model}", "use another key or set another `model`"),
    errors.QuotaExhausted: ("{name}: the account has no quota left", "add credit or choose another provider"),
    errors.RateLimited: ("{name}: too many requests for now", "try again later"),
    errors.ModelNotFound: ("{name} does not know the model {model}", "set another `model`"),
    errors.ContentFiltered: ("{name}: the provider's filter refused this", "change the message"),
    errors.Overloaded: ("{name} is overloaded", "try again later"),
    errors.TimedOut: ("{name} gave up waiting", "try again"),
    errors.ServerError: ("{name}: the server {host} failed", "try again"),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known when the class is. `words` come from the server, without our key but not cleaned yet; so does
    `location`. `wait` is in seconds."""

    kind: type[LLMError]
    config: ProviderConfig
    url: str
    status: int
    words: str
    location: str | None = None
    wait: float | None = None
    size: Size = field(default_factory=Size)

    def sentence(self) -> str:
        frame = len(replace(self, words="")._around()) + len(": ")
        words = one_line(self.words, max(_LEAST, _WHOLE - frame)).rstrip(".")
        return replace(self, words=words)._around()

    def _around(self) -> str:
        what, way = self._what_and_way()
        ways = [way]
        if self.wait is not None and self.wait > _PATIENCE:
            ways = [] if self.kind.default_retryable else ways  # it says when to try again
            ways.append(f"the server asks to wait {in_words(self.wait)}")
        return "; ".join([f"{what}{self._said()}", *filter(None, ways)]) + "."

    def _said(self) -> str:
        """The status, unless the error came inside a stream that began with 200, and the words or the status' own."""
        status = f"{self.status}" if self.status >= 300 else ""
        if not self.words:
            status = f"{status} {_phrase(self.status)}".strip()
        shown = f" ({status})" if status else ""
        return f"{shown}: {self.words}" if self.words else shown

    def _what_and_way(self) -> tuple[str, str]:
        config = self.config
        match self.kind:
            case errors.AuthError:
                return self._key()
            case errors.ContextTooLong:
                return f"{config.name}: the conversation {self._too_long()}", "start anew with /clear"
            case errors.ProtocolError if 300 <= self.status < 400:
                return self._redirect()
            case errors.ProtocolError:
                hint = "" if config.protocol == "anthropic" else " (most servers want it to end in /v1)"
                return f"{config.name}: there is nothing at {address(self.url)}", f"check base_url{hint}"
        what, way = _SAID.get(self.kind, ("{name} refused the request", ""))
        return what.format(name=config.name, model=config.model, host=host(self.url)), way

    def _key(self) -> tuple[str, str]:
        config = self.config
        place = config.key_source or "api_key in the configuration"
        if config.api_key is None:
            return f"{config.name} wants a key", f"set {place}"
        return f"{config.name} refused the key", f"check {place}"

    def _too_long(self) -> str:
        model = self.config.model
        match self.size:
            case Size(int(limit), int(requested), int(over)):
                return f"needs {requested:,} tokens, {over:,} tokens over the limit of {limit:,} of {model}"
            case Size(over=int(over)):
                return f"is {over:,} tokens too long for {model}"
            case Size(limit=int(limit)):
                return f"is over the limit of {limit:,} tokens of {model}"
        return f"is too long for {model}"

    def _redirect(self) -> tuple[str, str]:
        where = f"to {address(self.location, self.url)}" if self.location else "without saying where"
        what = f"{self.config.name}: {address(self.url)} redirects {where}, which is not followed"
        return what, "set base_url to the right address"


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status >= 300 and status in set(HTTPStatus) else ""


def host(url: str) -> str:
    """Whom a URL asks: the host and the port, nothing else."""
    return one_line(_parts(url)[1], 100)


def address(url: str, base: str = "") -> str:
    """A URL, or one that is relative to `base`, without what may be secret in it: user, password, query."""
    scheme, netloc, path = _parts(url, base)
    return one_line(urlunsplit((scheme, netloc, path, "", "")), 120)


def _parts(url: str, base: str = "") -> tuple[str, str, str]:
    try:
        parts = urlsplit(urljoin(base, url))
    except ValueError:  # half an IPv6 address
        return "", "", "an address that cannot be read"
    return parts.scheme, parts.netloc.rpartition("@")[2], parts.path
