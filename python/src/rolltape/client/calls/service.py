"""Calls about the server as a whole."""

from __future__ import annotations

from typing import Any

from ..call import DEFAULT_TIMEOUT, Call, Reply, field, read_json, read_object, without_none
from ..records import Health


def livez(*, timeout: float = DEFAULT_TIMEOUT) -> Call[bool]:
    """Returns true if the process answers, even if its engine is unavailable."""
    return Call("GET", "/livez", lambda reply: True, timeout=timeout)


def health(*, timeout: float = DEFAULT_TIMEOUT) -> Call[Health]:
    """Returns the readiness of the server. A server that is not ready is no error: see `status`."""
    return Call("GET", "/health", read_object, accepted=(503,), timeout=timeout)


def metrics(*, timeout: float = DEFAULT_TIMEOUT) -> Call[str]:
    """Returns the Prometheus metrics as text."""
    return Call("GET", "/metrics", _text, timeout=timeout)


def openapi(*, timeout: float = DEFAULT_TIMEOUT) -> Call[dict[str, Any]]:
    """Returns the OpenAPI description of the HTTP API."""
    return Call("GET", "/openapi.json", read_object, timeout=timeout)


def models(*, timeout: float = DEFAULT_TIMEOUT) -> Call[list[dict[str, Any]]]:
    """Returns the models that are served, in OpenAI's shape."""
    return Call("GET", "/v1/models", lambda reply: list(read_json(reply)["data"]), timeout=timeout)


def set_version(version: int, *, model: str | None = None, timeout: float = DEFAULT_TIMEOUT) -> Call[int]:
    """Sets the weight version of tokens from engines that report none, and returns it.

    model: the model, of a server with `engines`. Default: every model that is not frozen.
    """
    body = without_none(version=version, model=model)
    return Call("POST", "/rl/set_version", field("version", int), body, timeout=timeout)


def cordon(worker: str | None = None, *, timeout: float = DEFAULT_TIMEOUT) -> Call[int]:
    """Starts no new sessions. Returns the number of sessions that are not finished; at 0, the proxy can be stopped.

    worker: tag or address of a worker behind a gateway, which requires it.
    """
    return Call("POST", "/rl/cordon", field("sessions", int), _worker(worker), timeout=timeout)


def uncordon(worker: str | None = None, *, timeout: float = DEFAULT_TIMEOUT) -> Call[int]:
    """Starts sessions again. Returns the number of sessions that are not finished."""
    return Call("POST", "/rl/uncordon", field("sessions", int), _worker(worker), timeout=timeout)


def _worker(worker: str | None) -> dict[str, Any]:
    return {} if worker is None else {"worker": worker}


def grant_capacity(slots: int = 1, *, timeout: float = DEFAULT_TIMEOUT) -> Call[int]:
    """Adds slots for sessions and returns the number of free ones. It is sent only once."""
    read = field("capacity", int)
    return Call("POST", "/grant_capacity", read, {"slots": slots}, timeout=timeout, idempotent=False)


def _text(reply: Reply) -> str:
    return reply.body.decode()
