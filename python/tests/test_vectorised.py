"""Functions of a batch compared with loops over its rows and tokens, and how much memory they take."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rolltape import Batch, advantages, ratios
from rolltape.batch.predecessors import predecessors


def packed(lengths: list[int], turns: int = 0) -> Batch:
    """A packed batch in which a row has up to so many turns, of 0 to 4 tokens each."""
    rng = random.Random(len(lengths))
    count = sum(lengths)
    bounds = np.cumsum([0, *lengths]).astype(np.int32)
    spans: list[list[tuple[int, int]]] = []
    for length in lengths:
        at, of_row = 0, []
        for _ in range(rng.randint(0, turns)):
            start = min(at + rng.randint(0, 3), length)
            at = min(start + rng.randint(0, 4), length)
            of_row.append((start, at))
        spans.append(of_row)
    tensors = {
        "input_ids": np.arange(count, dtype=np.int32),
        "loss_mask": np.array([rng.randint(0, 1) for _ in range(count)], np.int32),
        "logprobs": np.array([-rng.random() for _ in range(count)], np.float32),
        "versions": np.zeros(count, np.int32),
        "cu_seqlens": bounds,
        "rewards": np.array([rng.random() for _ in lengths], np.float32),
        "row_temperature": np.ones(len(lengths), np.float32),
    }
    if turns:
        flat = [span for of_row in spans for span in of_row]
        tensors |= {
            "cu_turns": np.cumsum([0, *map(len, spans)]).astype(np.int32),
            "turn_start": np.array([start for start, _ in flat], np.int32),
            "turn_end": np.array([end for _, end in flat], np.int32),
            "turn_own_reward": np.array([rng.random() for _ in flat], np.float32),
        }
    rows = [
        {
            "session_id": f"s-{row}",
            "task_id": "t",
            "interaction_id": f"i-{row}",
            "group_id": f"g-{row // 2}",
            "length": length,
        }
        for row, length in enumerate(lengths)
    ]
    tensors |= {
        "row_episode": np.arange(len(rows), dtype=np.int32),
        "episode_group": np.arange(len(rows), dtype=np.int32) // 2,
        "episode_rows": np.ones(len(rows), np.int32),
        "episode_reward": np.full(len(rows), 0.5, np.float32),
        "episode_return": np.full(len(rows), 0.5, np.float32),
        "episode_has_reward": np.ones(len(rows), bool),
    }
    episodes = [{"session_id": row["session_id"], "group_id": row["group_id"]} for row in rows]
    metadata = {"layout": "packed", "rows": json.dumps(rows), "episodes": json.dumps(episodes)}
    return Batch(tensors, metadata)


LENGTHS = [[], [0], [3, 0, 0, 5], [0, 4, 0], [random.Random(9).randint(0, 20) for _ in range(60)]]


@pytest.mark.parametrize("lengths", LENGTHS, ids=len)
def test_values_of_turns_are_at_their_tokens_even_if_a_turn_or_a_row_is_empty(lengths: list[int]) -> None:
    batch = packed(lengths, turns=4)
    values = np.arange(len(batch["turn_start"]), dtype=np.float32)
    expected = [-1.0] * sum(lengths)
    for row, first in enumerate(batch["cu_seqlens"][:-1].tolist()):
        for turn in range(*batch["cu_turns"][row : row + 2].tolist()):
            for token in range(batch["turn_start"][turn], batch["turn_end"][turn]):
                expected[first + token] = float(turn)
    assert advantages.at_turns(batch, values, -1.0).tolist() == expected


@pytest.mark.parametrize("lengths", LENGTHS, ids=len)
def test_returns_of_turns_are_sums_in_each_row(lengths: list[int]) -> None:
    batch = packed(lengths, turns=4)
    expected: list[float] = []
    for first, last in zip(batch["cu_turns"][:-1].tolist(), batch["cu_turns"][1:].tolist(), strict=True):
        own = batch["turn_own_reward"][first:last].tolist()
        expected += [sum(0.5**k * own[turn + k] for k in range(len(own) - turn)) for turn in range(len(own))]
    assert advantages.turn_returns(batch, 0.5).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("lengths", LENGTHS, ids=len)
def test_ratios_of_rows_are_means_over_their_tokens(lengths: list[int]) -> None:
    batch = packed(lengths)
    new = batch["logprobs"] + np.linspace(-0.5, 0.5, sum(lengths), dtype=np.float32)
    expected = []
    for place in batch.places.all:
        trained = [token for token in place.tolist() if batch["loss_mask"][token]]
        distances = [float(new[token]) - float(batch["logprobs"][token]) for token in trained]
        expected.append(float(np.exp(sum(distances) / max(len(distances), 1))))
    assert ratios.sequence_ratios(batch, new).tolist() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("lengths", LENGTHS, ids=len)
def test_parts_in_order_are_views_that_hold_as_much_as_fits(lengths: list[int]) -> None:
    batch = packed(lengths)
    parts = list(batch.minibatches(25))
    assert [row for part in parts for row in part.indices.tolist()] == list(range(len(lengths)))
    for part, following in zip(parts, parts[1:], strict=False):
        assert len(part["input_ids"]) <= 25 < len(part["input_ids"]) + part_length(following, 0)
    for part in parts:
        assert not len(part["input_ids"]) or np.shares_memory(part["input_ids"], batch["input_ids"])


def part_length(part: Batch, row: int) -> int:
    return int(part.places.lengths[row])


@pytest.mark.parametrize(
    "function",
    [
        advantages.grpo,
        advantages.rloo,
        advantages.zero_variance,
        lambda batch: advantages.turn_returns(batch, 0.9),
        lambda batch: batch.places.own,
        lambda batch: (batch.groups, batch.group_of_row, batch.episode_of_row),
        lambda batch: [len(part) for part in batch.minibatches(200_000)],
    ],
)
def test_functions_of_rows_do_not_copy_a_token_column(function: Callable[[Batch], Any]) -> None:
    batch = packed([50_000] * 8, turns=2)
    _ = (batch.rows, batch.episodes)
    tracemalloc.start()
    try:
        function(batch)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < batch["input_ids"].nbytes // 4


def test_predecessors_of_an_empty_batch_are_empty() -> None:
    assert predecessors(packed([])).tolist() == []


def test_turns_that_overlap_are_refused() -> None:
    batch = packed([10], turns=0)
    batch.tensors.update(cu_turns=np.array([0, 2]), turn_start=np.array([0, 2]), turn_end=np.array([3, 5]))
    with pytest.raises(ValueError, match="its turns overlap"):
        advantages.at_turns(batch, [1.0, 2.0])


@pytest.mark.parametrize("lengths", [[0, 0], [0]], ids=len)
def test_rows_without_tokens_have_empty_samples(lengths: list[int]) -> None:
    batch = packed(lengths)
    assert [sample.response_ids.tolist() for sample in batch.samples()] == [[] for _ in lengths]
    assert ratios.sequence_ratios(batch, batch["logprobs"]).tolist() == [1.0 for _ in lengths]


def test_forced_outputs_before_the_response_belong_to_no_turn() -> None:
    tensors = {
        "input_ids": np.arange(8, dtype=np.int32),
        # Outputs: tokens 2 to 4, all forced, then 5 to 7, of which the first is forced.
        "loss_mask": np.array([0, 0, 0, 0, 0, 0, 1, 1], np.int32),
        "logprobs": np.zeros(8, np.float32),
        "versions": np.zeros(8, np.int32),
        "cu_seqlens": np.array([0, 8], np.int32),
        "rewards": np.zeros(1, np.float32),
        "row_prompt_tokens": np.array([2], np.int32),
        "cu_turns": np.array([0, 2], np.int32),
        "turn_start": np.array([2, 5], np.int32),
        "turn_end": np.array([5, 8], np.int32),
        "turn_own_reward": np.zeros(2, np.float32),
        "turn_has_reward": np.zeros(2, bool),
        "turn_interaction": np.arange(2, dtype=np.int32),
    }
    (sample,) = Batch(tensors, {"layout": "packed", "rows": "[]"}).samples()
    assert sample.response_ids.tolist() == [6, 7]
    assert [(turn.start, turn.end) for turn in sample.turns] == [(0, 0), (0, 2)]
    with pytest.raises(ValueError, match="max_response_tokens must be at least 0; received -1"):
        sample.cut(-1)
