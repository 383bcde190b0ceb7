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
    before: Array = np.arange(-1, batch["input_ids"].size - 1)
    places = batch.places
    filled = np.flatnonzero(places.own)
    before[places.begins[filled]] = -1
    if batch.layout == "padded":
        before = before.reshape(batch["input_ids"].shape)
        np.putmask(before, ~batch["attention_mask"], -1)
        return before
    if batch.layout == "tree":
        nodes = filled[places.lengths[filled] > places.own[filled]]
        before[places.begins[nodes]] = _before_nodes(batch, nodes)
    return before


def _before_nodes(batch: Batch, nodes: Array) -> Array:
    """Returns the token before the first own token of these nodes: token number `lengths - own - 1` of the parent's row."""
    places, parents = batch.places, batch["node_parents"].astype(np.int64)
    firsts = places.lengths - places.own
    wanted, holder = firsts[nodes] - 1, parents[nodes]
    # As many rounds as ancestors that hold the token only as a shared one: none, except after nodes without own tokens.
    while (above := wanted < firsts[holder]).any():
        holder = np.where(above, parents[holder], holder)
    return np.asarray(places.begins[holder] + wanted - firsts[holder])
