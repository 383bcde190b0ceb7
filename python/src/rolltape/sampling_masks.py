"""The ids that each token was sampled from, in the shapes that trainers take. See docs/reference/engines.md#sampling-masks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .batch import Sample
from .batch.safetensors import Array

__all__ = ["padded_masks", "sampling_mask"]

CHANNEL = "kept_ids"


def sampling_mask(sample: Sample) -> tuple[Array, Array] | None:
    """Returns the kept ids of all response tokens, one token after the other, int32, and their number for each, int32.

    A token that was not sampled, or whose mask was not recorded, has none. None if the batch has no masks.
    """
    masks = _masks(sample)
    if masks is None:
        return None
    counts = np.array([len(ids) for ids in masks], np.int32)
    return np.concatenate([np.zeros(0, np.int32), *masks]), counts


def padded_masks(samples: Sequence[Sample]) -> list[Array] | None:
    """Returns the kept ids of each sample, int32 [response tokens, width], as SkyRL takes them.

    The width is that of the longest mask of all samples, at least 1. Places after the ids have -1, also all places of a
    token without a mask. None if the batch has no masks.
    """
    rows = [_masks(sample) for sample in samples]
    width = max((len(ids) for masks in rows for ids in masks or []), default=0)
    if all(masks is None for masks in rows):
        return None
    return [_pad(masks or [], max(width, 1)) for masks in rows]


def _masks(sample: Sample) -> list[Array] | None:
    values = sample.token_values(CHANNEL)
    return None if values is None else list(values[len(sample.prompt_ids) :])


def _pad(masks: Sequence[Array], width: int) -> Array:
    padded = np.full((len(masks), width), -1, np.int32)
    for row, ids in zip(padded, masks, strict=True):
        row[: len(ids)] = ids
    return padded
