"""The description of one call of the HTTP API, which both clients send."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..errors import TransportError

T_co = TypeVar("T_co", covariant=True)

# A gateway waits 30 s for a worker that left, by default. Its answer must come before the client gives up.
DEFAULT_TIMEOUT = 60.0


@dataclass(frozen=True)
class Reply:
    """An answer: `headers` have lower-case names. `body` is empty if it was written to the call's file."""

    status: int
    headers: Mapping[str, str]
    body: bytearray


@dataclass(frozen=True)
class Call(Generic[T_co]):
    """What to send, how to read the answer, and when it may be sent again."""

    method: str
    path: str
    read: Callable[[Reply], T_co]
    body: Mapping[str, Any] | None = None
    query: Mapping[str, str] | None = None
    # Seconds until the call, with its repetitions, fails with `request_timed_out`.
    timeout: float = DEFAULT_TIMEOUT
    # Repeating the call has no further effect, so it is sent again if the connection breaks.
    idempotent: bool = True
    # Send the call again if a gateway cannot reach a worker. Only for calls that have an effect on several workers.
    repeat_if_unavailable: bool = False
    # Statuses above 299 whose body is a result, not an error.
    accepted: tuple[int, ...] = ()
    # Code of an error that is a result: `read` gets a reply with its status.
    absent: str | None = None
    # Writes the body to this file instead of returning it.
    file: Path | None = None
    # Replaces the client's own address.
    base_url: str | None = None
    # Replaces the client's own key.
    key: str | None = None
    # The header X-Session-ID, which a run key needs.
    x_session_id: str | None = None


def without_none(**fields: Any) -> dict[str, Any]:
    """Returns the fields that have a value. The proxy takes null as absent, too; this keeps requests short."""
    return {name: value for name, value in fields.items() if value is not None}


def list_of_ids(session_ids: Sequence[str]) -> list[str]:
    # One text is a sequence of texts as well: its letters.
    if isinstance(session_ids, str):
        raise TypeError(f"session_ids must be a list of ids; received the text {session_ids!r}.")
    return list(session_ids)


def read_json(reply: Reply) -> Any:
    """Returns the JSON of an answer.

    Raises TransportError `invalid_reply` if the answer is not JSON.
    """
    try:
        return json.loads(reply.body)
    except ValueError as error:
        raise invalid_reply(f"the answer is not JSON: {bytes(reply.body[:100])!r}") from error


def field(name: str, kind: type[Any]) -> Callable[[Reply], Any]:
    """Returns a reader of one field of a JSON object."""

    def read(reply: Reply) -> Any:
        value = read_json(reply)
        if not isinstance(value, dict) or not isinstance(value.get(name), kind):
            raise invalid_reply(f"the answer has no `{name}`")
        return value[name]

    return read


def read_object(reply: Reply) -> Any:
    """Returns the JSON object of an answer."""
    value = read_json(reply)
    if not isinstance(value, dict):
        raise invalid_reply("the answer is not a JSON object")
    return value


def read_lines(reply: Reply) -> Any:
    """Returns the JSON objects of an answer that has one on each line."""
    try:
        values = [json.loads(line) for line in bytes(reply.body).splitlines()]
    except ValueError as error:
        raise invalid_reply("a line of the answer is not JSON") from error
    if not all(isinstance(value, dict) for value in values):
        raise invalid_reply("a line of the answer is not a JSON object")
    return values


def invalid_reply(why: str) -> TransportError:
    return TransportError("invalid_reply", f"This is not an answer of a proxy: {why}.")
