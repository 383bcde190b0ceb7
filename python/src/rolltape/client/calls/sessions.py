"""Calls about sessions. Those with an `api_key` use the session's own key, or a run key with `x_session_id`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal
from urllib.parse import quote

from ..call import DEFAULT_TIMEOUT, Call, field, invalid_reply, list_of_ids, read_lines, read_object, without_none
from ..options import SamplingOverride, Split
from ..records import CurrentSession, EndedSessions, RunSessions, SessionPage, SessionRecord, StartedRun, Transcript
from ..started_session import StartedSession, read_started

# Default size of a page, as in the proxy.
PAGE = 1000

State = Literal["active", "ended", "exported", "expired"]


def start_session(
    task_id: str | None = None,
    group_id: str | None = None,
    *,
    sampling_override: SamplingOverride | None = None,
    without_channels: Sequence[str] | None = None,
    split: Split | None = None,
    api_key: str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Call[StartedSession]:
    """Starts a session, which takes a slot of the granted capacity. It is sent only once.

    task_id: the beginning of the session id; 1 to 128 characters of A-Z a-z 0-9 . _ : -
    group_id: the same for all samples of one task.
    sampling_override: sampling parameters of each call of the session, such as `{"temperature": 1.0, "max_tokens": 512}`.
        They replace those of requests and of the server's configuration.
    without_channels: channels that the session does not record, although the server does, such as `routed_experts`.
    split: `eval` for an evaluation session, which exports of training sessions refuse; `train` by default.
    api_key: a session key of your choice, 16 characters or more.

    Raises CapacityError `no_capacity` if no slot is free.
    """
    body = without_none(
        task_id=task_id,
        group_id=group_id,
        sampling_override=sampling_override,
        without_channels=without_channels,
        split=split,
        api_key=api_key,
    )
    return Call("POST", "/rl/start_session", read_started, body, timeout=timeout, idempotent=False)


def start_run(
    task_id: str | None = None,
    group_id: str | None = None,
    *,
    sampling_override: SamplingOverride | None = None,
    without_channels: Sequence[str] | None = None,
    split: Split | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Call[StartedRun]:
    """Creates a key for many sessions, each of which is started by its first model call. No slot is taken yet.

    A call with the key needs the header `X-Session-ID`, which names its session. All sessions start with the arguments.
    """
    body = without_none(
        task_id=task_id,
        group_id=group_id,
        sampling_override=sampling_override,
        without_channels=without_channels,
        split=split,
    )
    # A key that its caller did not receive starts nothing, so the call can be repeated.
    return Call("POST", "/rl/start_run", read_object, body, timeout=timeout)


def run_sessions(run_id: str, *, timeout: float = DEFAULT_TIMEOUT) -> Call[RunSessions]:
    """Returns the sessions of a run that can be exported now or once they have ended, oldest first."""
    return Call("GET", f"/rl/runs/{quote(run_id, safe='')}/sessions", read_object, timeout=timeout)


def current_session(
    *, api_key: str, x_session_id: str | None = None, start: bool = False, timeout: float = DEFAULT_TIMEOUT
) -> Call[CurrentSession]:
    """Returns the session of a key.

    start: starts the session of a run key if it does not exist. Otherwise, NotFoundError `session_not_found` is raised.
    """
    method = "POST" if start else "GET"
    return Call(method, "/rl/current_session", read_object, timeout=timeout, key=api_key, x_session_id=x_session_id)


def set_reward(
    reward: float,
    *,
    api_key: str,
    x_session_id: str | None = None,
    interaction_id: str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Call[str]:
    """Rewards an interaction (default: the last completed call), and returns its id.

    Raises ValueError if the reward is not finite.
    """
    body = without_none(reward=_finite(reward), interaction_id=interaction_id)
    return Call(
        "POST",
        "/rl/set_reward",
        field("interaction_id", str),
        body,
        timeout=timeout,
        key=api_key,
        x_session_id=x_session_id,
    )


def set_session_reward(
    reward: float, *, api_key: str, x_session_id: str | None = None, timeout: float = DEFAULT_TIMEOUT
) -> Call[None]:
    """Rewards a session as a whole, in addition to the rewards of its calls. A later value replaces an earlier one."""

    def read(reply: object) -> None:
        # An older proxy ignores the scope, rewards the last call and answers without a scope.
        if field("scope", str)(reply) != "session":  # type: ignore[arg-type]
            raise invalid_reply("the reward was not given to the session")

    body = {"reward": _finite(reward), "scope": "session"}
    return Call("POST", "/rl/set_reward", read, body, timeout=timeout, key=api_key, x_session_id=x_session_id)


def end_session(*, api_key: str, x_session_id: str | None = None, timeout: float = DEFAULT_TIMEOUT) -> Call[int]:
    """Ends a session: it accepts no more model calls. Returns how many it has recorded."""
    read = field("interaction_count", int)
    return Call("POST", "/rl/end_session", read, timeout=timeout, key=api_key, x_session_id=x_session_id)


def end_sessions(
    group_ids: Sequence[str] | None = None,
    session_ids: Sequence[str] | None = None,
    *,
    run_ids: Sequence[str] | None = None,
    abort: bool = False,
    timeout: float = DEFAULT_TIMEOUT,
) -> Call[EndedSessions]:
    """Ends many sessions, by their groups, ids or runs, for example at the end of a training step.

    abort: aborts their calls in flight, which are then not recorded. By default, they go on.

    Ending a session again changes nothing. Workers of a gateway that did not answer are in `unavailable_workers`: repeat
    the call.
    """
    groups = None if group_ids is None else list_of_ids(group_ids)
    sessions = None if session_ids is None else list_of_ids(session_ids)
    runs = None if run_ids is None else list_of_ids(run_ids)
    body = without_none(group_ids=groups, session_ids=sessions, run_ids=runs, abort=abort)
    return Call("POST", "/rl/sessions/end", read_object, body, timeout=timeout)


def list_sessions(
    state: State | None = None,
    task_id: str | None = None,
    *,
    split: Split | None = None,
    limit: int | None = None,
    after: str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Call[SessionPage]:
    """Returns one page of sessions (1000 by default), oldest first. `next` of a page is `after` of the following one."""
    query = without_none(state=state, task_id=task_id, split=split, limit=str(limit or PAGE), after=after)
    return Call("GET", "/rl/sessions", read_object, query=query, timeout=timeout)


def get_session(session_id: str, *, timeout: float = DEFAULT_TIMEOUT) -> Call[SessionRecord]:
    """Returns one session and its state.

    Raises NotFoundError `session_not_found`.
    """
    return Call("GET", f"/rl/sessions/{quote(session_id, safe='')}", read_object, timeout=timeout)


def transcript(session_id: str, *, discount: float = 1.0, timeout: float = DEFAULT_TIMEOUT) -> Call[Transcript]:
    """Returns the messages, answers and rewards of one session, without tokens. Their text is untrusted.

    The session may be active, ended, or exported and retained. Raises NotFoundError `session_not_found`.
    """
    path = f"/rl/sessions/{quote(session_id, safe='')}/transcript"
    return Call("GET", path, read_object, query={"discount": repr(float(discount))}, timeout=timeout)


def transcripts(
    session_ids: Sequence[str], *, discount: float = 1.0, timeout: float = DEFAULT_TIMEOUT
) -> Call[list[Transcript]]:
    """Returns the transcripts of 1 to 256 sessions.

    A session that cannot be returned has only `session_id` and `error`, which has `code` and `message`. Sessions after
    the first 8 MiB are left out, but never all: ask again for those that are missing.
    """
    body = {"session_ids": list_of_ids(session_ids), "discount": float(discount)}
    return Call("POST", "/rl/transcripts", read_lines, body, timeout=timeout)


def delete_session(session_id: str, *, timeout: float = DEFAULT_TIMEOUT) -> Call[bool]:
    """Aborts the session's calls, revokes its key and frees its data. Returns false if there is no such session."""
    return Call(
        "DELETE",
        f"/rl/sessions/{quote(session_id, safe='')}",
        lambda reply: reply.status < 300,
        timeout=timeout,
        absent="session_not_found",
    )


def _finite(reward: float) -> float:
    # JSON has no NaN, so the proxy could only say that the body is malformed.
    if not math.isfinite(reward):
        raise ValueError(f"A reward must be finite; received {reward}.")
    return float(reward)
