"""Advantages of rows and turns relative to their group. All results are float32 numpy arrays.

- `grpo`, `rloo`: one value for each episode, from what the agent returned, spread over the episode's rows. Use these
  unless you know that a turn deserves credit of its own.
- `grpo_by_turn`: one value for each turn, compared with the same turn of the other episodes. Use it if agents reward
  single turns and the turns of a group correspond to each other.
- `grpo_by_return`: one value for each turn, compared with all turns of the group. Use it if every turn starts from a
  comparable state. Under a discount, late turns of a success have the higher return.

The functions take a Batch. `grpo_values` and `rloo_values` do the same for rewards and groups of your own.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .batch.token_values import at_rows, at_turns, token_temperatures

if TYPE_CHECKING:
    from .batch import Batch

__all__ = [
    "at_rows",
    "at_turns",
    "group_indices",
    "grpo",
    "grpo_by_return",
    "grpo_by_turn",
    "grpo_values",
    "rloo",
    "rloo_values",
    "token_temperatures",
    "turn_returns",
    "zero_variance",
]

Floats = NDArray[np.float64]
# Names of any kind, or an array of integers, which needs no loop.
Groups = Sequence[Hashable] | NDArray[np.int64]


def grpo(batch: Batch, *, std: bool = True, count_rows: bool = False, epsilon: float = 1e-6) -> NDArray[np.float32]:
    """Returns [B]: what the episode's agent returned, less the mean of its group, divided by the group's standard deviation.

    The statistics are those of the whole export, so every shard has the values that one process would compute. An
    episode without a reward has advantage 0 and does not count in the statistics.

    std: false leaves the division out (Dr. GRPO).
    count_rows: an episode counts in mean and deviation as often as it has rows. By default each counts once.
    epsilon: added to the deviation. A group whose rewards are all equal has advantages 0 in any case.

    Raises BatchError `batch_mismatch` if the batch was exported without row tensors.
    """
    rewards, groups, rows = _rewarded_episodes(batch)
    weights = rows.astype(np.float64) if count_rows else np.ones(len(rows))
    return _at_episodes(batch, _grpo(rewards, groups, weights, std, epsilon))


def rloo(batch: Batch) -> NDArray[np.float32]:
    """Returns [B]: what the episode's agent returned, less the mean of the other episodes of its group.

    A group of one has advantage 0, because there is nothing to compare it with. Otherwise as grpo.
    """
    rewards, groups, _ = _rewarded_episodes(batch)
    return _at_episodes(batch, _rloo(rewards, groups))


def grpo_by_turn(batch: Batch, *, std: bool = True, epsilon: float = 1e-6) -> NDArray[np.float32]:
    """Returns one value per turn: its final reward relative to the turns at the same depth in its group.

    [turns] if the batch has turns (`turns=True`), for `at_turns`; else [B], for `individual` rows and nodes of a tree.
    A turn that several rows hold counts once.

    Raises ValueError for a shard that lacks rows of its groups.
    """
    turns = _Turns(batch)
    groups = _number_pairs(turns.groups, turns.depths)
    return _grpo(turns.rewards, groups, turns.weights, std, epsilon)


def grpo_by_return(batch: Batch, *, std: bool = True, epsilon: float = 1e-6) -> NDArray[np.float32]:
    """Returns one value per turn: its final reward relative to all turns of its group. Otherwise as grpo_by_turn."""
    turns = _Turns(batch)
    return _grpo(turns.rewards, turns.groups, turns.weights, std, epsilon)


def grpo_values(
    rewards: Any,
    groups: Groups,
    *,
    std: bool = True,
    weights: Any = None,
    epsilon: float = 1e-6,
) -> NDArray[np.float32]:
    """As grpo, for rewards [B] and the group of each. weights: the weight of each reward in mean and standard deviation."""
    values, group = _finite(rewards), group_indices(groups, len(np.atleast_1d(rewards)))
    weight = np.ones(len(values)) if weights is None else _finite(weights, "weight")
    return _grpo(values, group, weight, std, epsilon)


def _grpo(values: Floats, group: NDArray[np.int64], weight: Floats, std: bool, epsilon: float) -> NDArray[np.float32]:
    centred = values - _group_means(values, group, weight)[group]
    constant = _constant(values, group)
    if std:
        deviations = np.sqrt(_group_means(centred**2, group, weight))[group] + epsilon
        centred /= np.where(constant, 1.0, deviations)
    centred[constant] = 0.0
    return centred.astype(np.float32)


def rloo_values(rewards: Any, groups: Groups) -> NDArray[np.float32]:
    """As rloo, for rewards [B] and the group of each."""
    return _rloo(_finite(rewards), group_indices(groups, len(np.atleast_1d(rewards))))


def _rloo(values: Floats, group: NDArray[np.int64]) -> NDArray[np.float32]:
    others = np.bincount(group, minlength=1)[group] - 1
    total = np.bincount(group, weights=values, minlength=1)[group] - values
    advantages = values - np.divide(total, others, out=values.copy(), where=others > 0)
    advantages[_constant(values, group)] = 0.0
    return advantages.astype(np.float32)


def zero_variance(batch: Batch) -> NDArray[np.bool_]:
    """Returns [B]: true for rows of groups whose episodes all returned the same. They train nothing; drop them or sample more.

    Looks at the whole export, as grpo does. Also true for the rows of an episode without a reward.
    """
    rewards, groups, _ = _rewarded_episodes(batch)
    return np.asarray(_at_episodes(batch, _constant(rewards, groups), otherwise=True), np.bool_)


def turn_returns(batch: Batch, discount: float | None = None) -> NDArray[np.float32]:
    """Returns one value per turn: Σ γ^k · own reward over the turns from this one (k = 0) to the last of its row.

    discount: γ from 0 to 1; default: that of the export. The batch must have been exported with `turns=True`. Rewards
        of a whole session and of other branches do not count. Spread the result over tokens with `at_turns`.
    """
    gamma = batch.discount if discount is None else discount
    if not 0 <= gamma <= 1:
        raise ValueError(f"discount must be from 0 to 1; received {gamma}.")
    returns = _finite(batch.turn_column("own_reward"))
    bounds = batch.turn_bounds
    counts = np.diff(bounds)
    # From the last turns of all rows to the first ones: the second to last turn of each row, then the one before, and so on.
    for back in range(2, int(counts.max(initial=0)) + 1):
        turns = (bounds[1:] - back)[counts >= back]
        returns[turns] += gamma * returns[turns + 1]
    return returns.astype(np.float32)


def group_indices(groups: Groups, count: int) -> NDArray[np.int64]:
    """Returns the number of each row's group, from 0 in the order of their first rows."""
    if len(groups) != count:
        raise ValueError(f"There must be one group for each of {count} rewards; received {len(groups)}.")
    if not isinstance(groups, np.ndarray):
        numbers = {name: number for number, name in enumerate(dict.fromkeys(groups))}
        return np.fromiter(map(numbers.__getitem__, groups), np.int64, count)
    _, first, number = np.unique(groups, return_index=True, return_inverse=True)
    # unique numbers the groups by their value.
    return np.asarray(np.argsort(np.argsort(first))[number], np.int64)


def _rewarded_episodes(batch: Batch) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Returns reward, group and number of rows of each episode with a reward, in the order of the whole export."""
    rewarded = batch.episode_column("has_reward")
    rewards, groups, rows = (batch.episode_column(name)[rewarded] for name in ("reward", "group", "rows"))
    return _finite(rewards), groups.astype(np.int64), rows


def _at_episodes(batch: Batch, values: NDArray[Any], otherwise: float = 0.0) -> NDArray[Any]:
    """Gives each row the value of its episode. values: of the episodes with a reward."""
    rewarded = batch.episode_column("has_reward")
    of_episode = np.full(len(rewarded), otherwise, values.dtype)
    of_episode[rewarded] = values
    return np.asarray(of_episode[batch.episode_of_row])


class _Turns:
    """The turns of a batch, or its rows if each is one turn.

    groups, depths: int64, of each turn. weights: 1 / number of rows that hold the turn, so that each turn counts once.
    """

    def __init__(self, batch: Batch) -> None:
        _require_whole_groups(batch)
        if "cu_turns" in batch:
            row = np.repeat(np.arange(len(batch)), np.diff(batch.turn_bounds))
            column, rewards = batch.turn_column, batch.turn_column("reward")
        else:
            if batch.layout != "tree" and batch.metadata_texts.get("style") == "concat":
                batch.turn_column("reward")
            row, column, rewards = np.arange(len(batch)), batch.column, batch.rewards
        self.rewards = _finite(rewards)
        self.groups = batch.group_of_row[row]
        self.depths = column("turn").astype(np.int64)
        calls = _number_pairs(batch.episode_of_row[row], column("interaction").astype(np.int64))
        self.weights = 1.0 / np.bincount(calls)[calls] if len(calls) else np.zeros(0)


def _number_pairs(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns a number for each distinct pair. The values must be 0 or more."""
    width = int(second.max(initial=0)) + 1
    pairs = first * width + second
    # Numbers may have gaps, but not so many that arrays of one entry for each number outgrow the batch.
    if pairs.max(initial=0) < 8 * len(pairs):
        return pairs
    return np.asarray(np.unique(pairs, return_inverse=True)[1], np.int64)


def _require_whole_groups(batch: Batch) -> None:
    rows = batch.episode_column("rows")
    lacking = np.flatnonzero(np.bincount(batch.episode_of_row, minlength=len(rows)) != rows)
    if len(lacking):
        raise ValueError(
            "Turns are compared within their group, but the batch lacks rows of session "
            f"{batch.episodes[lacking[0]]['session_id']}. "
            "Export without shards, or use grpo, whose statistics every shard carries."
        )


def _finite(values: Any, what: str = "reward") -> Floats:
    array = np.array(values, np.float64).reshape(-1)
    wrong = np.flatnonzero(~np.isfinite(array))
    if len(wrong):
        raise ValueError(f"Every {what} must be finite; number {wrong[0]} is {array[wrong[0]]}.")
    return array


def _group_means(values: Floats, group: NDArray[np.int64], weights: Floats) -> Floats:
    totals = np.bincount(group, weights=values * weights, minlength=1)
    # A number that no value has is no group.
    return totals / np.maximum(np.bincount(group, weights=weights, minlength=1), np.finfo(float).tiny)


def _constant(values: Floats, group: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Returns [B]: true in groups of equal values. Compares instead of subtracting the mean, which is rounded:
    (0.1 + 0.1 + 0.1) / 3 is not 0.1."""
    groups = int(group.max()) + 1 if len(group) else 0
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, group, values)
    np.maximum.at(high, group, values)
    return np.asarray((low == high)[group], np.bool_)
