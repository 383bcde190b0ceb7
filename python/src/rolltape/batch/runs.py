"""Arithmetic on runs of consecutive indices, without a loop over the runs."""

from __future__ import annotations

import numpy as np

from .safetensors import Array


def run_indices(begins: Array, counts: Array) -> Array:
    """Returns int64: for each run, `counts` indices from `begins` on, one run after the other."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    if total == 0:
        return np.zeros(0, np.int64)
    indices = np.arange(total)
    indices += np.repeat(begins - (ends - counts), counts)
    return indices


def run_sums(values: Array, counts: Array) -> Array:
    """Returns the sum of each run. The runs have `counts` values each, one after the other, and all values are in one."""
    sums = np.zeros(len(counts), values.dtype)
    # reduceat would return the value at its beginning for a run without values.
    filled = np.flatnonzero(counts)
    if len(filled):
        sums[filled] = np.add.reduceat(values, (np.cumsum(counts) - counts)[filled])
    return sums
