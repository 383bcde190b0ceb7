"""Environments of verifiers 0.4: a taskset, and agents that play its tasks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from ..errors import RolltapeError
from ..per_loop import PerLoop
from .load import MODEL

if TYPE_CHECKING:
    from .load import EpisodeContext


def load_taskset(
    environment: Any, sampling: Mapping[str, Any], arguments: Mapping[str, Any]
) -> tuple[TasksetAgent, Iterable[dict[str, Any]]]:
    import verifiers.v1 as vf

    if isinstance(environment, str):
        taskset = {**dict(arguments.get("taskset") or {}), "id": environment}
        environment = vf.resolve_env_config({**arguments, "taskset": taskset})
    elif arguments:
        raise TypeError(f"Pass {', '.join(arguments)} to the environment itself: it has its configuration already.")
    if isinstance(environment, vf.EnvConfig):
        environment = vf.load_environment(environment)
    rows = _list_rows(environment.taskset)
    return TasksetAgent(environment, sampling), list(rows) if environment.taskset.bounded else rows


def _list_rows(taskset: Any) -> Iterator[dict[str, Any]]:
    for task in taskset:
        yield task.data.model_dump(mode="json")


class TasksetAgent:
    """See `EnvironmentAgent`."""

    def __init__(self, environment: Any, sampling: Mapping[str, Any]) -> None:
        import verifiers.v1 as vf

        self.environment, self.sampling = environment, vf.SamplingConfig.model_validate(sampling)
        self._task_class = type(environment.taskset).task_type()
        self._serving = PerLoop(lambda: _serve(environment))

    async def __call__(self, task: Mapping[str, Any], session: EpisodeContext) -> float:
        import verifiers.v1 as vf
        from verifiers.v1.clients import ModelContext

        environment = await self._serving.get()
        # verifiers reads keys from the environment of the process, and then sends `EMPTY` in one of these headers.
        headers = {"authorization": f"Bearer {session.api_key}", "x-api-key": session.api_key}
        client = vf.EvalClientConfig(base_url=f"{session.base_url}/v1", api_key_var="ROLLTAPE_NO_KEY", headers=headers)
        data = self._task_class.data_type().model_validate(task)
        episode = await environment.run_episode(
            self._task_class(data, environment.config.taskset.task),
            ModelContext(client=client, model=MODEL, sampling=self.sampling),
        )
        return _reward_of(episode)


@asynccontextmanager
async def _serve(environment: Any) -> AsyncIterator[Any]:
    """Starts the servers that all rollouts share, except for the interception server that model calls go through.

    A shared one would keep a client for each session key until it ends. Without it, each rollout starts its own.
    """
    async with environment.serving():
        environment._interception = None
        yield environment


def _reward_of(episode: Any) -> float:
    if not episode.ok:
        errors = [*episode.errors, *(error for trace in episode.traces for error in trace.errors)]
        reasons = "; ".join(f"{error.type}: {error.message}" for error in errors) or "no reason is given"
        raise RolltapeError("environment_failed", f"The rollout ended with an error: {reasons}")
    trained = [trace for trace in episode.traces if trace.agent.trainable]
    if len(trained) != 1:
        names = ", ".join(trace.agent.name for trace in trained) or "none"
        message = (
            f"A session has one reward, so exactly one agent of the environment can be trainable; received {names}."
        )
        raise RolltapeError("environment_failed", message)
    return float(trained[0].reward)
