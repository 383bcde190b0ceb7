"""Copies of runs of consecutive tokens."""

from __future__ import annotations

import numpy as np
import pytest

from rolltape.batch.runs import copy_runs

RUNS = {
    "no run": ([], []),
    "an empty one": ([4], [0]),
    "short ones": ([2, 9, 40], [1, 0, 3]),
    "long ones": ([0, 500, 100], [70, 90, 40]),
    "some that follow each other": ([0, 50, 90, 300, 340], [50, 40, 100, 40, 60]),
    "empty ones between long ones": ([0, 50, 50, 200], [50, 0, 80, 0]),
}


@pytest.mark.parametrize("runs", RUNS.values(), ids=RUNS.keys())
def test_runs_are_copied_in_their_order(runs: tuple[list[int], list[int]]) -> None:
    begins, counts = (np.array(values, np.int64) for values in runs)
    array = np.arange(1200, dtype=np.int32).reshape(600, 2)
    expected = [array[begin + at].tolist() for begin, count in zip(*runs, strict=True) for at in range(count)]
    copied = copy_runs(array, begins, counts)
    assert copied.tolist() == expected
    assert not np.shares_memory(copied, array)
    assert copied.dtype == np.int32
