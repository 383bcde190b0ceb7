"""Copies some rows of a batch to a batch of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .channels import has_ragged, select_ragged, token_tensors
from .images import select_images
from .runs import copy_runs, run_indices
from .safetensors import Array

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .batch import Batch

TOKENS = ("input_ids", "loss_mask", "logprobs", "versions", "attention_mask", "position_ids", "mm_token_type_ids")
# Columns that are indices into the rows of the same batch.
ROW_INDICES = ("row_parent", "row_compacted_from")
Tensors = dict[str, Array]


def select(batch: Batch, rows: Any) -> Batch:
    """Returns a copy of the rows as a batch. See Batch.select."""
    chosen = _indices(rows, len(batch))
    tokens = {"padded": _padded_tokens, "packed": _packed_tokens, "tree": _tree_tokens}[batch.layout]
    return _batch_of(batch, chosen, tokens(batch, chosen, False))


def select_range(batch: Batch, first: int, last: int) -> Batch:
    """Returns the rows `first` to `last` (exclusive) as a batch whose tensors share the memory of this one where they can."""
    tokens = {"padded": _padded_tokens, "packed": _packed_tokens, "tree": _tree_tokens}[batch.layout]
    return _batch_of(batch, slice(first, last), tokens(batch, np.arange(first, last), True))


def _batch_of(batch: Batch, rows: Array | slice, tokens: Tensors) -> Batch:
    from .batch import Batch

    images, described = select_images(batch, rows)
    if not images:
        tokens.pop("mm_token_type_ids", None)
    tensors = {**tokens, **_rows(batch, rows), **_turns(batch, rows), **_episodes(batch.tensors), **images}
    without = ("uncounted_rewards", "rows", "images")
    metadata = {name: text for name, text in batch.metadata_texts.items() if name not in without}
    selected = Batch(tensors, {**metadata, **described}, indices=batch.indices[rows], described=batch.described)
    selected.image_folder = batch.image_folder
    return selected


def _indices(rows: Any, count: int) -> Array:
    array = np.asarray(rows)
    if array.dtype == bool:
        if array.shape != (count,):
            raise ValueError(f"A mask of rows must have shape [{count}]; received {list(array.shape)}.")
        return np.flatnonzero(array)
    array = array.astype(np.int64).reshape(-1)
    if len(array) and (array.min() < 0 or array.max() >= count):
        raise IndexError(f"Rows must be from 0 to {count - 1}; received {array.min()} to {array.max()}.")
    if len(np.unique(array)) != len(array):
        raise ValueError("Each row can be selected only once.")
    return array


def _padded_tokens(batch: Batch, chosen: Array, shared: bool) -> Tensors:
    """Leaves out the columns that are padding in all chosen rows, on either side."""
    filled = chosen[batch.places.own[chosen] > 0]
    width = batch["input_ids"].shape[1]
    # A row begins in its own row of the tensor, so the remainder is its column.
    begins = batch.places.begins[filled] - filled * width
    first = int(begins.min(initial=width)) if len(filled) else 0
    columns = slice(first, int((begins + batch.places.own[filled]).max(initial=first)))
    rows = slice(int(chosen[0]), int(chosen[-1]) + 1) if shared and len(chosen) else chosen
    tokens = {name: batch[name][rows, columns] for name in _present(batch)}
    if not has_ragged(batch):
        return tokens
    place = (chosen[:, None] * width + np.arange(columns.start, columns.stop)).reshape(-1)
    return {**tokens, **select_ragged(batch, place)}


def _packed_tokens(batch: Batch, chosen: Array, shared: bool) -> Tensors:
    begins, counts = batch.places.begins[chosen], batch.places.own[chosen]
    tokens = _taken(batch, begins, counts, shared)
    return {**tokens, "cu_seqlens": np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)}


def _taken(batch: Batch, begins: Array, counts: Array, shared: bool) -> Tensors:
    """Returns the token tensors at runs of tokens. shared: the runs follow each other without gaps."""
    tokens = {name: _runs(batch[name], begins, counts, shared) for name in _present(batch)}
    return {**tokens, **select_ragged(batch, run_indices(begins, counts))} if has_ragged(batch) else tokens


def _runs(tensor: Array, begins: Array, counts: Array, shared: bool) -> Array:
    if not shared:
        return copy_runs(tensor, begins, counts)
    first = int(begins[0]) if len(begins) else 0
    return tensor[first : first + int(counts.sum())]


def _present(batch: Batch) -> list[str]:
    """Returns the names of the tensors with an entry for each token."""
    return [*(name for name in TOKENS if name in batch), *token_tensors(batch)]


def _tree_tokens(batch: Batch, chosen: Array, shared: bool) -> Tensors:
    """Trees stay whole, because their nodes share tokens."""
    starts = batch.tree_starts
    trees = np.searchsorted(starts, chosen[batch["node_parents"][chosen] < 0])
    counts = starts[trees + 1] - starts[trees]
    nodes = run_indices(starts[trees], counts)
    if not np.array_equal(nodes, chosen):
        raise ValueError("Rows of a tree batch can be selected as whole trees only, in their order.")
    cu_trees = batch["cu_trees"].astype(np.int64)
    begins, sizes = cu_trees[trees], cu_trees[trees + 1] - cu_trees[trees]
    tokens = _taken(batch, begins, sizes, shared)
    # By how much the tokens and the nodes of each tree move.
    new_begins = np.concatenate([[0], np.cumsum(sizes)])
    moved = begins - new_begins[:-1]
    node_moved = np.repeat(starts[trees] - np.concatenate([[0], np.cumsum(counts)])[:-1], counts)
    ends = _runs(batch["subtree_end"], begins, sizes, shared)
    parents = batch["node_parents"][nodes]
    node_offsets = batch["node_offsets"][nodes] - np.repeat(moved, counts)
    return {
        **tokens,
        "subtree_end": (ends - np.repeat(moved, sizes)).astype(np.int32),
        "cu_trees": new_begins.astype(np.int32),
        "node_offsets": np.append(node_offsets, new_begins[-1]).astype(np.int32),
        "node_parents": np.where(parents < 0, -1, parents - node_moved).astype(np.int32),
        "node_lengths": batch["node_lengths"][nodes],
    }


def _rows(batch: Batch, rows: Array | slice) -> Tensors:
    return {
        name: _new_indices(tensor[rows], rows, len(batch)) if name in ROW_INDICES else tensor[rows]
        for name, tensor in batch.tensors.items()
        if name.startswith("row_") or name in ("rewards", "node_rewards")
    }


def _new_indices(old: Array, rows: Array | slice, count: int) -> Array:
    """Returns the indices that old rows have among the chosen ones; -1 for others."""
    if isinstance(rows, slice):
        return np.where((old >= rows.start) & (old < rows.stop), old - rows.start, -1).astype(np.int32)
    new_index = np.full(count + 1, -1, np.int32)
    new_index[rows] = np.arange(len(rows))
    return np.asarray(new_index[old])


def _turns(batch: Batch, rows: Array | slice) -> Tensors:
    if "cu_turns" not in batch:
        return {}
    bounds = batch.turn_bounds
    firsts, lasts = bounds[:-1][rows], bounds[1:][rows]
    turns = slice(*bounds[[rows.start, rows.stop]]) if isinstance(rows, slice) else run_indices(firsts, lasts - firsts)
    selected = {name: tensor[turns] for name, tensor in batch.tensors.items() if name.startswith("turn_")}
    return {**selected, "cu_turns": np.concatenate([[0], np.cumsum(lasts - firsts)]).astype(np.int32)}


def _episodes(tensors: Mapping[str, Array]) -> Tensors:
    """Episodes stay whole, because statistics of groups need all of them."""
    return {name: tensor for name, tensor in tensors.items() if name.startswith("episode_")}
