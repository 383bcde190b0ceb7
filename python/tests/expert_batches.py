"""Batches with routed experts, for the tests of what trainers take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from rolltape import Batch


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
