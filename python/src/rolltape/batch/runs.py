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


def copy_runs(array: Array, begins: Array, counts: Array) -> Array:
    """Returns `array[run_indices(begins, counts)]`, without these indices if the runs are long enough for a copy of each."""
    ends = begins + counts
    # Runs that follow each other are one run.
    firsts = np.flatnonzero(np.append(True, begins[1:] != ends[:-1])[: len(begins)])
    if counts.sum() < 32 * len(firsts):
        return np.asarray(array[run_indices(begins, counts)])
    lasts = ends[np.append(firsts[1:] - 1, len(ends) - 1)] if len(ends) else ends
    bounds = zip(begins[firsts].tolist(), lasts.tolist(), strict=True)
    return np.concatenate([array[begin:end] for begin, end in bounds] or [array[:0]])
