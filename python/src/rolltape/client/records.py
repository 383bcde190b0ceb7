"""JSON objects that the proxy returns, unchanged. Times are in seconds since the Unix epoch."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from .options import SamplingOverride, Split


class Health(TypedDict, total=False):
    """`status` is `ok`, `cordoned`, `draining`, `engine_unavailable` or `storage_failed`; `worker` is absent at a gateway."""

    status: str
    message: str
    warnings: list[dict[str, Any]]
    worker: dict[str, Any]
    workers: list[dict[str, Any]]


class SessionRecord(TypedDict):
    session_id: str
    task_id: str
    group_id: str | None
    split: Split
    run_id: str | None
    x_session_id: str | None
    sampling_override: SamplingOverride | None
    without_channels: list[str]
    state: Literal["active", "ended", "exported", "expired"]
    created_at: float
    ended_at: float | None
    last_access_at: float
    interaction_count: int
    prompt_tokens: int
    completion_tokens: int
    calls_in_flight: int
    aborted_calls: int
    upstream_calls: int
    native_bytes: int
    stored_tokens: int
    stored_bytes: int
    holds_slot: bool


class SessionPage(TypedDict):
    sessions: list[SessionRecord]
    has_more: bool
    next: str | None


class StartedRun(TypedDict):
    """A key for many sessions. `run_api_key` is sent with the header `X-Session-ID`, which names the session."""

    run_id: str
    run_api_key: str


class RunSession(TypedDict):
    session_id: str
    x_session_id: str
    state: Literal["active", "ended", "exported", "expired"]
    created_at: float


class RunSessions(TypedDict):
    sessions: list[RunSession]


class CurrentSession(TypedDict):
    """The session of a key. `run_id` and `x_session_id` are None for a session with a key of its own."""

    session_id: str
    run_id: str | None
    x_session_id: str | None


class EndedSession(TypedDict):
    """A session after `end_sessions`. `incomplete_calls` were aborted because it ended or was exported."""

    session_id: str
    group_id: str | None
    state: Literal["active", "ended", "exported", "expired"]
    interaction_count: int
    incomplete_calls: int
    calls_in_flight: int


class EndedSessions(TypedDict, total=False):
    """`not_found`: those of the ids that no session has. `unavailable_workers` is absent if all workers answered."""

    sessions: list[EndedSession]
    not_found: list[str]
    unavailable_workers: list[str]


class Transcript(TypedDict, total=False):
    """What a session has recorded, without tokens: untrusted text. docs/reference/transcripts.md has its `interactions`.

    `transcripts()` returns only `session_id` and `error` for a session that the proxy cannot return.
    """

    session_id: str
    task_id: str
    group_id: str
    state: Literal["active", "ended", "exported", "expired"]
    started_at: float
    duration: float
    session_reward: float
    interactions: list[dict[str, Any]]
    error: dict[str, str]


class EngineServerRecord(TypedDict):
    url: str
    state: Literal["up", "down", "draining", "unknown"]
    healthy: bool
    requests: int
    waiting: int
    max_inflight: int
    logprobs: str
    completed: int
    failed: int
    aborted: int
    failovers: int
    last_failure: dict[str, Any] | None


class _EngineModels(TypedDict, total=False):
    models: list[dict[str, Any]]


class EngineRecord(_EngineModels):
    """`servers` is empty if the engine runs in the proxy's own process. `models` is absent if the proxy answers one model."""

    type: str
    paused: Literal["abort", "keep"] | None
    servers: list[EngineServerRecord]


class WeightsServerRecord(TypedDict):
    """`url` is `embedded` for the engine in the proxy's own process."""

    url: str
    version: int | None
    state: Literal["pending", "loading", "loaded", "failed", "excluded"]
    seconds: float | None
    error: str | None


class WeightsRecord(TypedDict):
    """A weight update: the last one, or the one that is running."""

    state: Literal["idle", "pausing", "loading", "external", "resuming", "failed"]
    version: int
    target_version: int | None
    mode: str | None
    path: str | None
    started_at: float | None
    paused_seconds: float | None
    checked: bool | None
    not_checked: str | None
    error: str | None
    servers: list[WeightsServerRecord]


class SharedFile(TypedDict):
    """A batch in shared memory: acknowledge `id` when `path` has been read."""

    id: str
    path: str
    byte_length: int
