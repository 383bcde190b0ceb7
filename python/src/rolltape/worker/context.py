"""What an agent is told about its episode."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AgentContext:
    """Second argument of an agent: ``solve(task, context)``."""

    base_url: str
    """Address of the proxy, without ``/v1``. The SDKs of OpenAI and Anthropic accept it as their base URL."""

    api_key: str
    """The session key: every call made with it belongs to this episode."""

    task_id: str | None
    """Id of the task; None if the caller gave none."""

    group_id: str | None
    """Id of the group of episodes; None if there is no group."""
