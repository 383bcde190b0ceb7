"""Channels of a batch, whole and in parts."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from conversations import random_sessions
from rolltape import Batch, BatchError, Client, Sample, Server

OPTIONS: list[dict[str, Any]] = [
    {"layout": "padded", "pad_side": "left", "pad_to_multiple_of": 16},
    {"layout": "packed", "style": "concat", "on_mismatch": "split"},
    {"layout": "tree"},
]
CHANNELS = [
    {"name": "experts", "of": "sequence", "mask": "experts_mask"},
    {"name": "kept_ids", "of": "output", "offsets": "kept_offsets", "token_ids": [7]},
]


def with_channels(batch: Batch) -> Batch:
    """Adds channels whose items follow from the ids: [2, 3] for each token, and id % 4 items of a ragged one."""
    ids = batch["input_ids"]
    experts = (ids[..., None, None] + np.arange(6).reshape(2, 3)) % 256
    counts = ids.reshape(-1) % 4
    tensors = {
        "experts": experts.astype(np.uint8),
        "experts_mask": ids % 5 > 0,
        "kept_ids": np.repeat(ids.reshape(-1), counts),
        "kept_offsets": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    }
    return Batch({**batch.tensors, **tensors}, {**batch.metadata, "channels": json.dumps(CHANNELS)})


@pytest.fixture(scope="module", params=range(len(OPTIONS)))
def batch(server: Server, request: pytest.FixtureRequest) -> Batch:
    with Client(server.url, server.admin_key) as client:
        ids = random_sessions(client, 6, seed=5)
        return with_channels(client.export_batch(ids, **OPTIONS[request.param]))


def all_ids(sample: Sample) -> list[int]:
    return [*sample.prompt_ids.tolist(), *sample.response_ids.tolist()]


def check_row(batch: Batch, row: int, ids: list[int]) -> None:
    assert batch.row_values(row, "input_ids").tolist() == ids  # type: ignore[union-attr]
    experts = batch.row_values(row, "experts")
    assert isinstance(experts, np.ndarray)
    assert experts.dtype == np.uint8
    assert experts.tolist() == [[[(token + 3 * a + b) % 256 for b in range(3)] for a in range(2)] for token in ids]
    assert batch.row_values(row, "experts_mask").tolist() == [token % 5 > 0 for token in ids]  # type: ignore[union-attr]
    assert [items.tolist() for items in batch.row_values(row, "kept_ids")] == [[token] * (token % 4) for token in ids]


def test_row_values_are_those_of_the_tokens_of_the_row(batch: Batch) -> None:
    for row, sample in enumerate(batch.samples()):
        check_row(batch, row, all_ids(sample))


def test_parts_keep_the_items_of_their_tokens(batch: Batch) -> None:
    samples = batch.samples()
    for part in batch.minibatches(2000):
        assert part["kept_offsets"].dtype == np.int64
        assert part["kept_offsets"][-1] == len(part["kept_ids"])
        for row, index in enumerate(part.indices.tolist()):
            check_row(part, row, all_ids(samples[index]))


def test_channels_name_their_tensors(batch: Batch) -> None:
    experts, kept = batch.channels["experts"], batch.channels["kept_ids"]
    assert (experts.of, experts.mask, experts.offsets) == ("sequence", "experts_mask", None)
    assert (experts.token_ids, kept.token_ids) == (None, (7,))
    assert (kept.of, kept.mask, kept.offsets) == ("output", None, "kept_offsets")


def test_a_tensor_without_a_value_for_each_token_and_damaged_metadata_are_refused(batch: Batch) -> None:
    with pytest.raises(ValueError, match="`row_turn` has no value for each token"):
        batch.row_values(0, "row_turn")
    damaged = Batch(batch.tensors, {**batch.metadata, "channels": "[{}]"})
    with pytest.raises(BatchError, match="metadata `channels` cannot be read"):
        _ = damaged.channels
