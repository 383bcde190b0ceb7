"""The rows of a batch as plain Python lists, for trainers that have sample types of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .batch import Batch


@dataclass(frozen=True)
class Turn:
    """A model call within a response.

    start, end: its output is response_ids[start:end].
    own_reward: the reward that was set for the call itself; None without one.
    finish_reason: why it ended; `length`: it reached its token limit.
    interaction: index of the call in its session.
    """

    start: int
    end: int
    own_reward: float | None
    finish_reason: str | None
    interaction: int


@dataclass(frozen=True)
class Sample:
    """One row. The response begins with the first token that is trained on, so it may contain prompts of later turns.

    prompt_ids: token ids before the response.
    response_ids: token ids from the first output token to the row's end.
    response_mask: 1 at tokens that the model sampled and that are trained on, else 0. As long as response_ids.
    response_logprobs: recorded log probabilities in nats; 0 where the mask is 0.
    response_versions: weight version of each token; -1 at tokens of prompts.
    reward: the row's reward, after discount.
    temperature: divisor of the logits that reproduces response_logprobs; 1 without row tensors. See also
        `mixed_temperatures` in docs/reference/batch-format.md.
    session_id, task_id, group_id, interaction_id: where the row comes from. group_id is None without a group.
    episode_reward: what the agent returned for the whole session, undiscounted; 0 without any reward.
    episode_return: the same, discounted from the first turn.
    session_row, is_last: position among the session's rows of the export, from 0, and whether it is the last one.
    truncated: the last turn reached its token limit, or the export cut the row.
    finish_reason: why the last turn ended.
    min_version, max_version: lowest and highest weight version of the trained tokens; -1 without any.
    created_at: when the last turn completed, in seconds since the Unix epoch.
    turns: the calls that the row trains on. Empty unless the batch was exported with `turns=True`.

    Without row tensors, temperature is 1, and the fields from episode_reward on have the values of a single row without
    rewards.
    """

    prompt_ids: list[int]
    response_ids: list[int]
    response_mask: list[int]
    response_logprobs: list[float]
    response_versions: list[int]
    reward: float
    temperature: float
    session_id: str
    task_id: str
    group_id: str | None
    interaction_id: str
    episode_reward: float = 0.0
    episode_return: float = 0.0
    session_row: int = 0
    is_last: bool = True
    truncated: bool = False
    finish_reason: str | None = None
    min_version: int = -1
    max_version: int = -1
    created_at: float = 0.0
    turns: Sequence[Turn] = ()


def to_samples(batch: Batch) -> list[Sample]:
    ids, mask, logprobs, versions = (
        batch[name].reshape(-1) for name in ("input_ids", "loss_mask", "logprobs", "versions")
    )
    temperatures = batch["row_temperature"] if "row_temperature" in batch else np.ones(len(batch))
    described = _described(batch)
    samples = []
    for row, (info, place, own) in enumerate(zip(batch.rows, batch.places.all, batch.places.own, strict=True)):
        row_mask = mask[place].copy()
        # In a tree, the outputs of earlier nodes are trained on in their own rows.
        row_mask[: len(place) - own] = 0
        trained = np.flatnonzero(row_mask)
        start = int(trained[0]) if len(trained) else len(place)
        response, trains = place[start:], row_mask[start:]
        samples.append(
            Sample(
                prompt_ids=ids[place[:start]].tolist(),
                response_ids=ids[response].tolist(),
                response_mask=trains.tolist(),
                response_logprobs=np.where(trains == 1, logprobs[response], 0).tolist(),
                response_versions=np.where(trains == 1, versions[response], -1).tolist(),
                reward=float(batch.rewards[row]),
                temperature=float(temperatures[row]),
                session_id=info["session_id"],
                task_id=info["task_id"],
                group_id=info.get("group_id"),
                interaction_id=info["interaction_id"],
                turns=_turns(batch, row, start),
                **described[row],
            )
        )
    return samples


def _described(batch: Batch) -> list[dict[str, Any]]:
    """Returns the fields of each sample that row columns have."""
    if "row_session_row" not in batch:
        return [{}] * len(batch)
    names = ("episode_reward", "episode_return", "session_row", "truncated", "min_version", "max_version")
    columns: dict[str, list[Any]] = {name: batch.column(name).tolist() for name in names}
    columns["is_last"] = (batch.column("session_row") == batch.column("session_rows") - 1).tolist()
    columns["finish_reason"] = list(batch.texts("finish_reason"))
    columns["created_at"] = (batch.column("created_at") + batch.column("created_at_ms") / 1000).tolist()
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _turns(batch: Batch, row: int, response_start: int) -> Sequence[Turn]:
    if "cu_turns" not in batch:
        return ()
    first, last = batch["cu_turns"][row : row + 2].tolist()
    return tuple(
        Turn(
            start=int(batch["turn_start"][turn]) - response_start,
            end=int(batch["turn_end"][turn]) - response_start,
            own_reward=float(batch["turn_own_reward"][turn]) if batch["turn_has_reward"][turn] else None,
            finish_reason=batch.text("finish_reason", int(batch["turn_finish_reason"][turn])),
            interaction=int(batch["turn_interaction"][turn]),
        )
        for turn in range(first, last)
    )
