"""Rows of a batch in a DataLoader of PyTorch."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from conversations import random_sessions
from rolltape import Batch, Client, Server, advantages

torch = pytest.importorskip("torch", reason="PyTorch is optional (pip install torch)")

from torch.utils.data import DataLoader  # noqa: E402

from rolltape.data import RowDataset, TokenSampler, balance, collate  # noqa: E402

OPTIONS: list[dict[str, Any]] = [
    {"layout": "padded", "pad_side": "left", "style": "concat", "on_mismatch": "split", "turns": True},
    {"layout": "packed", "style": "concat", "on_mismatch": "split", "turns": True},
]


@pytest.fixture(scope="module")
def batches(server: Server) -> Iterator[list[Batch]]:
    with Client(server.url, server.admin_key) as client:
        ids = random_sessions(client, 12, seed=5)
        yield [client.export_batch(ids, **options) for options in OPTIONS]


def test_micro_batches_have_every_row_once_without_padding(batches: list[Batch]) -> None:
    for batch in batches:
        credit = advantages.grpo(batch)
        per_token = advantages.at_rows(batch, np.arange(len(batch), dtype=np.float32), -1.0)
        rows = RowDataset(batch, advantage=credit, number=per_token)
        limit = 2 * int(batch.places.lengths.max())
        seen = []
        for part in DataLoader(rows, batch_sampler=TokenSampler(rows, limit), collate_fn=collate):
            assert part["input_ids"].shape[1] <= limit
            bounds = part["cu_seqlens"].tolist()
            assert part["max_seqlen"] == max(np.diff(bounds))
            for at, row in enumerate(part["index"].tolist()):
                tokens = slice(bounds[at], bounds[at + 1])
                for name in ("input_ids", "loss_mask", "logprobs", "versions"):
                    assert part[name][0, tokens].tolist() == batch.row_values(row, name).tolist()
                assert part["position_ids"][0, tokens].tolist() == list(range(bounds[at + 1] - bounds[at]))
                assert set(part["row"][0, tokens].tolist()) == {at}
                assert set(part["number"][0, tokens].tolist()) == {row}
                assert part["advantage"][at] == credit[row]
                assert part["reward"][at] == batch.rewards[row]
            seen += part["index"].tolist()
        assert sorted(seen) == list(range(len(batch)))


def test_a_row_shares_the_memory_of_its_batch(batches: list[Batch]) -> None:
    rows = RowDataset(batches[1])
    assert rows[0]["input_ids"].data_ptr() == batches[1]["input_ids"].ctypes.data


def test_ranks_take_equally_many_and_about_equally_long_micro_batches(batches: list[Batch]) -> None:
    rows = RowDataset(batches[1])
    limit = int(rows.lengths.max()) * 2
    samplers = [TokenSampler(rows, limit, replicas=3, rank=rank) for rank in range(3)]
    assert len({len(sampler) for sampler in samplers}) == 1
    assert sorted(row for sampler in samplers for part in sampler for row in part) == list(range(len(rows)))


@pytest.mark.parametrize("seed", range(20))
def test_lists_are_within_the_limit_and_balanced(seed: int) -> None:
    rng = random.Random(seed)
    lengths = [rng.randint(1, 100) for _ in range(rng.randint(0, 200))]
    multiple = rng.randint(1, 4)
    lists = balance(lengths, 300, multiple)
    tokens = [sum(lengths[row] for row in each) for each in lists]
    assert sorted(row for each in lists for row in each) == list(range(len(lengths)))
    assert len(lists) % multiple == 0
    assert max(tokens) <= 300
    # The longest row first: two lists differ by one row at most.
    assert max(tokens) - min(tokens) <= max(lengths, default=0)


def test_what_cannot_be_packed_is_refused(batches: list[Batch], client: Client) -> None:
    rows = RowDataset(batches[1])
    with pytest.raises(ValueError, match="the longest row"):
        TokenSampler(rows, int(rows.lengths.max()) - 1)
    with pytest.raises(ValueError, match="rank must be from 0 to 1"):
        TokenSampler(rows, 1000, replicas=2, rank=2)
    with pytest.raises(ValueError, match="`credit` must have a value for each row or token"):
        RowDataset(batches[1], credit=np.zeros(len(rows) + 1))
    with pytest.raises(ValueError, match="share tokens"):
        RowDataset(client.export_batch(random_sessions(client, 2, seed=1), layout="tree"))
    with pytest.raises(ValueError, match="at least one row"):
        collate([])
