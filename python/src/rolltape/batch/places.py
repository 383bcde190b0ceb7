"""Where the tokens of each row are, in any layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .safetensors import Array


@dataclass(frozen=True)
class Places:
    """The tokens of each row, as indices into the flattened token tensors.

    all: for each row, int64 indices of all its tokens, in order. Padding is left out.
    own: for each row, how many tokens at its end are its own. In `padded` and `packed` all are; in `tree` those before
        belong to the nodes that it branches from, and are trained on there.
    """

    all: list[Array]
    own: list[int]


def row_places(layout: str, tensors: Mapping[str, Array], rows: int) -> Places:
    """Raises ValueError, KeyError or IndexError if the tensors do not fit each other."""
    if layout == "padded":
        places = _padded(tensors["attention_mask"])
    elif layout == "packed":
        bounds = _check_bounds("cu_seqlens", tensors).tolist()
        places = [np.arange(begin, end) for begin, end in zip(bounds[:-1], bounds[1:], strict=True)]
    else:
        return _tree(tensors)
    return Places(places, [len(place) for place in places])


def _check_bounds(name: str, tensors: Mapping[str, Array]) -> Array:
    """Returns a tensor of row bounds. Raises ValueError if it does not divide all tokens into rows."""
    bounds, tokens = tensors[name], len(tensors["input_ids"])
    if bounds.ndim != 1 or bounds[0] != 0 or bounds[-1] != tokens or (bounds[1:] < bounds[:-1]).any():
        raise ValueError(f"tensor `{name}` does not divide {tokens} tokens into rows")
    return bounds


def _padded(mask: Array) -> list[Array]:
    rows, width = mask.shape
    if width == 0:
        return [np.arange(0)] * rows
    begins = mask.argmax(1) + np.arange(rows) * width
    return [np.arange(begin, begin + count) for begin, count in zip(begins, mask.sum(1), strict=True)]


def _tree(tensors: Mapping[str, Array]) -> Places:
    """A node's row: the tokens of its parent's row that its last own token sees, then its own tokens.

    A node without own tokens repeats its parent: its row is the beginning of its parent's row.
    """
    offsets, ends = _check_bounds("node_offsets", tensors).astype(np.int64), tensors["subtree_end"]
    lengths = tensors["node_lengths"]
    places: list[Array] = []
    for node, parent in enumerate(tensors["node_parents"].tolist()):
        if parent >= node:
            raise ValueError(f"node {node} comes before its parent {parent}")
        begin, end = offsets[node], offsets[node + 1]
        above = places[parent] if parent >= 0 else np.arange(0)
        if begin == end:
            places.append(above[: lengths[node]])
        else:
            places.append(np.concatenate([above[ends[above] >= end], np.arange(begin, end)]))
    return Places(places, np.diff(offsets).tolist())
