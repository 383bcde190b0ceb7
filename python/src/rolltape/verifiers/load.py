"""Turns an environment of verifiers into an agent and its tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

MODEL = "policy"
"""The name under which the environment calls the model. The proxy answers to any name."""


class EpisodeContext(Protocol):
    """The part of a session that an agent uses. `AsyncSession` and the context of `rolltape rollout` workers have it."""

    @property
    def base_url(self) -> str: ...

    @property
    def api_key(self) -> str: ...


class EnvironmentAgent(Protocol):
    """Runs one rollout of the environment on a task, with the key of the episode, and returns its reward.

    Raises RolltapeError `environment_failed` if the rollout ended with an error.
    """

    async def __call__(self, task: Mapping[str, Any], session: EpisodeContext) -> float: ...


def load(
    environment: Any, *, sampling: Mapping[str, Any] | None = None, **arguments: Any
) -> tuple[EnvironmentAgent, Iterable[dict[str, Any]]]:
    """Returns the agent and the tasks of an environment.

    environment: its name, as for `vf.load_environment`, or the loaded environment. In verifiers 0.4: the name of a taskset, an
        `EnvConfig` or a loaded `Env`.
    sampling: arguments of model calls, such as `{"max_tokens": 512}`. They replace those of the environment.
    arguments: of the environment with this name. In verifiers 0.4: fields of its `EnvConfig`.

    The tasks are a list: the rows of its training dataset, or of its evaluation dataset if it has no other. An infinite taskset
    of verifiers 0.4 gives an iterator.
    """
    import verifiers

    if hasattr(verifiers, "Environment"):
        from .classic import load_classic

        return load_classic(environment, dict(sampling or {}), arguments)
    from .tasksets import load_taskset

    return load_taskset(environment, dict(sampling or {}), arguments)
