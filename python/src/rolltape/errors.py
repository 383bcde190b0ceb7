"""Errors of this package. All derive from RolltapeError and carry a stable code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


class RolltapeError(Exception):
    """A call of the proxy that failed, or data that cannot be used.

    code: a code of docs/reference/errors.md, or one of this package's own (see the subclasses).
    status: HTTP status; None if there was no answer.
    param: the field that is wrong; None if the error concerns none.
    retry_after: seconds after which the call may be sent again; None if the proxy names no time.
    details: further fields of the proxy's error.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        param: str | None = None,
        retry_after: float | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.param = param
        self.retry_after = retry_after
        self.details: dict[str, Any] = dict(details or {})

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def __reduce__(self) -> tuple[Any, ...]:
        # Without this, an error cannot be sent to another process: pickle would call the class with the message alone.
        return (_rebuild, (type(self), self.code, self.message, self.__dict__))


class TransportError(RolltapeError):
    """No valid answer: `connection_failed`, `request_timed_out` or `invalid_reply`."""


class InvalidRequestError(RolltapeError):
    """The request is wrong, and repeating it cannot succeed (400, 405, 413, 415, 422 and other 4xx)."""


class AuthenticationError(RolltapeError):
    """The key is missing, unknown, revoked or of the wrong kind (401, 403)."""


class NotFoundError(RolltapeError):
    """The session, interaction, batch or engine server does not exist (404)."""


class ConflictError(RolltapeError):
    """The state of the session, batch or engine does not allow the call (409)."""


class GoneError(RolltapeError):
    """The session was exported or expired, or the lease of a batch ended (410)."""


class CapacityError(RolltapeError):
    """No capacity now: no free slot, too many calls, or full memory (429, 507). Try again after `retry_after`."""


class EngineError(RolltapeError):
    """The engine, an upstream or a worker failed (502, 504)."""


class ServerError(RolltapeError):
    """The proxy failed or cannot take the call now (500, 503)."""


class WeightsError(RolltapeError):
    """A weight update failed, was refused or another one is running: `weights_failed`, `weights_incomplete`, `weights_busy`.

    The engine stays paused after `weights_failed`. Repeat the update, exclude servers, or give up (abandon_weights).
    """

    @property
    def record(self) -> dict[str, Any] | None:
        """The record of the update, as `Client.weights` returns it; None if the answer has none."""
        for candidate in (self.details.get("weights"), self.details.get("record"), self.details):
            if isinstance(candidate, dict) and "servers" in candidate:
                return cast("dict[str, Any]", candidate)
        return None


class BatchError(RolltapeError, ValueError):
    """A batch that cannot be read or used: `invalid_batch`, `batch_closed`, `batch_mismatch`, `image_file_missing`."""


class ServeError(RolltapeError):
    """`serve` could not start the server: `command_not_found`, `server_not_ready`. The message has its last output."""


_BY_STATUS: dict[int, type[RolltapeError]] = {
    401: AuthenticationError,
    403: AuthenticationError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    429: CapacityError,
    502: EngineError,
    504: EngineError,
    507: CapacityError,
}


def error_class(code: str, status: int) -> type[RolltapeError]:
    """Returns the class of an error that the proxy answered."""
    if code.startswith("weights_"):
        return WeightsError
    if code in ("store_full", "server_busy", "out_of_memory"):
        return CapacityError
    return _BY_STATUS.get(status, InvalidRequestError if status < 500 else ServerError)


def _rebuild(kind: type[RolltapeError], code: str, message: str, state: dict[str, Any]) -> RolltapeError:
    error = kind(code, message)
    error.__dict__.update(state)
    return error
