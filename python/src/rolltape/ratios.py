"""What a trainer computes from new log probabilities of recorded tokens, and which tokens it leaves out. Arrays are numpy's.

`logprobs` of the functions are new log probabilities in nats, in the shape of `input_ids`, at the recorded temperature
(`advantages.token_temperatures`). Values count only where `loss_mask` is 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .batch.token_values import at_rows, at_turns

if TYPE_CHECKING:
    from .batch import Batch

__all__ = ["overlong_mask", "sequence_ratios", "stale_groups", "token_kl"]


def overlong_mask(batch: Batch) -> NDArray[np.int32]:
    """Returns `loss_mask` without outputs that were cut: by a token limit of the call, or by `max_length` of the export.

    With turns (`turns=True`), only the cut turns of a row are left out. Otherwise, the whole row is.
    """
    mask = np.asarray(batch["loss_mask"], np.int32)
    if "cu_turns" not in batch:
        return np.asarray(mask * (at_rows(batch, ~batch.column("truncated")) == 1), np.int32)
    complete = np.array([reason != "length" for reason in batch.texts("finish_reason", turns=True)], np.bool_)
    last = batch["cu_turns"][1:] - 1
    complete[last] &= ~batch.column("truncated")
    return np.asarray(mask * (at_turns(batch, complete) == 1), np.int32)


def sequence_ratios(batch: Batch, logprobs: Any, mask: Any = None) -> NDArray[np.float32]:
    """Returns [B]: the importance ratio of each row's trained tokens as one sequence, normalized by their number (GSPO):
    exp(mean(new - recorded)). 1 for a row without trained tokens.

    mask: tokens that count, such as `overlong_mask(batch)`; default `loss_mask`.
    """
    distances = _distances(batch, logprobs, mask)
    counted = (batch["loss_mask"] if mask is None else np.asarray(mask)).reshape(-1) == 1
    ratios = np.ones(len(batch))
    for row, (place, own) in enumerate(zip(batch.places.all, batch.places.own, strict=True)):
        places = place[len(place) - own :]
        if (trained := places[counted[places]]).size:
            ratios[row] = np.exp(distances[trained].mean())
    return ratios.astype(np.float32)


def token_kl(batch: Batch, logprobs: Any, mask: Any = None) -> NDArray[np.float32]:
    """Returns one value per token, in the shape of `input_ids`: the k3 estimate of KL(recorded policy, new policy),
    exp(d) - 1 - d with d = new - recorded (J. Schulman, Approximating KL Divergence). Never negative; 0 at other tokens.
    """
    distances = _distances(batch, logprobs, mask)
    return (np.expm1(distances) - distances).astype(np.float32).reshape(batch["input_ids"].shape)


def stale_groups(batch: Batch, oldest: int) -> NDArray[np.bool_]:
    """Returns [B]: true for all rows of a group in which a token was sampled with a weight version below `oldest`.

    Decide by whole groups, before you compute advantages: without its slow episodes, a group has another mean.
    """
    versions = batch.column("min_version")
    groups = batch.groups
    stale = {group for group, version in zip(groups, versions.tolist(), strict=True) if 0 <= version < oldest}
    return np.array([group in stale for group in groups], np.bool_)


def _distances(batch: Batch, logprobs: Any, mask: Any) -> NDArray[np.float64]:
    """Returns new - recorded log probability of each token, flat; 0 where the mask is 0."""
    new = np.asarray(logprobs, np.float64)
    if new.shape != batch["input_ids"].shape:
        raise ValueError(f"logprobs must have shape {list(batch['input_ids'].shape)}; received {list(new.shape)}.")
    counted = (batch["loss_mask"] if mask is None else np.asarray(mask)) == 1
    return np.asarray(np.where(counted, new - batch["logprobs"], 0.0).reshape(-1), np.float64)
