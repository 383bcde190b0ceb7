"""Runs one group, exports it, and computes what TRL trains on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..batch import Batch
from ..client import AsyncClient
from ..errors import RolltapeError
from ..groups import Group, run_group
from .metrics import Metrics
from .rows import Row, check_images, check_temperatures, read_rows, unrewarded_sessions
from .settings import WorkerSettings


class GroupFailed(Exception):
    """A group without enough accepted episodes, or that could not be exported. The cause is the last failure."""


@dataclass(frozen=True)
class TrainedRow:
    """A row with its advantage, and the standard deviation of its group's rewards."""

    row: Row
    advantage: float
    reward_std: float


async def produce_group(client: AsyncClient, task: Any, settings: WorkerSettings, metrics: Metrics) -> list[TrainedRow]:
    """Returns the rows of one task: none if the group's rewards are equal and such groups are dropped.

    Raises GroupFailed. Raises BatchError if rows cannot be trained on at all. No session is left behind if it raises or
    is cancelled.
    """
    (group,) = await run_group(
        settings.agent,
        [task],
        settings.n,
        client=client,
        timeout=settings.episode_timeout,
        max_concurrency=settings.n,
        reward_scope=settings.reward_scope,
    )
    _count_episodes(group, metrics)
    async with delete_on_failure(client, group.session_ids):
        if len(group.session_ids) < settings.needed_episodes:
            failure = group.errors[-1] if group.errors else None
            raise GroupFailed(
                f"{len(group.session_ids)} of {settings.n} episodes were accepted; {settings.needed_episodes} are needed."
            ) from failure
        try:
            batch = await client.export_batch(group.session_ids, **settings.export_options)
        except RolltapeError as error:
            raise GroupFailed(f"The group could not be exported: {error}") from error
    return _read_group(batch, settings, metrics)


def _read_group(batch: Batch, settings: WorkerSettings, metrics: Metrics) -> list[TrainedRow]:
    check_temperatures(batch, settings.temperature)
    check_images(batch)
    rows = read_rows(batch)
    metrics.count("rows", len(rows))
    metrics.count("untrained_rows", len(batch) - len(rows))
    metrics.count("unrewarded_episodes", len(unrewarded_sessions(batch)))
    if not rows:
        raise GroupFailed(
            f"None of {len(batch)} rows has a trained token and a reward: did the agent call the model and return a reward?"
        )
    advantages = _advantages(batch, settings.advantages)
    rewards = np.array([row.reward for row in rows], np.float64)
    _measure_rows(rows, rewards, metrics)
    equal = bool((rewards == rewards[0]).all())
    metrics.rate("zero_variance_frac", float(equal), 1.0)
    if equal and settings.drop_zero_variance:
        metrics.count("zero_variance_dropped_rows", len(rows))
        return []
    return [TrainedRow(row, float(advantages[row.index]), float(rewards.std())) for row in rows]


def _advantages(batch: Batch, compute: Callable[[Batch], Any]) -> Sequence[float]:
    advantages: NDArray[np.float64] = np.asarray(compute(batch), np.float64)
    if advantages.shape != (len(batch),) or not np.isfinite(advantages).all():
        raise ValueError(
            f"`advantages` must return one finite number for each of {len(batch)} rows; received {advantages!r}."
        )
    return list(advantages)


def _count_episodes(group: Group, metrics: Metrics) -> None:
    failed = sum(not episode.accepted for episode in group.episodes)
    metrics.count("episodes", len(group.episodes))
    metrics.count("failed_episodes", failed)
    metrics.rate("failed_episodes_frac", failed, len(group.episodes))
    for error in group.errors:
        code = error.code if isinstance(error, RolltapeError) else type(error).__name__
        metrics.count(f"failed_episodes/{code}")
    for episode in group.episodes:
        metrics.rate("episode_s", episode.seconds, 1.0)
        metrics.gauge_max("episode_s", episode.seconds)


def _measure_rows(rows: Sequence[Row], rewards: Any, metrics: Metrics) -> None:
    metrics.rate("reward_mean", float(rewards.sum()), len(rewards))
    metrics.rate("reward_std", float(rewards.std()), 1.0)
    metrics.rate("prompt_tokens_mean", sum(row.prompt_tokens for row in rows), len(rows))
    metrics.rate("trained_tokens_mean", sum(row.trained_tokens for row in rows), len(rows))
    metrics.gauge_max("tokens", max(len(row.input_ids) for row in rows))
    metrics.rate("rows_per_session", len(rows), len({row.session_id for row in rows}))


@contextlib.asynccontextmanager
async def delete_on_failure(client: AsyncClient, session_ids: Sequence[str]) -> AsyncIterator[None]:
    """Deletes the sessions if the block raises or is cancelled, because nobody else knows their ids."""
    try:
        yield
    except BaseException:
        deleting = asyncio.gather(*(client.delete_session(each) for each in session_ids), return_exceptions=True)
        await asyncio.shield(deleting)
        raise
