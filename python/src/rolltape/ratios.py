"""What a trainer computes from new log probabilities of recorded tokens, and which tokens it leaves out. Arrays are numpy's.

`logprobs` of the functions are new log probabilities in nats, in the shape of `input_ids`, at the recorded temperature
(`advantages.token_temperatures`). Values count only where `loss_mask` is 1.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .batch.token_values import spread_rows, spread_turns

if TYPE_CHECKING:
    from .batch import Batch

BLOCK_TOKENS = 65_536

__all__ = ["overlong_mask", "sequence_ratios", "stale_groups", "token_kl"]


def overlong_mask(batch: Batch) -> NDArray[np.int32]:
    """Returns `loss_mask` without outputs that were cut: by a token limit of the call, or by `max_length` of the export.

    With turns (`turns=True`), only the cut turns of a row are left out. Otherwise, the whole row is.
    """
    if "cu_turns" not in batch:
        kept = spread_rows(batch, _ones(~batch.column("truncated")), 0)
    else:
        codes = [code for code, text in enumerate(batch.code_texts("finish_reason")) if text == "length"]
        complete = ~np.isin(batch.turn_column("finish_reason"), codes)
        bounds = batch.turn_bounds
        filled = np.flatnonzero(np.diff(bounds))
        complete[bounds[1:][filled] - 1] &= ~batch.column("truncated")[filled]
        kept = spread_turns(batch, _ones(complete), 0)
    return np.bitwise_and(kept, batch["loss_mask"], out=kept)


def _ones(wanted: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Returns words whose bits are all 1 where wanted, else 0."""
    return -wanted.astype(np.int32)


def sequence_ratios(batch: Batch, logprobs: Any, mask: Any = None) -> NDArray[np.float32]:
    """Returns [B]: the importance ratio of each row's trained tokens as one sequence, normalized by their number (GSPO):
    exp(mean(new - recorded)). 1 for a row without trained tokens.

    mask: tokens that count, such as `overlong_mask(batch)`; default `loss_mask`.
    """
    new, counted = _checked(batch, logprobs, mask)
    new, old, counted = new.reshape(-1), batch["logprobs"].reshape(-1), counted.reshape(-1)
    begins, own = batch.places.begins, batch.places.own
    means = np.zeros(len(batch))
    filled = np.flatnonzero(own)
    # Blocks of rows, whose values stay in the processor's cache.
    parts = np.unique(np.searchsorted(begins[filled], np.arange(0, new.size, BLOCK_TOKENS)))
    for first, last in pairwise(np.unique([*parts, len(filled)]).tolist()):
        rows = filled[first:last]
        tokens = slice(begins[rows[0]], begins[rows[-1]] + own[rows[-1]])
        starts = begins[rows] - tokens.start
        distances, is_counted = _distances(new[tokens], old[tokens], counted[tokens])
        counts = np.add.reduceat(is_counted, starts, dtype=np.int64)
        means[rows] = np.add.reduceat(distances, starts) / np.maximum(counts, 1)
    return np.exp(means).astype(np.float32)


def token_kl(batch: Batch, logprobs: Any, mask: Any = None) -> NDArray[np.float32]:
    """Returns one value per token, in the shape of `input_ids`: the k3 estimate of KL(recorded policy, new policy),
    exp(d) - 1 - d with d = new - recorded (J. Schulman, Approximating KL Divergence). Never negative; 0 at other tokens.
    """
    new, counted = _checked(batch, logprobs, mask)
    distances, _ = _distances(new, batch["logprobs"], counted)
    return (np.expm1(distances) - distances).astype(np.float32)


def stale_groups(batch: Batch, oldest: int) -> NDArray[np.bool_]:
    """Returns [B]: true for all rows of a group in which a token was sampled with a weight version below `oldest`.

    Decide by whole groups, before you compute advantages: without its slow episodes, a group has another mean.
    """
    versions, groups = batch.column("min_version"), batch.group_of_row
    stale = groups[(versions >= 0) & (versions < oldest)]
    return np.isin(groups, stale)


def _checked(batch: Batch, logprobs: Any, mask: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns new log probabilities and mask as arrays."""
    new = np.asarray(logprobs)
    if new.shape != batch["input_ids"].shape:
        raise ValueError(f"logprobs must have shape {list(batch['input_ids'].shape)}; received {list(new.shape)}.")
    return new, np.asarray(batch["loss_mask"] if mask is None else mask)


def _distances(
    new: NDArray[Any], old: NDArray[Any], mask: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Returns new - recorded log probability of each token, 0 where the mask is not 1, and where it is 1."""
    counted = mask == 1
    # Values of tokens that do not count may be NaN or infinite.
    with np.errstate(invalid="ignore"):
        distances = np.subtract(new, old, dtype=np.float64)
    np.copyto(distances, 0.0, where=~counted)
    return distances, counted
