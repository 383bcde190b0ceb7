"""Parts of random batches have the same rows as the whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from conversations import random_sessions
from rolltape import Batch, Client, Server

OPTIONS: list[dict[str, Any]] = [
    {"layout": "padded", "pad_side": "left", "pad_to_multiple_of": 16},
    {"layout": "padded", "style": "concat", "on_mismatch": "split", "turns": True},
    {"layout": "packed", "style": "concat", "on_mismatch": "split", "turns": True},
    {"layout": "tree"},
]


@pytest.fixture(scope="module")
def batches(server: Server) -> Iterator[list[Batch]]:
    with Client(server.url, server.admin_key) as client:
        ids = random_sessions(client, 12, seed=23)
        yield [client.export_batch(ids, discount=0.9, **options) for options in OPTIONS]


def columns(batch: Batch) -> dict[str, Any]:
    """Everything that belongs to a row, except indices of other rows."""
    skip = ("row_parent", "row_compacted_from")
    return {name: tensor for name, tensor in batch.tensors.items() if name.startswith("row_") and name not in skip}


def tokens(batch: Batch) -> int:
    return int(batch["input_ids"].size)


@pytest.mark.parametrize("kind", range(len(OPTIONS)))
@pytest.mark.parametrize("sort", [False, True])
def test_minibatches_have_every_row_once_and_unchanged(batches: list[Batch], kind: int, sort: bool) -> None:
    batch = batches[kind]
    whole = batch.samples()
    longest = max(len(place) for place in batch.places.all) if batch.layout != "tree" else tokens(batch)
    units = np.diff(batch["cu_trees"]).max() if batch.layout == "tree" else longest
    for budget in (int(units), int(units) + 7, 3 * int(units), 10**6):
        parts = list(batch.minibatches(budget, sort=sort))
        assert all(tokens(part) <= budget for part in parts)
        indices = np.concatenate([part.indices for part in parts])
        assert sorted(indices.tolist()) == list(range(len(batch)))
        if not sort:
            assert indices.tolist() == list(range(len(batch)))
        for part in parts:
            assert list(part.samples()) == [whole[index] for index in part.indices]
            assert (part.rewards == batch.rewards[part.indices]).all()
            for name, tensor in columns(part).items():
                assert (tensor == batch[name][part.indices]).all(), name


@pytest.mark.parametrize("kind", range(len(OPTIONS)))
def test_a_parent_in_the_same_part_is_kept_and_another_is_not(batches: list[Batch], kind: int) -> None:
    batch = batches[kind]
    for part in batch.minibatches(max(int(np.diff(batch["cu_trees"]).max()) if "cu_trees" in batch else 0, 150)):
        for row, parent in enumerate(part["row_parent"].tolist()):
            original = int(batch["row_parent"][part.indices[row]])
            assert parent == (part.indices.tolist().index(original) if original in part.indices else -1)


def test_turns_follow_their_rows(batches: list[Batch]) -> None:
    batch = batches[2]
    rows = [len(batch) - 1, 0, 2]
    part = batch.select(rows)
    expected = [batch["turn_temperature"][batch["cu_turns"][row] : batch["cu_turns"][row + 1]].tolist() for row in rows]
    bounds = part["cu_turns"].tolist()
    got = [part["turn_temperature"][begin:end].tolist() for begin, end in zip(bounds[:-1], bounds[1:], strict=True)]
    assert got == expected
    assert part["cu_turns"].dtype == part["cu_seqlens"].dtype == np.int32


def test_the_visible_tokens_of_a_tree_stay_the_same(batches: list[Batch]) -> None:
    def visible(batch: Batch) -> list[list[int]]:
        return [batch["input_ids"][place].tolist() for place in batch.places.all]

    batch = batches[3]
    for part in batch.minibatches(int(np.diff(batch["cu_trees"]).max())):
        assert visible(part) == [visible(batch)[index] for index in part.indices]
        ends, count = part["subtree_end"], tokens(part)
        assert (ends > np.arange(count)).all()
        assert (ends <= count).all()
        assert part["cu_trees"][-1] == part["node_offsets"][-1] == count


def test_a_mask_selects_rows(batches: list[Batch]) -> None:
    batch = batches[0]
    mask = batch.rewards > 0
    assert batch.select(mask).indices.tolist() == np.flatnonzero(mask).tolist()
    # Indices always count through the first batch.
    assert batch.select(mask).select([1]).indices.tolist() == [np.flatnonzero(mask)[1]]


def test_what_cannot_be_selected_is_refused(batches: list[Batch]) -> None:
    padded, tree = batches[0], batches[3]
    with pytest.raises(ValueError, match="max_tokens must be at least"):
        list(padded.minibatches(3))
    with pytest.raises(IndexError, match="Rows must be from 0"):
        padded.select([len(padded)])
    with pytest.raises(ValueError, match="once"):
        padded.select([1, 1])
    with pytest.raises(ValueError, match="mask of rows"):
        padded.select([True])
    nodes = np.flatnonzero(tree["node_parents"] >= 0)
    with pytest.raises(ValueError, match="whole trees"):
        tree.select([int(nodes[0])])
