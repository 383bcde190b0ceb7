"""A batch as tables of Apache Arrow: one of rows, one of turns, with the texts of all codes. Needs pyarrow.

pyarrow.parquet.write_table(tables.rows(batch, tokens=True), "rows.parquet")
dataset = tables.to_dataset(tables.rows(batch))   # a datasets.Dataset of Hugging Face
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from .batch.safetensors import Array

if TYPE_CHECKING:
    import datasets

    from .batch import Batch

__all__ = ["rows", "to_dataset", "turns"]

_TOKENS = ("input_ids", "loss_mask", "logprobs", "versions")
_TEXTS = ("session_id", "task_id", "group_id", "split", "interaction_id", "agent_id", "parent_agent_id", "turn_id")


def rows(batch: Batch, *, tokens: bool = False) -> pa.Table:
    """Returns one row for each row of the batch: `row` (its index), its origin, `length`, `reward`, and its row columns.

    tokens: add `input_ids`, `loss_mask`, `logprobs` and `versions` as lists, without padding. Those of a `packed` batch share
        its memory.
    """
    columns: dict[str, Any] = {"row": batch.indices}
    for name in _TEXTS:
        if any(name in row for row in batch.rows):
            columns[name] = pa.array([row.get(name) for row in batch.rows], pa.string())
    columns |= {"length": batch.places.lengths, "reward": batch.rewards, **_columns(batch, "row_")}
    if tokens:
        columns |= _token_lists(batch)
    return pa.table(columns)


def turns(batch: Batch) -> pa.Table:
    """Returns one row for each turn: `row`, the index of its row in the batch, `session_id`, and its turn columns.

    The batch must have been exported with `turns=True`.
    """
    batch.turn_column("start")
    row = np.repeat(np.arange(len(batch)), np.diff(batch["cu_turns"]))
    sessions = pa.array(batch.session_ids, pa.string()).take(pa.array(row))
    return pa.table({"row": batch.indices[row], "session_id": sessions, **_columns(batch, "turn_")})


def to_dataset(table: pa.Table) -> datasets.Dataset:
    """Returns a table as a `datasets.Dataset`, which shares its memory. Needs Hugging Face's datasets."""
    from datasets import Dataset
    from datasets.table import InMemoryTable

    return Dataset(InMemoryTable(table))


def _columns(batch: Batch, prefix: str) -> dict[str, Any]:
    """Returns the columns with this prefix, by their names without it. Codes become their texts."""
    columns: dict[str, Any] = {}
    for tensor, values in batch.tensors.items():
        name = tensor.removeprefix(prefix)
        if name == tensor:
            continue
        texts = batch.code_texts(name)
        columns[name] = _texts(texts, values) if texts else values
    return columns


def _texts(texts: list[str], codes: Array) -> pa.Array:
    missing = (codes < 0) | (codes >= len(texts))
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, mask=missing), pa.array(texts, pa.string())
    ).dictionary_decode()


def _token_lists(batch: Batch) -> dict[str, pa.Array]:
    places = batch.places
    offsets = pa.array(places.bounds)
    lists: dict[str, pa.Array] = {}
    for name in _TOKENS:
        flat = batch[name].reshape(-1)
        values = flat if batch.layout == "packed" else flat[places.flat]
        lists[name] = pa.LargeListArray.from_arrays(offsets, pa.array(values))
    return lists
