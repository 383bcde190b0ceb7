"""Splits a batch by a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .select import select, tree_starts

if TYPE_CHECKING:
    from .batch import Batch


def minibatches(batch: Batch, max_tokens: int, sort: bool) -> Iterator[Batch]:
    """Yields parts of at most `max_tokens` tokens. See Batch.minibatches."""
    units, lengths = _units(batch)
    longest = max(lengths, default=0)
    if max_tokens < max(longest, 1):
        unit = "tree" if batch.layout == "tree" else "row"
        raise ValueError(f"max_tokens must be at least {max(longest, 1)}, the longest {unit}; received {max_tokens}.")
    order = np.argsort(lengths, kind="stable").tolist() if sort and batch.layout != "tree" else range(len(units))
    for part in _parts(order, lengths, max_tokens, padded=batch.layout == "padded"):
        yield select(batch, np.concatenate([units[unit] for unit in part]))


def _units(batch: Batch) -> tuple[list[np.ndarray], list[int]]:
    """Returns the units that are not split (rows, or the nodes of a tree), and the number of tokens of each."""
    if batch.layout == "tree":
        starts = tree_starts(batch)
        nodes = [np.arange(begin, end) for begin, end in zip(starts[:-1], starts[1:], strict=True)]
        return nodes, np.diff(batch["cu_trees"]).tolist()
    return [np.array([row]) for row in range(len(batch))], [len(place) for place in batch.places.all]


def _parts(order: Sequence[int], lengths: Sequence[int], max_tokens: int, padded: bool) -> Iterator[list[int]]:
    """Fills one part after the other. A padded part has the tokens of its longest row in each row."""
    part: list[int] = []
    tokens = longest = 0
    for unit in order:
        longest = max(longest, lengths[unit])
        tokens += lengths[unit]
        if part and (longest * (len(part) + 1) if padded else tokens) > max_tokens:
            yield part
            part, longest, tokens = [], lengths[unit], lengths[unit]
        part.append(unit)
    if part:
        yield part
