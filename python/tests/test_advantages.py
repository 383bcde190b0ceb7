"""Advantages and returns, compared with plain Python."""

from __future__ import annotations

import random
import statistics
from collections import defaultdict

import numpy as np
import pytest

from conversations import random_sessions
from rolltape import Client, advantages
from rolltape.advantages import grpo_values, rloo_values
from support import ended_session


def random_rewards(seed: int) -> tuple[list[float], list[str], list[str]]:
    """Rewards, groups and sessions of some rows."""
    rng = random.Random(seed)
    rows = [(rng.choice([0.0, 1.0, rng.uniform(-2, 2)]), f"s{rng.randint(0, 12)}") for _ in range(rng.randint(1, 40))]
    group_of = {f"s{number}": f"g{number % rng.randint(1, 5)}" for number in range(13)}
    return [reward for reward, _ in rows], [group_of[session] for _, session in rows], [session for _, session in rows]


@pytest.mark.parametrize("seed", range(25))
def test_grpo_is_the_distance_from_the_mean_of_the_group(seed: int) -> None:
    rewards, groups, _ = random_rewards(seed)
    members = defaultdict(list)
    for reward, group in zip(rewards, groups, strict=True):
        members[group].append(reward)
    expected = [reward - statistics.fmean(members[group]) for reward, group in zip(rewards, groups, strict=True)]
    assert grpo_values(rewards, groups, std=False).tolist() == pytest.approx(expected, abs=1e-6)
    scaled = [value / (statistics.pstdev(members[group]) + 1e-6) for value, group in zip(expected, groups, strict=True)]
    assert grpo_values(rewards, groups).tolist() == pytest.approx(scaled, abs=1e-4)


@pytest.mark.parametrize("seed", range(25))
def test_rloo_is_the_distance_from_the_mean_of_the_others(seed: int) -> None:
    rewards, groups, _ = random_rewards(seed)
    expected = []
    for index, (reward, group) in enumerate(zip(rewards, groups, strict=True)):
        others = [rewards[other] for other in range(len(rewards)) if other != index and groups[other] == group]
        expected.append(reward - statistics.fmean(others) if others else 0.0)
    constant = {group for group in groups if len({r for r, g in zip(rewards, groups, strict=True) if g == group}) == 1}
    expected = [0.0 if group in constant else value for value, group in zip(expected, groups, strict=True)]
    assert rloo_values(rewards, groups).tolist() == pytest.approx(expected, abs=1e-6)


def test_equal_rewards_have_no_advantage_although_their_mean_is_rounded() -> None:
    assert sum([0.1] * 3) / 3 != 0.1
    assert grpo_values([0.1] * 3, ["g"] * 3).tolist() == [0, 0, 0]
    assert rloo_values([0.1] * 3, ["g"] * 3).tolist() == [0, 0, 0]
    assert grpo_values([5.0], ["alone"]).tolist() == rloo_values([5.0], ["alone"]).tolist() == [0]


def test_weights_count_an_episode_as_often_as_wanted() -> None:
    # One session of three rows and one of one row: the mean is 1.5, not 1.25.
    values = grpo_values([1, 1, 1, 2], ["g"] * 4, std=False, weights=[1 / 3, 1 / 3, 1 / 3, 1])
    assert values.tolist() == pytest.approx([-0.5, -0.5, -0.5, 0.5])


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("function", [grpo_values, rloo_values])
def test_a_reward_that_is_not_finite_is_refused(function: object, wrong: float) -> None:
    with pytest.raises(ValueError, match="Every reward must be finite; number 1 is"):
        function([0.0, wrong], ["g", "g"])  # type: ignore[operator]


def test_each_reward_needs_a_group() -> None:
    with pytest.raises(ValueError, match="one group for each of 2 rewards; received 1"):
        grpo_values([1, 2], ["g"])


def test_episodes_that_all_succeed_have_no_advantage_under_a_discount(client: Client) -> None:
    ids = [ended_session(client, 3, 1.0, "g") for _ in range(3)]
    for style in ("individual", "concat"):
        batch = client.export_batch(ids, discount=0.9, style=style, on_mismatch="split")  # type: ignore[arg-type]
        assert advantages.grpo(batch).tolist() == advantages.rloo(batch).tolist() == [0.0] * len(batch)
        assert advantages.zero_variance(batch).all()
        assert batch.column("episode_reward").tolist() == [1.0] * len(batch)
        assert batch.column("episode_return").tolist() == pytest.approx([0.81] * len(batch))


def test_episodes_count_once_however_many_rows_they_have(client: Client) -> None:
    ids = [ended_session(client, turns, reward, "g") for turns, reward in [(1, 1.0), (1, 1.0), (4, 0.0), (4, 0.0)]]
    batch = client.export_batch(ids)
    assert advantages.grpo(batch).tolist() == pytest.approx([1.0] * 2 + [-1.0] * 8, abs=1e-4)
    assert advantages.grpo(batch, count_rows=True).tolist() == pytest.approx([2.0] * 2 + [-0.5] * 8, abs=1e-4)


def test_an_episode_without_a_reward_is_not_compared(client: Client) -> None:
    ids = [ended_session(client, 1, reward, "g") for reward in (1.0, None, 0.0)]
    batch = client.export_batch(ids)
    assert advantages.grpo(batch).tolist() == pytest.approx([1.0, 0.0, -1.0], abs=1e-4)
    assert advantages.rloo(batch).tolist() == [1.0, 0.0, -1.0]
    assert advantages.zero_variance(batch).tolist() == [False, True, False]
    assert [each["reward"] for each in batch.episodes] == [1.0, None, 0.0]


@pytest.mark.parametrize("shards", [2, 3, 5, 9])
def test_every_shard_computes_what_one_process_would(client: Client, shards: int) -> None:
    rng = random.Random(shards)
    ids = [ended_session(client, rng.randint(1, 3), rng.random(), f"g{number % 3}") for number in range(9)]
    whole = client.export_batch(ids, discount=0.9, acknowledge=True)
    functions = [advantages.grpo, advantages.rloo, advantages.zero_variance]
    names = [row["interaction_id"] for row in whole.rows]
    for shard in range(shards):
        part = client.export_batch(ids, discount=0.9, shards=shards, shard=shard, acknowledge=True)
        where = [names.index(row["interaction_id"]) for row in part.rows]
        for function in functions:
            assert function(part).tolist() == function(whole)[where].tolist()


def test_turns_are_compared_with_the_same_turn_or_with_all_turns(client: Client) -> None:
    ids = [ended_session(client, 2, reward, "g") for reward in (1.0, 0.0)]
    batch = client.export_batch(ids, discount=0.5)
    assert batch.rewards.tolist() == [0.5, 1.0, 0.0, 0.0]
    assert advantages.grpo_by_turn(batch).tolist() == pytest.approx([1, 1, -1, -1], abs=1e-4)
    assert advantages.grpo_by_turn(batch, std=False).tolist() == [0.25, 0.5, -0.25, -0.5]
    assert advantages.grpo_by_return(batch, std=False).tolist() == [0.125, 0.625, -0.375, -0.375]
    options = {"style": "concat", "on_mismatch": "split", "turns": True, "discount": 0.5}
    turns = client.export_batch(ids, **options)  # type: ignore[arg-type]
    assert advantages.grpo_by_turn(turns, std=False).tolist() == [0.25, 0.5, -0.25, -0.5]
    assert advantages.grpo_by_return(turns, std=False).tolist() == [0.125, 0.625, -0.375, -0.375]


def test_turns_of_a_shard_are_not_compared_without_the_rest_of_their_group(client: Client) -> None:
    ids = [ended_session(client, 2, reward, "g") for reward in (1.0, 0.0)]
    shard = client.export_batch(ids, shards=2, shard=0)
    with pytest.raises(ValueError, match="the batch lacks rows of session"):
        advantages.grpo_by_turn(shard)


def test_batches_use_their_group_ids(client: Client) -> None:
    ids = [
        ended_session(client, 2, reward, group) for reward, group in [(1.0, "a"), (0.0, "a"), (1.0, "b"), (1.0, "b")]
    ]
    ids.append(ended_session(client, 1, 3.0))
    batch = client.export_batch(ids, discount=1.0)
    assert advantages.grpo(batch).tolist() == pytest.approx([1, 1, -1, -1, 0, 0, 0, 0, 0], abs=1e-4)
    assert advantages.grpo(batch, std=False).tolist() == [0.5, 0.5, -0.5, -0.5, 0, 0, 0, 0, 0]
    assert advantages.rloo(batch).tolist() == [1, 1, -1, -1, 0, 0, 0, 0, 0]
    assert advantages.zero_variance(batch).tolist() == [False] * 4 + [True] * 5


@pytest.mark.parametrize("layout", ["padded", "packed"])
def test_turn_returns_are_discounted_sums_over_the_later_turns(client: Client, layout: str) -> None:
    ids = random_sessions(client, 8, seed=5)
    options = {"layout": layout, "style": "concat", "on_mismatch": "split", "turns": True}
    batch = client.export_batch(ids, discount=0.5, **options)  # type: ignore[arg-type]
    own = batch.turn_column("own_reward").tolist()
    bounds = batch["cu_turns"].tolist()
    expected = []
    for begin, end in zip(bounds[:-1], bounds[1:], strict=True):
        expected += [
            sum(0.5 ** (later - turn) * own[later] for later in range(turn, end)) for turn in range(begin, end)
        ]
    returns = advantages.turn_returns(batch)
    assert returns.tolist() == pytest.approx(expected, abs=1e-6)
    assert advantages.turn_returns(batch, 0.0).tolist() == own
    # The first turn of each row has the reward of `concat_reward: return`.
    whole = client.export_batch(ids, discount=0.5, concat_reward="return", **options)  # type: ignore[arg-type]
    assert returns[batch["cu_turns"][:-1]].tolist() == pytest.approx(whole.rewards.tolist(), abs=1e-6)
    credit = advantages.at_turns(batch, returns, otherwise=-9.0)
    assert credit.shape == batch["input_ids"].shape
    assert ((credit != -9.0) == (batch["loss_mask"] == 1)).all()
    with pytest.raises(ValueError, match="discount must be from 0 to 1"):
        advantages.turn_returns(batch, 1.5)


@pytest.mark.parametrize("layout", ["padded", "packed", "tree"])
def test_values_of_rows_spread_over_their_own_tokens(client: Client, layout: str) -> None:
    ids = random_sessions(client, 6, seed=9)
    batch = client.export_batch(ids, layout=layout, pad_side="left")  # type: ignore[arg-type]
    spread = advantages.at_rows(batch, np.arange(1, len(batch) + 1))
    flat = spread.reshape(-1)
    for row, (place, own) in enumerate(zip(batch.places.all, batch.places.own, strict=True)):
        assert set(flat[place[len(place) - own :]].tolist()) <= {float(row + 1)}
    assert (flat > 0).sum() == sum(batch.places.own)
    with pytest.raises(ValueError, match="one value for each of"):
        advantages.at_rows(batch, [1.0])
    temperatures = advantages.token_temperatures(batch)
    assert {round(value, 1) for value in temperatures[batch["loss_mask"] == 1].tolist()} <= {0.7, 1.0, 1.3}


def test_a_row_of_mixed_temperatures_needs_turns(client: Client) -> None:
    ids = random_sessions(client, 10, seed=3)
    options = {"style": "concat", "on_mismatch": "split"}
    mixed = client.export_batch(ids, **options)  # type: ignore[arg-type]
    if not mixed["row_mixed_temperatures"].any():
        mixed.tensors["row_mixed_temperatures"][0] = True
    with pytest.raises(ValueError, match="turns=True"):
        advantages.token_temperatures(mixed)


def test_equal_rewards_have_no_advantage_without_an_epsilon_either() -> None:
    assert advantages.grpo_values([1, 1, 5], ["a", "a", "b"], epsilon=0).tolist() == [0.0, 0.0, 0.0]
