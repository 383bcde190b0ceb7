"""Copies some rows of a batch to a batch of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import BatchError
from .channels import select_ragged, token_tensors
from .safetensors import Array

if TYPE_CHECKING:
    from .batch import Batch

TOKENS = ("input_ids", "loss_mask", "logprobs", "versions", "attention_mask", "position_ids")
# Columns that are indices into the rows of the same batch.
ROW_INDICES = ("row_parent", "row_compacted_from")


def select(batch: Batch, rows: Any) -> Batch:
    """Returns the rows as a batch. See Batch.select."""
    from .batch import Batch

    chosen = _indices(rows, len(batch))
    tensors = {**_tokens(batch, chosen), **_rows(batch, chosen), **_turns(batch.tensors, chosen)}
    return Batch(tensors, _metadata(batch, chosen), indices=batch.indices[chosen])


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


def _tokens(batch: Batch, chosen: Array) -> dict[str, Array]:
    present = _present(batch)
    if batch.layout == "tree":
        return _tree_tokens(batch, chosen)
    if batch.layout == "padded":
        # Without the columns that are padding in all chosen rows, on either side.
        used = np.flatnonzero(batch["attention_mask"][chosen].any(0))
        columns = slice(used[0], used[-1] + 1) if len(used) else slice(0, 0)
        place = np.arange(batch["input_ids"].size).reshape(batch["input_ids"].shape)[chosen, columns].reshape(-1)
        return {**{name: batch[name][chosen, columns] for name in present}, **select_ragged(batch, place)}
    places = [batch.places.all[row] for row in chosen]
    place = np.concatenate([*places, np.arange(0)])
    seqlens = np.cumsum([0, *(len(each) for each in places)], dtype=np.int32)
    tokens = {name: batch[name][place] for name in present}
    return {**tokens, **select_ragged(batch, place), "cu_seqlens": seqlens}


def _present(batch: Batch) -> list[str]:
    """Returns the names of the tensors with an entry for each token."""
    return [*(name for name in TOKENS if name in batch), *token_tensors(batch)]


def _tree_tokens(batch: Batch, chosen: Array) -> dict[str, Array]:
    """Trees stay whole, because their nodes share tokens."""
    starts = tree_starts(batch)
    trees = np.flatnonzero(np.isin(starts[:-1], chosen))
    nodes = np.concatenate([*(np.arange(starts[tree], starts[tree + 1]) for tree in trees), np.arange(0)])
    if not np.array_equal(nodes, chosen):
        raise ValueError("Rows of a tree batch can be selected as whole trees only, in their order.")
    offsets, cu_trees = batch["node_offsets"], batch["cu_trees"]
    spans = [(int(cu_trees[tree]), int(cu_trees[tree + 1])) for tree in trees]
    place = np.concatenate([*(np.arange(begin, end) for begin, end in spans), np.arange(0)])
    tokens = {**{name: batch[name][place] for name in _present(batch)}, **select_ragged(batch, place)}
    # By how much the tokens and the nodes of each tree move.
    sizes = np.array([end - begin for begin, end in spans], np.int64)
    new_begins = np.concatenate([[0], np.cumsum(sizes)])
    moved = np.array([begin for begin, _ in spans], np.int64) - new_begins[:-1]
    counts = starts[trees + 1] - starts[trees]
    new_nodes = np.concatenate([[0], np.cumsum(counts)])[:-1]
    node_moved = np.repeat(starts[trees] - new_nodes, counts)
    parents = batch["node_parents"][nodes]
    node_offsets = offsets[nodes] - np.repeat(moved, counts)
    return {
        **tokens,
        "subtree_end": (batch["subtree_end"][place] - np.repeat(moved, sizes)).astype(np.int32),
        "cu_trees": new_begins.astype(np.int32),
        "node_offsets": np.append(node_offsets, new_begins[-1]).astype(np.int32),
        "node_parents": np.where(parents < 0, -1, parents - node_moved).astype(np.int32),
        "node_lengths": batch["node_lengths"][nodes],
    }


def tree_starts(batch: Batch) -> Array:
    """Returns int64 [trees + 1]: the first node of each tree, and the number of nodes."""
    return np.append(np.flatnonzero(batch["node_parents"] < 0), len(batch)).astype(np.int64)


def _rows(batch: Batch, chosen: Array) -> dict[str, Array]:
    new_index = np.full(len(batch) + 1, -1, np.int32)
    new_index[chosen] = np.arange(len(chosen))
    rows = {
        name: new_index[tensor[chosen]] if name in ROW_INDICES else tensor[chosen]
        for name, tensor in batch.tensors.items()
        if name.startswith("row_") or name in ("rewards", "node_rewards")
    }
    return rows


def _turns(tensors: Mapping[str, Array], chosen: Array) -> dict[str, Array]:
    if "cu_turns" not in tensors:
        return {}
    bounds = tensors["cu_turns"].astype(np.int64)
    turns = np.concatenate([*(np.arange(bounds[row], bounds[row + 1]) for row in chosen), np.arange(0)])
    counts = bounds[chosen + 1] - bounds[chosen]
    selected = {name: tensor[turns] for name, tensor in tensors.items() if name.startswith("turn_")}
    return {**selected, "cu_turns": np.cumsum([0, *counts], dtype=np.int32)}


def _metadata(batch: Batch, chosen: Array) -> dict[str, str]:
    metadata = {name: text for name, text in batch.metadata.items() if name != "uncounted_rewards"}
    if len(batch.rows) != len(batch):
        raise BatchError("batch_mismatch", "The metadata does not describe every row.")
    metadata["rows"] = json.dumps([batch.rows[row] for row in chosen])
    return metadata
