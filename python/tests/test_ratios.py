"""Ratios, KL and masks, compared with plain Python."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from conversations import random_sessions
from rolltape import Client, ratios
from support import ended_session


def new_logprobs(batch: object, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(batch["logprobs"] + rng.normal(0, 0.1, batch["logprobs"].shape))  # type: ignore[index]


@pytest.mark.parametrize("layout", ["padded", "packed", "tree"])
def test_sequence_ratios_are_normalized_by_the_trained_tokens(client: Client, layout: str) -> None:
    ids = random_sessions(client, 6, seed=3)
    batch = client.export_batch(ids, layout=layout)  # type: ignore[arg-type]
    new = new_logprobs(batch, 1)
    distances, mask = (new - batch["logprobs"]).reshape(-1), batch["loss_mask"].reshape(-1)
    expected = []
    for place, own in zip(batch.places.all, batch.places.own, strict=True):
        trained = [distances[token] for token in place[len(place) - own :] if mask[token] == 1]
        expected.append(math.exp(sum(trained) / len(trained)) if trained else 1.0)
    assert ratios.sequence_ratios(batch, new).tolist() == pytest.approx(expected, abs=1e-6)


def test_token_kl_is_the_k3_estimate_at_trained_tokens(client: Client) -> None:
    batch = client.export_batch([ended_session(client, 2)])
    new = new_logprobs(batch, 2)
    kl = ratios.token_kl(batch, new)
    for value, distance, trained in zip(
        kl.reshape(-1), (new - batch["logprobs"]).reshape(-1), batch["loss_mask"].reshape(-1), strict=True
    ):
        assert value == pytest.approx(math.exp(distance) - 1 - distance if trained else 0.0, abs=1e-7)
    assert (ratios.token_kl(batch, batch["logprobs"]) == 0).all()
    with pytest.raises(ValueError, match="logprobs must have shape"):
        ratios.token_kl(batch, new[:, :-1])


def test_cut_outputs_are_left_out_of_the_mask(client: Client) -> None:
    long, short = ended_session(client, 1, max_tokens=1), ended_session(client, 2, max_tokens=64)
    batch = client.export_batch([long, short])
    cut = np.array([reason == "length" for reason in batch.texts("finish_reason")])
    assert batch.column("truncated").tolist() == cut.tolist()
    assert cut[0]
    mask = ratios.overlong_mask(batch)
    assert (mask[cut] == 0).all()
    assert (mask[~cut] == batch["loss_mask"][~cut]).all()


def test_only_the_cut_turns_of_a_row_are_left_out(client: Client) -> None:
    ids = random_sessions(client, 6, seed=4)
    options = {"style": "concat", "on_mismatch": "split", "turns": True}
    batch = client.export_batch(ids, **options)  # type: ignore[arg-type]
    mask = ratios.overlong_mask(batch)
    bounds = batch["cu_turns"].tolist()
    reasons = batch.texts("finish_reason", turns=True)
    for row, (first, last) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
        for turn in range(first, last):
            output = slice(int(batch["turn_start"][turn]), int(batch["turn_end"][turn]))
            expected = 0 if reasons[turn] == "length" else batch["loss_mask"][row, output]
            assert (mask[row, output] == expected).all()


def test_a_row_that_the_export_cut_is_overlong(client: Client) -> None:
    session = ended_session(client, 1)
    length = client.export_batch([session], acknowledge=True).rows[0]["length"]
    batch = client.export_batch([session], max_length=length - 1, overflow="truncate", turns=True)
    assert batch.column("truncated").all()
    assert (ratios.overlong_mask(batch) == 0).all()


def test_a_group_is_stale_as_a_whole(client: Client) -> None:
    ids = []
    try:
        for number in range(4):
            client.set_version(number)
            ids.append(ended_session(client, 1, 0.5, f"g{number % 2}"))
    finally:
        client.set_version(0)
    batch = client.export_batch(ids)
    assert batch.column("min_version").tolist() == batch.column("max_version").tolist() == [0, 1, 2, 3]
    assert ratios.stale_groups(batch, 1).tolist() == [True, False, True, False]
    assert not ratios.stale_groups(batch, 0).any()


def test_samples_describe_their_turns_and_episode(client: Client) -> None:
    rng = random.Random(7)
    ids = [ended_session(client, 3, rng.random(), "g") for _ in range(4)]
    options = {"style": "concat", "on_mismatch": "split", "turns": True, "discount": 0.5, "shared_turns": "first"}
    batch = client.export_batch(ids, **options)  # type: ignore[arg-type]
    samples = batch.samples()
    seen = set()
    for sample in samples:
        assert sample.turns
        covered = [0] * len(sample.response_ids)
        for turn in sample.turns:
            covered[turn.start : turn.end] = [1] * (turn.end - turn.start)
            seen.add((sample.session_id, turn.interaction))
        assert covered == sample.response_mask.tolist()
        assert sample.min_version == sample.max_version == 0
        assert sample.created_at > 1.7e9
        assert sample.finish_reason == sample.turns[-1].finish_reason
        assert sample.truncated == (sample.finish_reason == "length")
    assert len(seen) == sum(len(sample.turns) for sample in samples) == 12
    assert sum(sample.is_last for sample in samples) == 4
    bare = client.export_batch([ended_session(client, 1)], row_tensors=False).samples()
    assert (bare[0].turns, bare[0].is_last, bare[0].episode_reward) == ((), True, 0.0)
