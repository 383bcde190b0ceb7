"""Batches of rollouts for a trainer, one step after the other."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ..client import AsyncClient
from ..errors import RolltapeError
from ..groups import Agent, EpisodeRunner, Group
from ..server import Server, serve
from ..trackers import Tracker
from .closing_iterator import closing
from .metrics import MetricsLog, describe_batch, describe_groups
from .run_state import FILE, RunState, load_state
from .step import Step
from .task_pool import TaskPool

_log = logging.getLogger(__name__)

# One row for each path of a conversation. A call that does not continue its parent's tokens exactly begins a new row.
EXPORT: Mapping[str, Any] = {"layout": "packed", "style": "concat", "on_mismatch": "split", "turns": True}


@closing
async def rollouts(
    agent: Agent[Any],
    tasks: Iterable[Any],
    *,
    server: Mapping[str, Any] | AsyncClient | None = None,
    n: int = 8,
    batch_tasks: int = 8,
    steps: int | None = None,
    epochs: int = 1,
    max_staleness: int = 0,
    directory: str | os.PathLike[str] | None = None,
    export: Mapping[str, Any] = EXPORT,
    timeout: float | None = 600.0,
    max_concurrency: int = 64,
    reward_scope: Literal["interaction", "session"] = "interaction",
    min_accepted: int = 1,
    max_failed_groups: int = 32,
    trackers: Sequence[str | Tracker] = (),
    project: str = "rolltape",
    name: str | None = None,
) -> AsyncGenerator[Step, None]:
    """Runs the agent `n` times on each task, and yields a Step for every `batch_tasks` of them. Use it in `async for`.

    When the loop asks for the next step, the batch of the last one is acknowledged and closed. When the loop ends, by
    itself, `break`, an exception or Ctrl-C, all groups are stopped, their sessions are deleted, and a server of this call is
    stopped. Keep the iterator in `contextlib.aclosing` if this must be done before the line after the loop runs.

    server: settings of a server to start, as `serve` takes them, or the client of one that runs on this machine.
    steps: the number of steps of the whole run; None: until the tasks are used up. epochs: how often a sequence of tasks is
        repeated.
    max_staleness: how many steps a group may begin before the step that trains on it. 0: no group runs during a step.
    directory: where the state is kept, and the metrics of each step in `metrics.jsonl`. If it has a state, the run goes on
        after its last step, with its weights: tasks that no step has had are run, in the same order. See `load_state`.
    export: options of the export of each batch.
    timeout, max_concurrency, reward_scope: as of `run_group`.
    trackers: where the metrics are shown: `wandb`, `trackio`, `tensorboard`, or objects with `log` and `close`.
    project, name: of the run there.
    min_accepted: groups with fewer accepted episodes are left out. max_failed_groups: this many in a row end the run.

    Raises RolltapeError `groups_failed`, or `weights_unknown` if the run ended in its first update and the engine has kept
    the new weights.
    """
    if n < 1 or batch_tasks < 1 or max_staleness < 0:
        raise ValueError(
            "n and batch_tasks must be at least 1, and max_staleness at least 0; "
            f"received {n}, {batch_tasks} and {max_staleness}."
        )
    state = RunState() if directory is None else load_state(directory)
    async with contextlib.AsyncExitStack() as stack:
        folder = None if directory is None else Path(directory)
        log = MetricsLog(stack, folder, trackers, project, name)
        log.cut(state.step)
        if isinstance(server, AsyncClient):
            client, started = server, None
        else:
            started = _start(stack, server)
            client = await stack.enter_async_context(AsyncClient(started.url, started.admin_key))
        await _restore(client, state, folder)
        runner = EpisodeRunner(agent, client, timeout, max_concurrency, reward_scope)
        pool = TaskPool(
            runner,
            _remaining(tasks, epochs, state),
            n=n,
            batch_tasks=batch_tasks,
            max_staleness=max_staleness,
            min_accepted=min_accepted,
            max_failed_groups=max_failed_groups,
            ended_steps=state.step,
        )
        stack.push_async_callback(pool.close)
        while steps is None or state.step < steps:
            began = time.monotonic()
            groups, ages = await pool.take()
            if not groups:
                _refuse_to_end_without_a_step(state, pool.dropped)
                return
            taken = time.monotonic()
            ids = [session_id for group in groups for session_id in group.session_ids]
            async with client.shared_batch(ids, **export) as batch:
                exported = time.monotonic()
                metrics = {**describe_groups(groups, pool.dropped, ages), **describe_batch(batch)}
                metrics |= {"time/rollout_seconds": taken - began, "time/export_seconds": exported - taken}
                dropped = list(pool.dropped)
                yield Step(state.step, state.version, groups, dropped, batch, metrics, started, runner, state)
                metrics["time/training_seconds"] = time.monotonic() - exported
            metrics["time/step_seconds"] = time.monotonic() - began
            for group in [*groups, *pool.dropped]:
                state.note_task(group.index)
            pool.dropped.clear()
            log.add(state.step, state.version, metrics)
            state.step += 1
            if folder is not None:
                state.save(folder)
            pool.end_step()


def _start(stack: contextlib.AsyncExitStack, settings: Mapping[str, Any] | None) -> Server:
    # Only this program can export the sessions, so the shutdown need not wait for exports.
    # The start blocks the event loop: a start that is cancelled halfway would leave a process behind.
    server = stack.enter_context(serve({"server.shutdown_seconds": 0, **(settings or {})}))
    for problem in server.ready.get("not_ready", []):
        _log.warning("%s: %s", problem["key"], problem["message"])
    return server


async def _restore(client: AsyncClient, state: RunState, folder: Path | None) -> None:
    """Gives the engine the weights of the run's last step. A new run begins with those that the engine has."""
    if state.weights is not None:
        await client.update_weights(state.version, state.weights)
        return
    version = (await client.weights())["version"]
    # A trainer that sets versions itself, without `update_weights`, loads its own weights.
    if state.step == 0 and folder is not None and (folder / FILE).exists() and version != state.version:
        raise RolltapeError(
            "weights_unknown",
            f"The run in {folder} ended in its first update: the engine has weight version {version}, and the run began "
            f"with version {state.version}. Load the weights it began with (update_weights), or start the server anew.",
        )
    state.version = version
    if folder is not None:
        state.save(folder)


def _refuse_to_end_without_a_step(state: RunState, dropped: Sequence[Group]) -> None:
    if state.step == 0 and dropped:
        message = f"All {len(dropped)} groups had fewer accepted episodes than `min_accepted`, so the run has no step."
        raise RolltapeError("groups_failed", message) from next(iter(dropped[0].errors), None)


def _remaining(tasks: Iterable[Any], epochs: int, state: RunState) -> Iterator[tuple[int, Any]]:
    """Yields the tasks that no step has had, with their index in the run."""
    repeated = (task for _ in range(epochs) for task in tasks) if isinstance(tasks, Sequence) else tasks
    for index, task in enumerate(repeated):
        if not state.has_had(index):
            yield index, task
