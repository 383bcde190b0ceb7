"""How a call is sent: time limit, repetitions and errors. It does no I/O, so that both clients share it."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import dataclass
from time import monotonic
from typing import TypeVar

from ..errors import RolltapeError, TransportError, error_class
from .call import Call, Reply

T = TypeVar("T")

# Pauses in seconds before an idempotent call is sent again because its connection broke.
PAUSES = (0.05, 0.25, 1.0)
# Pauses before a call is sent again because a worker is unavailable. With the time of the gateway's four answers, they take
# less than 30 s, or less than 60 s if the gateway also waits for the worker to come back.
UNAVAILABLE_PAUSES = (0.5, 1.5, 5.0)


@dataclass(frozen=True)
class Send:
    """A step: send the call, and pass its reply or a BrokenConnection to the generator."""

    deadline: float


@dataclass(frozen=True)
class Sleep:
    """A step: wait for this many seconds."""

    seconds: float


class BrokenConnection(Exception):
    """The proxy could not be reached, or the connection broke."""


Steps = Generator[Send | Sleep, Reply | BrokenConnection | None, T]


def exchange(call: Call[T]) -> Steps[T]:
    """Yields the steps of sending a call, and returns its result.

    Raises RolltapeError if the proxy refuses the call or cannot be reached.
    """
    deadline = monotonic() + call.timeout
    unavailable = iter(UNAVAILABLE_PAUSES if call.repeat_if_unavailable else ())
    while True:
        try:
            return call.read((yield from _accepted_reply(call, deadline)))
        except RolltapeError as error:
            if error.code != "worker_unavailable":
                raise
            pause = next(unavailable, None)
            if pause is None:
                raise
        yield from _sleep(call, pause, deadline)


def _accepted_reply(call: Call[T], deadline: float) -> Steps[Reply]:
    reply = yield from _any_reply(call, deadline)
    if reply.status < 300 or reply.status in call.accepted:
        return reply
    error = to_error(call, reply)
    if call.absent is not None and error.code == call.absent:
        return reply
    raise error


def _any_reply(call: Call[T], deadline: float) -> Steps[Reply]:
    for pause in PAUSES if call.idempotent else ():
        outcome = yield Send(deadline)
        if isinstance(outcome, Reply):
            return outcome
        yield from _sleep(call, pause, deadline)
    outcome = yield Send(deadline)
    if isinstance(outcome, Reply):
        return outcome
    raise TransportError("connection_failed", f"{call.path} got no answer: {outcome}") from outcome


def _sleep(call: Call[T], pause: float, deadline: float) -> Steps[None]:
    if monotonic() + pause >= deadline:
        raise timed_out(call)
    yield Sleep(pause)


def timed_out(call: Call[T]) -> TransportError:
    return TransportError("request_timed_out", f"{call.path} did not answer within {call.timeout:g} seconds.")


def to_error(call: Call[T], reply: Reply) -> RolltapeError:
    """Returns the error of an answer that refuses the call."""
    try:
        fields = dict(json.loads(reply.body)["error"])
        code, message = str(fields.pop("code")), str(fields.pop("message"))
    except (ValueError, KeyError, TypeError):
        return TransportError(
            "invalid_reply", f"{call.path} answered {reply.status} without a proxy's error body.", status=reply.status
        )
    param = fields.pop("param", None)
    fields.pop("type", None)
    return error_class(code, reply.status)(
        code,
        message,
        status=reply.status,
        param=None if param is None else str(param),
        retry_after=_seconds(reply.headers.get("retry-after")),
        details=fields,
    )


def _seconds(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
