"""The rollout function of TRL's GRPOTrainer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ..client import AsyncClient
from ..errors import RolltapeError
from ..groups import Group, run_group
from .produce_group import delete_on_failure
from .rows import Row, check_images, check_temperatures, read_rows, unrewarded_sessions
from .settings import EXPORT

if TYPE_CHECKING:
    from ..groups import Agent

T = TypeVar("T")


def make_rollout_func(
    url: str,
    admin_key: str,
    agent: Agent[Any],
    *,
    to_task: Callable[[Any], Any] | None = None,
    max_concurrency: int = 64,
    episode_timeout: float | None = 600.0,
    reward_scope: Literal["interaction", "session"] = "interaction",
    max_attempts: int = 3,
    several_rows: Literal["error", "longest"] = "error",
    export: dict[str, Any] | None = None,
) -> Callable[[list[Any], Any], dict[str, Any]]:
    """Returns a function for `GRPOTrainer(rollout_func=…)` that runs one episode for each prompt.

    url, admin_key: the proxy or gateway.
    agent: called as `agent(task, session)`; returns the reward. `rollout_reward` gives it to the trainer.
    to_task: makes the task from a prompt of the dataset; by default, the prompt is the task.
    max_concurrency: episodes that run at once. episode_timeout: seconds that each may take.
    max_attempts: how often a prompt's episode is run until one is accepted. The trainer needs a row for every prompt.
    several_rows: what to do if a conversation branches or does not continue its tokens, because TRL takes one row for each
        prompt. `longest` trains on the row with the most trained tokens. Its reward is that of the whole episode.
    export: further options of the export, such as `{"discount": 0.9}`.

    The function raises RolltapeError `episodes_failed` or `several_rows`, BatchError `greedy_rows` or `other_temperature` if a
    call had another temperature than the trainer, and BatchError `images_refused` if a row has an image after the first answer.
    """
    if max_attempts < 1:
        raise ValueError(f"max_attempts must be at least 1; received {max_attempts}.")
    # Of an episode's rows only one is taken, so it trains on all its turns.
    options = {
        **EXPORT,
        "shared_turns": "every",
        **(export or {}),
        "style": "concat",
        "layout": "packed",
        "turns": True,
    }

    async def run_once(client: AsyncClient, tasks: Sequence[Any], temperature: float) -> list[Row | Exception]:
        groups = await run_group(
            agent,
            tasks,
            1,
            client=client,
            timeout=episode_timeout,
            max_concurrency=max_concurrency,
            reward_scope=reward_scope,
        )
        session_ids = [session_id for group in groups for session_id in group.session_ids]
        if not session_ids:
            return [_failure(group) for group in groups]
        async with delete_on_failure(client, session_ids):
            batch = await client.export_batch(session_ids, **options)
        check_temperatures(batch, temperature)
        check_images(batch, in_prompts=True)
        unrewarded = set(unrewarded_sessions(batch))
        rows: dict[str, list[Row]] = {}
        for row in read_rows(batch):
            rows.setdefault(row.session_id, []).append(row)
        return [_choose_row(group, rows, unrewarded, several_rows) for group in groups]

    async def run_all(prompts: list[Any], temperature: float) -> list[Row]:
        tasks = prompts if to_task is None else [to_task(prompt) for prompt in prompts]
        found: dict[int, Row] = {}
        failure: Exception | None = None
        async with AsyncClient(url, admin_key) as client:
            for _ in range(max_attempts):
                waiting = [index for index in range(len(tasks)) if index not in found]
                results = await run_once(client, [tasks[index] for index in waiting], temperature)
                for index, result in zip(waiting, results, strict=True):
                    if isinstance(result, Row):
                        found[index] = result
                    else:
                        failure = result
                if len(found) == len(tasks):
                    return [found[index] for index in range(len(tasks))]
        raise RolltapeError(
            "episodes_failed",
            f"{len(tasks) - len(found)} of {len(tasks)} prompts have no accepted episode after {max_attempts} attempts. "
            f"The last failure: {failure}",
        ) from failure

    def rollout_func(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        return _to_fields(_run(lambda: run_all(prompts, float(trainer.temperature))))

    return rollout_func


def _to_fields(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "prompt_ids": [row.input_ids[: row.prompt_tokens] for row in rows],
        "completion_ids": [row.input_ids[row.prompt_tokens :] for row in rows],
        "logprobs": [row.logprobs[row.prompt_tokens :] for row in rows],
        "env_mask": [row.mask[row.prompt_tokens :] for row in rows],
        "rollout_reward": [row.reward for row in rows],
    }


def _choose_row(group: Group, rows: dict[str, list[Row]], unrewarded: set[str], several: str) -> Row | Exception:
    if not group.session_ids:
        return _failure(group)
    (session_id,) = group.session_ids
    if session_id in unrewarded:
        return RolltapeError("reward_missing", f"Session {session_id} has no reward: the agent must return one.")
    found = rows.get(session_id, [])
    if not found:
        return RolltapeError("no_trained_tokens", f"Session {session_id} has no trained token: no call was recorded.")
    if len(found) > 1 and several == "error":
        raise RolltapeError(
            "several_rows",
            f"The conversation of session {session_id} has {len(found)} rows, because it branches or does not continue its "
            "tokens; GRPOTrainer takes one row for each prompt. Use AsyncGRPOTrainer with RolloutWorker, which takes all, "
            "or several_rows='longest'.",
        )
    return max(found, key=lambda row: row.trained_tokens)


def _failure(group: Group) -> Exception:
    error = group.errors[-1]
    return error if isinstance(error, Exception) else RuntimeError(repr(error))


def _run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs a coroutine to its end: in this thread, or in another one if this thread has an event loop, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(work())).result()
