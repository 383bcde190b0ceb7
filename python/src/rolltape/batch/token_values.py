"""Spreads one value per row, or per turn, over tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .safetensors import Array, invalid

if TYPE_CHECKING:
    from .batch import Batch


def at_rows(batch: Batch, values: Any, otherwise: float = 0.0) -> Array:
    """Returns one value per token, in the shape of `input_ids`: `values[row]` at the row's own tokens.

    values: [B]. otherwise: the value at padding.
    """
    return spread_rows(batch, _checked(values, len(batch), "rows"), otherwise)


def at_turns(batch: Batch, values: Any, otherwise: float = 0.0) -> Array:
    """Returns one value per token, in the shape of `input_ids`: `values[turn]` at the output of each turn.

    values: one per turn, in the order of the turn tensors. The batch must have been exported with `turns=True`.
    otherwise: the value at all other tokens.
    """
    return spread_turns(batch, _checked(values, len(batch.turn_column("start")), "turns"), otherwise)


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


def is_raw(batch: Batch) -> Array:
    """Returns bool in the shape of `input_ids`: true where recorded log probabilities are `raw`, those of the model."""
    raw = batch.code_texts("logprob_content").index("raw")
    if "turn_logprob_content" in batch:
        return spread_turns(batch, batch.turn_column("logprob_content") == raw, False)
    return spread_rows(batch, batch.column("logprob_content") == raw, False)


def spread_rows(batch: Batch, values: Array, otherwise: float) -> Array:
    """As at_rows, for an array of any dtype."""
    begins = batch.places.begins
    return _spread(batch, begins, begins + batch.places.own, values, otherwise)


def spread_turns(batch: Batch, values: Array, otherwise: float) -> Array:
    """As at_turns, for an array of any dtype."""
    return _spread(batch, *turn_tokens(batch), values, otherwise)


def _spread(batch: Batch, begins: Array, ends: Array, values: Array, otherwise: float) -> Array:
    count = batch["input_ids"].size
    # Runs of tokens: before the first value, the first value, between the first and the second one, and so on.
    lengths = np.diff(np.concatenate([np.stack([begins, ends], 1).reshape(-1), [count]]), prepend=0)
    runs = np.full(len(lengths), otherwise, values.dtype)
    runs[1::2] = values
    return np.repeat(runs, lengths).reshape(batch["input_ids"].shape)


def turn_tokens(batch: Batch) -> tuple[Array, Array]:
    """Returns int64 [turns] twice: where the output of each turn begins and ends in the flattened token tensors.

    Raises BatchError `invalid_batch` if turns overlap or are not in order.
    """
    starts, ends = batch.turn_column("start"), batch.turn_column("end")
    counts = np.diff(batch.turn_bounds)
    base = np.repeat(batch.places.begins, counts)
    limit = np.repeat(batch.places.own, counts)
    begins, stops = base + np.minimum(starts, limit), base + np.minimum(ends, limit)
    if (begins > stops).any() or (begins[1:] < stops[:-1]).any():
        raise invalid("its turns overlap")
    return begins, stops


def _checked(values: Any, count: int, what: str) -> Array:
    array = np.asarray(values)
    if array.shape != (count,):
        raise ValueError(f"There must be one value for each of {count} {what}; received shape {list(array.shape)}.")
    return array if array.dtype.kind == "f" else array.astype(np.float32)
