"""Rewards of an agent on tasks that are not trained on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..groups import EpisodeRunner, Group, Reward


@dataclass(frozen=True)
class Evaluation:
    """The result of `Step.evaluate`.

    rewards: for each task, the reward of each accepted episode. A mapping of rewards counts with its sum, no reward as 0.
    failed: number of episodes that failed.
    """

    rewards: list[list[float]]
    failed: int

    @property
    def mean(self) -> float:
        """The mean over tasks; a task counts with the mean of its episodes, or 0 if all failed."""
        return (
            float(np.mean([np.mean(rewards) if rewards else 0.0 for rewards in self.rewards])) if self.rewards else 0.0
        )


async def evaluate(runner: EpisodeRunner, tasks: Sequence[Any], n: int) -> Evaluation:
    """Runs the agent `n` times on each task, and deletes the sessions."""
    groups = await runner.run(list(enumerate(tasks)), n)
    await delete_sessions(runner, groups)
    rewards = [[total_reward(each.reward) for each in group.episodes if each.accepted] for group in groups]
    return Evaluation(rewards, sum(len(group.errors) for group in groups))


async def delete_sessions(runner: EpisodeRunner, groups: Sequence[Group]) -> None:
    ids = [session_id for group in groups for session_id in group.session_ids]
    # A session that cannot be deleted now is freed when it expires.
    await asyncio.gather(*(runner.client.delete_session(each) for each in ids), return_exceptions=True)


def total_reward(reward: Reward) -> float:
    """Returns what an episode's reward adds up to."""
    if reward is None:
        return 0.0
    return float(sum(reward.values()) if isinstance(reward, Mapping) else reward)
