"""Batches with channels of token values, for the tests of what trainers take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from rolltape import Batch, Sample


def with_experts(batch: Batch) -> Batch:
    """Adds routed experts that follow from the ids, of shape [2, 3], for all tokens but the last of each row."""
    ids = batch["input_ids"]
    experts = ((ids[..., None, None] + np.arange(6).reshape(2, 3)) % 200).astype(np.uint8)
    mask = np.zeros(ids.size, bool)
    mask[batch.places.flat] = True
    mask[batch.places.flat[batch.places.bounds[1:] - 1]] = False
    channels = [{"name": "routed_experts", "of": "sequence", "mask": "routed_experts_mask"}]
    tensors = {"routed_experts": experts, "routed_experts_mask": mask.reshape(ids.shape)}
    return Batch({**batch.tensors, **tensors}, {**batch.metadata, "channels": json.dumps(channels)})


def experts_of(ids: Sequence[int]) -> list[Any]:
    """Returns the experts that `with_experts` gives to tokens."""
    return [[[(token + 3 * layer + slot) % 200 for slot in range(3)] for layer in range(2)] for token in ids]


def with_masks(batch: Batch) -> Batch:
    """Adds sampling masks of the trained tokens that follow from the ids: the id and id % 3 others."""
    ids = batch["input_ids"].reshape(-1)
    counts = np.where(batch["loss_mask"].reshape(-1) == 1, ids % 3 + 1, 0)
    firsts = np.repeat(np.cumsum(counts) - counts, counts)
    kept = np.repeat(ids, counts) + np.arange(counts.sum()) - firsts
    channels = [{"name": "kept_ids", "of": "output", "offsets": "kept_offsets"}]
    tensors = {
        "kept_ids": kept.astype(np.int32),
        "kept_offsets": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    }
    return Batch({**batch.tensors, **tensors}, {**batch.metadata, "channels": json.dumps(channels)})


def masks_of(sample: Sample) -> list[list[int]]:
    """Returns the masks that `with_masks` gives to the response tokens of a sample."""
    pairs = zip(sample.response_ids.tolist(), sample.response_mask.tolist(), strict=True)
    return [list(range(token, token + token % 3 + 1)) if trained else [] for token, trained in pairs]
