"""Where the tokens of each row are, in any layout."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from .runs import run_indices
from .safetensors import Array


class Places:
    """The tokens of each row, as indices into the flattened token tensors.

    begins, own: int64 [B]: a row's own tokens are `own` tokens from index `begins`. In `padded` and `packed` these are all its
        tokens; in `tree` those before belong to the nodes that it branches from, and are trained on there.
    lengths: int64 [B]: number of all tokens of a row, without padding.
    """

    def __init__(self, begins: Array, own: Array, lengths: Array, parents: Array | None = None) -> None:
        self.begins, self.own, self.lengths = begins, own, lengths
        self._parents = parents

    @cached_property
    def bounds(self) -> Array:
        """Int64 [B + 1]: the tokens of row i are `flat[bounds[i]:bounds[i + 1]]`."""
        return np.concatenate([[0], np.cumsum(self.lengths)])

    @cached_property
    def flat(self) -> Array:
        """Int64: the indices of all rows' tokens, row after row. They take twice the memory of a token tensor."""
        if self._parents is None:
            return run_indices(self.begins, self.own)
        flat = np.empty(self.bounds[-1], np.int64)
        shared = self.lengths - self.own
        flat[run_indices(self.bounds[:-1] + shared, self.own)] = run_indices(self.begins, self.own)
        # From the roots down: the tokens before a node's own ones are the beginning of its parent's row.
        for nodes in _levels(self._parents)[1:]:
            sources = self.bounds[self._parents[nodes]]
            flat[run_indices(self.bounds[nodes], shared[nodes])] = flat[run_indices(sources, shared[nodes])]
        return flat

    def of_row(self, row: int) -> Array:
        """Returns int64 indices of all tokens of a row, in order."""
        if self._parents is None:
            return np.arange(self.begins[row], self.begins[row] + self.own[row])
        end = self.bounds[1:][row]
        return self.flat[end - self.lengths[row] : end]

    @cached_property
    def all(self) -> list[Array]:
        """For each row, int64 indices of all its tokens, in order."""
        bounds = self.bounds.tolist()
        return [self.flat[begin:end] for begin, end in zip(bounds[:-1], bounds[1:], strict=True)]


def row_places(layout: str, tensors: Mapping[str, Array]) -> Places:
    """Raises ValueError, KeyError or IndexError if the tensors do not fit each other."""
    if layout == "padded":
        mask = tensors["attention_mask"]
        rows, width = mask.shape
        # Sums of 16 bits are three times as fast as count_nonzero, which takes 64.
        counts = (
            (mask.view(np.uint8) != 0)
            .view(np.uint8)
            .sum(1, dtype=np.uint16 if width < 2**16 else np.int64)
            .astype(np.int64)
        )
        first = mask.argmax(1) if width else np.zeros(rows, np.int64)
        return Places(first + np.arange(rows) * width, counts, counts)
    if layout == "packed":
        bounds = _check_bounds("cu_seqlens", tensors)
        counts = np.diff(bounds)
        return Places(bounds[:-1], counts, counts)
    return _tree(tensors)


def _check_bounds(name: str, tensors: Mapping[str, Array]) -> Array:
    """Returns a tensor of row bounds. Raises ValueError if it does not divide all tokens into rows."""
    bounds, tokens = tensors[name], len(tensors["input_ids"])
    if bounds.ndim != 1 or bounds[0] != 0 or bounds[-1] != tokens or (bounds[1:] < bounds[:-1]).any():
        raise ValueError(f"tensor `{name}` does not divide {tokens} tokens into rows")
    return bounds.astype(np.int64)


def _tree(tensors: Mapping[str, Array]) -> Places:
    """A node's row: the beginning of its parent's row, then its own tokens.

    A node without own tokens repeats its parent: its row is the beginning of its parent's row.
    """
    offsets, parents = _check_bounds("node_offsets", tensors), tensors["node_parents"].astype(np.int64)
    begins, own, lengths = offsets[:-1], np.diff(offsets), tensors["node_lengths"].astype(np.int64)
    late = np.flatnonzero(parents >= np.arange(len(parents)))
    if len(late):
        raise ValueError(f"node {late[0]} comes before its parent {parents[late[0]]}")
    above = np.where(parents < 0, 0, lengths[parents])
    wrong = np.flatnonzero((lengths < own) | (lengths - own > above))
    if len(wrong):
        raise ValueError(f"node {wrong[0]} has {lengths[wrong[0]]} tokens, which its parent's row does not begin")
    return Places(begins, own, lengths, parents)


def _levels(parents: Array) -> list[Array]:
    """Returns the nodes of each depth, from the roots down."""
    levels, nodes = [], np.flatnonzero(parents < 0)
    order = np.argsort(parents, kind="stable")
    of_parent = parents[order]
    while len(nodes):
        levels.append(nodes)
        first, last = np.searchsorted(of_parent, nodes), np.searchsorted(of_parent, nodes, "right")
        nodes = order[run_indices(first, last - first)]
    return levels
