"""Every call of the HTTP API, once. Each function returns a Call; the clients send it."""

from .engine import drain_engine, engine, pause_engine, restore_engine, resume_engine
from .exports import (
    acknowledge,
    export_batch,
    export_batch_to,
    export_held_batch,
    export_sessions_to,
    export_shared_files,
    export_trajectories,
)
from .service import grant_capacity, health, livez, metrics, models, openapi, set_version
from .sessions import (
    delete_session,
    end_session,
    end_sessions,
    get_session,
    list_sessions,
    set_reward,
    set_session_reward,
    start_session,
    transcript,
    transcripts,
)
from .weights import abandon_weights, begin_weights, finish_weights, update_weights, weights

__all__ = [
    "abandon_weights",
    "acknowledge",
    "begin_weights",
    "delete_session",
    "drain_engine",
    "end_session",
    "end_sessions",
    "engine",
    "export_batch",
    "export_batch_to",
    "export_held_batch",
    "export_sessions_to",
    "export_shared_files",
    "export_trajectories",
    "finish_weights",
    "get_session",
    "grant_capacity",
    "health",
    "list_sessions",
    "livez",
    "metrics",
    "models",
    "openapi",
    "pause_engine",
    "restore_engine",
    "resume_engine",
    "set_reward",
    "set_session_reward",
    "set_version",
    "start_session",
    "transcript",
    "transcripts",
    "update_weights",
    "weights",
]
