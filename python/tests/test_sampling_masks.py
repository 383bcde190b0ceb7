"""The sampling masks of rows in the shapes that trainers take."""

from __future__ import annotations

import numpy as np
import pytest

from conversations import random_sessions
from rolltape import Batch, Client, Sample, Server
from rolltape.sampling_masks import padded_masks, sampling_mask
from token_channels import masks_of, with_masks


@pytest.fixture(scope="module", params=["padded", "packed", "tree"])
def batch(server: Server, request: pytest.FixtureRequest) -> Batch:
    with Client(server.url, server.admin_key) as client:
        return client.export_batch(random_sessions(client, 4, seed=7), layout=request.param)


def check(sample: Sample) -> None:
    mask = sampling_mask(sample)
    assert mask is not None
    ids, counts = mask
    assert (ids.dtype, counts.dtype) == (np.int32, np.int32)
    parts = np.split(ids, np.cumsum(counts)[:-1])
    assert [part.tolist() for part in parts] == masks_of(sample)


def test_a_row_has_those_of_its_response(batch: Batch) -> None:
    samples = with_masks(batch).samples()
    for sample in samples:
        check(sample)
    check(max(samples, key=lambda each: len(each.response_ids)).cut(2))


def test_all_rows_are_padded_to_one_width(batch: Batch) -> None:
    samples = with_masks(batch).samples()
    padded = padded_masks(samples)
    assert padded is not None
    for sample, rows in zip(samples, padded, strict=True):
        assert (rows.dtype, rows.shape) == (np.int32, (len(sample.response_ids), 3))
        for row, ids in zip(rows.tolist(), masks_of(sample), strict=True):
            assert row == [*ids, *[-1] * (3 - len(ids))]


def test_a_batch_without_masks_has_none(batch: Batch) -> None:
    assert sampling_mask(batch.samples()[0]) is None
    assert padded_masks(batch.samples()) is None
