"""The answer of a session's start."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .call import Reply, invalid_reply, read_object


@dataclass(frozen=True)
class StartedSession:
    """A session that has started.

    base_url: address of the session's worker behind a gateway with `gateway.direct`; None if model calls go to the
        proxy.
    """

    session_id: str
    api_key: str
    base_url: str | None = None

    @property
    def worker_tag(self) -> str | None:
        """The tag of the worker in the key `sk-<tag>.…`; None for a key that the caller chose."""
        match = re.match(r"sk-([a-z0-9]{1,32})\.[\x21-\x7e]{16,}$", self.api_key)
        return match and match[1]


def read_started(reply: Reply) -> StartedSession:
    answer = read_object(reply)
    try:
        return StartedSession(answer["session_id"], answer["session_api_key"], answer.get("base_url"))
    except KeyError as error:
        raise invalid_reply(f"the answer has no `{error.args[0]}`") from None
