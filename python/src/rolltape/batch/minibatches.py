"""Splits a batch by a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .safetensors import Array
from .select import select, select_range

if TYPE_CHECKING:
    from .batch import Batch


def minibatches(batch: Batch, max_tokens: int, sort: bool) -> Iterator[Batch]:
    """Yields parts of at most `max_tokens` tokens. See Batch.minibatches."""
    is_tree = batch.layout == "tree"
    # A tree is not split.
    lengths = np.diff(batch["cu_trees"]).astype(np.int64) if is_tree else batch.places.own
    longest = int(lengths.max(initial=1))
    if max_tokens < longest:
        unit = "tree" if is_tree else "row"
        raise ValueError(f"max_tokens must be at least {longest}, the longest {unit}; received {max_tokens}.")
    if sort and not is_tree:
        order = np.argsort(lengths, kind="stable")
        for first, last in _parts(lengths[order], max_tokens, batch.layout):
            yield select(batch, order[first:last])
        return
    firsts = batch.tree_starts if is_tree else np.arange(len(batch) + 1)
    for first, last in _parts(lengths, max_tokens, batch.layout):
        yield select_range(batch, int(firsts[first]), int(firsts[last]))


def _parts(lengths: Array, max_tokens: int, layout: str) -> Iterator[tuple[int, int]]:
    """Fills one part after the other. A padded part has the tokens of its longest row in each row."""
    sums = np.concatenate([[0], np.cumsum(lengths)])
    first = 0
    while first < len(lengths):
        last = int(np.searchsorted(sums, sums[first] + max_tokens, "right")) - 1
        if layout == "padded":
            # Padding only adds to the sum of the lengths, so the part ends here at the latest.
            padded = np.maximum.accumulate(lengths[first:last]) * np.arange(1, last - first + 1)
            last = first + int(np.searchsorted(padded, max_tokens, "right"))
        yield first, last
        first = last
