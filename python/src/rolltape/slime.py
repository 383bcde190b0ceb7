"""slime and miles: agents as their custom generate function. `docs/guides/slime.md` has the arguments."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import logging
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from .advantages import group_indices
from .batch import Sample as Row
from .client import AsyncClient
from .client.options import SamplingOverride
from .episode import episode_rows, most_trained_row, trained_rows
from .experts import routed_experts
from .groups import Agent
from .per_loop import PerLoop

__all__ = ["generate_function", "rewards"]

ABORT_SECONDS = 0.2
"""Seconds between two checks whether slime aborts the step."""

_log = logging.getLogger(__name__)


def generate_function(
    agent: Agent[Any],
    *,
    url: str,
    admin_key: str,
    timeout: float | None = None,
    reward_scope: Literal["interaction", "session"] = "interaction",
) -> Callable[..., Awaitable[Any]]:
    """Returns a function for `--custom-generate-function-path`. It runs the agent once for a sample of slime.

    agent: called with the sample and the session, as by `rolltape.run_group`.
    url, admin_key: a proxy in front of slime's router. timeout: seconds that an episode may take.

    In training it returns a list with a sample for each row, in evaluation the sample of one row: that with the most trained
    tokens. A failed episode is a sample with the status `failed`, whose only token is not trained on. When slime aborts the
    rest of a step, the episode is deleted and its sample has the status `aborted`.
    """
    clients = PerLoop(lambda: AsyncClient(url, admin_key))

    async def generate(args: Any, sample: Any, sampling_params: Mapping[str, Any], evaluation: bool = False) -> Any:
        running = asyncio.ensure_future(
            episode_rows(
                await clients.get(),
                agent,
                sample,
                group_id=None if sample.group_index is None else f"group-{sample.group_index}",
                task_id=None if sample.index is None else f"sample-{sample.index}",
                sampling_override=_override(sampling_params),
                split="eval" if evaluation else "train",
                timeout=timeout,
                reward_scope=reward_scope,
            )
        )
        try:
            rows = await _unless_aborted(running, args, sample)
        except Exception as error:
            _log.warning("The episode of sample %s failed: %r", sample.index, error)
            rows = []
        if rows is None:
            aborted = copy.copy(sample)
            aborted.status = sample.Status.ABORTED
            return aborted if evaluation else [aborted]
        trained = trained_rows(rows)
        key = _reward_key(args, evaluation)
        if evaluation:
            return _filled(sample, most_trained_row(trained), key) if trained else _failed(sample, key)
        return [_filled(sample, row, key) for row in trained] or [_failed(sample, key)]

    return generate


def rewards(args: Any, samples: Sequence[Any]) -> tuple[list[float], list[float]]:
    """For `--custom-reward-post-process-path`: returns the rewards, and the rewards relative to their group.

    slime normalizes all rewards of a batch together if an episode has several rows. This counts each episode of a group once.
    Failed episodes do not count, and their relative reward is 0.
    Rows of an episode must have one reward, as those of `generate_function` have.
    """
    raw = [float(sample.get_reward_value(args)) for sample in samples]
    normalized = getattr(args, "rewards_normalization", True) and args.advantage_estimator in (
        *_SCALED,
        "reinforce_plus_plus_baseline",
    )
    if not normalized:
        return raw, raw
    scaled = args.advantage_estimator in _SCALED and args.grpo_std_normalization
    first: dict[Any, int] = {}
    for at, sample in enumerate(samples):
        if not sample.remove_sample:
            first.setdefault(sample.index if sample.rollout_id is None else sample.rollout_id, at)
    group = group_indices([sample.group_index for sample in samples], len(samples))
    relative = np.zeros(len(samples))
    for number in np.unique(group):
        of_episodes = [raw[at] for at in first.values() if group[at] == number]
        members = [at for at, sample in enumerate(samples) if group[at] == number and not sample.remove_sample]
        # The deviation of a sample, as PyTorch's `std`. A group of one has none.
        deviation = np.std(of_episodes, ddof=1) + 1e-6 if scaled and len(of_episodes) > 1 else 1.0
        # Compares, because the mean of equal rewards is rounded.
        if len(set(of_episodes)) > 1:
            relative[members] = (np.array(raw)[members] - np.mean(of_episodes)) / deviation
    return raw, relative.tolist()


_SCALED = ("grpo", "gspo", "cispo")


async def _unless_aborted(running: asyncio.Future[list[Row]], args: Any, sample: Any) -> list[Row] | None:
    """Returns the rows; None if slime aborts the step first. slime then waits for the other samples and discards them."""
    try:
        while not running.done():
            if _is_aborted(args, sample):
                return None
            await asyncio.wait({running}, timeout=ABORT_SECONDS)
        return running.result()
    finally:
        # An episode that is cancelled deletes its session, which ends its model call.
        if running.cancel():
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await running


def _is_aborted(args: Any, sample: Any) -> bool:
    # slime's or miles' own state of the step, if their rollout function runs.
    rollout = sys.modules.get(f"{type(sample).__module__.partition('.')[0]}.rollout.sglang_rollout")
    return rollout is not None and bool(rollout.GenerateState(args).aborted)


def _override(params: Mapping[str, Any]) -> SamplingOverride:
    return {
        "temperature": float(params["temperature"]),
        "top_p": float(params["top_p"]),
        # -1 is no limit. It is set too, so that it replaces the agent's value.
        "top_k": int(params["top_k"]),
        "max_tokens": int(params["max_new_tokens"]),
    }


def _reward_key(args: Any, evaluation: bool) -> str | None:
    of_evaluation = getattr(args, "eval_reward_key", None) if evaluation else None
    key: str | None = of_evaluation or getattr(args, "reward_key", None)
    return key


def _filled(sample: Any, row: Row, reward_key: str | None) -> Any:
    filled = copy.copy(sample)
    filled.tokens = [*row.prompt_ids.tolist(), *row.response_ids.tolist()]
    filled.response_length = len(row.response_ids)
    filled.loss_mask = row.response_mask.tolist()
    filled.rollout_log_probs = row.response_logprobs.tolist()
    filled.weight_versions = [str(version) for version in np.unique(row.response_versions[row.response_mask == 1])]
    filled.reward = row.episode_reward if reward_key is None else {reward_key: row.episode_reward}
    experts = routed_experts(row, np.int32)
    if experts is not None:
        filled.rollout_routed_experts = experts
    filled.status = sample.Status.TRUNCATED if row.truncated else sample.Status.COMPLETED
    # slime averages the loss over the rows of an episode by this id.
    filled.rollout_id = sample.index
    filled.metadata = {**(sample.metadata or {}), "rolltape_session_id": row.session_id}
    return filled


def _failed(sample: Any, reward_key: str | None) -> Any:
    """Groups must be complete, so a failed episode has a row too. It needs a token, which is not trained on."""
    failed = copy.copy(sample)
    failed.tokens, failed.response_length = [0, 0], 1
    failed.loss_mask, failed.rollout_log_probs, failed.weight_versions = [0], [0.0], []
    failed.reward = 0.0 if reward_key is None else {reward_key: 0.0}
    failed.status, failed.remove_sample, failed.rollout_id = sample.Status.FAILED, True, sample.index
    return failed
