"""Spreads one value per row, or per turn, over tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .safetensors import Array

if TYPE_CHECKING:
    from .batch import Batch


def at_rows(batch: Batch, values: Any, otherwise: float = 0.0) -> Array:
    """Returns one value per token, in the shape of `input_ids`: `values[row]` at the row's own tokens.

    values: [B]. otherwise: the value at padding.
    """
    given = _checked(values, len(batch), "rows")
    tokens = np.full(batch["input_ids"].size, otherwise, given.dtype)
    for place, own, value in zip(batch.places.all, batch.places.own, given, strict=True):
        tokens[place[len(place) - own :]] = value
    return tokens.reshape(batch["input_ids"].shape)


def at_turns(batch: Batch, values: Any, otherwise: float = 0.0) -> Array:
    """Returns one value per token, in the shape of `input_ids`: `values[turn]` at the output of each turn.

    values: one per turn, in the order of the turn tensors. The batch must have been exported with `turns=True`.
    otherwise: the value at all other tokens.
    """
    starts, ends = batch.turn_column("start"), batch.turn_column("end")
    given = _checked(values, len(starts), "turns")
    tokens = np.full(batch["input_ids"].size, otherwise, given.dtype)
    bounds = batch["cu_turns"].tolist()
    for place, first, last in zip(batch.places.all, bounds[:-1], bounds[1:], strict=True):
        for turn in range(first, last):
            tokens[place[starts[turn] : ends[turn]]] = given[turn]
    return tokens.reshape(batch["input_ids"].shape)


def token_temperatures(batch: Batch) -> Array:
    """Returns float32 in the shape of `input_ids`: the divisor of the logits that reproduces `logprobs`; 1 at padding.

    Uses the temperature of each turn if the batch has turn tensors, else that of each row.

    Raises ValueError if turns of a row differ, and the batch has no turn tensors.
    """
    if "turn_temperature" in batch:
        return at_turns(batch, batch["turn_temperature"], 1.0)
    mixed = batch["row_mixed_temperatures"] if "row_mixed_temperatures" in batch else np.zeros(0, bool)
    if mixed.any():
        row = int(np.flatnonzero(mixed)[0])
        raise ValueError(f"The turns of row {row} differ in temperature. Export with turns=True.")
    return at_rows(batch, batch.column("temperature"), 1.0)


def _checked(values: Any, count: int, what: str) -> Array:
    array = np.asarray(values)
    if array.shape != (count,):
        raise ValueError(f"There must be one value for each of {count} {what}; received shape {list(array.shape)}.")
    return array if array.dtype.kind == "f" else array.astype(np.float32)
