"""The rows of a batch as plain Python lists, for trainers that have sample types of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .batch import Batch


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
    session_id, group_id, interaction_id: where the row comes from. group_id is None without a group.
    """

    prompt_ids: list[int]
    response_ids: list[int]
    response_mask: list[int]
    response_logprobs: list[float]
    response_versions: list[int]
    reward: float
    temperature: float
    session_id: str
    group_id: str | None
    interaction_id: str


def to_samples(batch: Batch) -> list[Sample]:
    ids, mask, logprobs, versions = (
        batch[name].reshape(-1) for name in ("input_ids", "loss_mask", "logprobs", "versions")
    )
    temperatures = batch["row_temperature"] if "row_temperature" in batch else np.ones(len(batch))
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
                group_id=info.get("group_id"),
                interaction_id=info["interaction_id"],
            )
        )
    return samples
