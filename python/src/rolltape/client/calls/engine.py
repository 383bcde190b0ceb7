"""Calls about engine servers. Those that change something raise ConflictError `no_engine_servers` for an embedded engine."""

from __future__ import annotations

from typing import Literal

from ..call import DEFAULT_TIMEOUT, Call, read_object, without_none
from ..records import EngineRecord, EngineServerRecord


def engine(*, timeout: float = DEFAULT_TIMEOUT) -> Call[EngineRecord]:
    """Returns the engine servers with their state and their requests."""
    return Call("GET", "/rl/engine", read_object, timeout=timeout)


def drain_engine(url: str, *, wait_seconds: float = 0.0, timeout: float = DEFAULT_TIMEOUT) -> Call[EngineServerRecord]:
    """Sends a server no more requests. Returns it when it has none left, or when `wait_seconds` are over."""
    body = {"url": url, "wait_seconds": wait_seconds}
    return Call("POST", "/rl/engine/drain", read_object, body, timeout=timeout + wait_seconds)


def restore_engine(url: str, *, timeout: float = DEFAULT_TIMEOUT) -> Call[EngineServerRecord]:
    """Sends a drained server requests again."""
    return Call("POST", "/rl/engine/restore", read_object, {"url": url}, timeout=timeout)


def pause_engine(
    mode: Literal["abort", "keep"] = "abort", *, model: str | None = None, timeout: float = DEFAULT_TIMEOUT
) -> Call[EngineRecord]:
    """Pauses all servers. `abort` cuts running requests and resumes them afterwards, `keep` freezes them.

    model: the model to pause, of a server with `engines`. Default: every model that is not frozen.
    """
    return Call("POST", "/rl/engine/pause", read_object, without_none(mode=mode, model=model), timeout=timeout)


def resume_engine(*, model: str | None = None, timeout: float = DEFAULT_TIMEOUT) -> Call[EngineRecord]:
    """Ends the pause. model: as for pause_engine."""
    return Call("POST", "/rl/engine/resume", read_object, without_none(model=model) or None, timeout=timeout)
