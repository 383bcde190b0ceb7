"""Which logits predict each token."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .safetensors import Array

if TYPE_CHECKING:
    from .batch import Batch


def predecessors(batch: Batch) -> Array:
    """Returns int64 in the shape of `input_ids`: index of the token whose logits predict each token.

    Indices count through the flattened token tensors. -1: no logits predict the token, because it is the first of its row
    or tree, or padding. In layout `tree`, the predecessor of a node's first own token is in the node that it branches from.
    """
    before = np.full(batch["input_ids"].size, -1, np.int64)
    for place, own in zip(batch.places.all, batch.places.own, strict=True):
        begin = max(len(place) - own, 1)
        before[place[begin:]] = place[begin - 1 : -1]
    return before.reshape(batch["input_ids"].shape)
