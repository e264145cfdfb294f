"""What the process says when it ends: sysexits.h where that has a word, 128 + n for signal n."""

from __future__ import annotations

from mewcode import errors

OK = 0
INTERNAL = 1
USAGE = 2
REFUSED = 65  # as it stands: sending it again does not help
UNAVAILABLE = 69
IO = 74
TRY_AGAIN = 75
PROTOCOL = 76
NO_PERMISSION = 77
CONFIG = 78

_BY_ERROR: dict[type[errors.MewcodeError], int] = {
    errors.ConfigError: CONFIG,
    errors.AuthError: NO_PERMISSION,
    errors.PermissionDenied: NO_PERMISSION,
    errors.QuotaExhausted: UNAVAILABLE,
    errors.ModelNotFound: UNAVAILABLE,
    errors.ContextTooLong: REFUSED,
    errors.ContentFiltered: REFUSED,
    errors.BadRequest: REFUSED,
    errors.ProtocolError: PROTOCOL,
    errors.RateLimited: TRY_AGAIN,
    errors.Overloaded: TRY_AGAIN,
    errors.ServerError: TRY_AGAIN,
    errors.NetworkError: TRY_AGAIN,
    errors.TimedOut: TRY_AGAIN,
    errors.StreamInterrupted: TRY_AGAIN,
}


def exit_code(error: errors.MewcodeError) -> int:
    """The code for an error; a setting that only shows while a turn runs is the error's cause."""
    if isinstance(error.__cause__, errors.ConfigError):
        return CONFIG
    if isinstance(error, errors.NetworkError) and not error.retryable:
        return UNAVAILABLE  # TLS
    return next((code for kind, code in _BY_ERROR.items() if isinstance(error, kind)), INTERNAL)


def by_signal(number: int) -> int:
    return 128 + number
