"""Advantages of rows relative to their group, and per-turn returns. All results are float32 numpy arrays.

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
    "grpo_values",
    "rloo",
    "rloo_values",
    "session_weights",
    "token_temperatures",
    "turn_returns",
    "zero_variance",
]

Floats = NDArray[np.float64]


def grpo(batch: Batch, *, std: bool = True, per_session: bool = False, epsilon: float = 1e-6) -> NDArray[np.float32]:
    """Returns [B]: the reward less the mean of its group, divided by the group's standard deviation.

    std: false leaves the division out (Dr. GRPO).
    per_session: every session counts once in mean and deviation, however many rows it has. By default every row does.
    epsilon: added to the deviation. A group whose rewards are all equal has advantages 0 in any case.

    Raises ValueError if a reward is NaN or infinite.
    """
    weights = session_weights(batch) if per_session else None
    return grpo_values(batch.rewards, batch.groups, std=std, weights=weights, epsilon=epsilon)


def rloo(batch: Batch, *, per_session: bool = False) -> NDArray[np.float32]:
    """Returns [B]: the reward less the mean of the other rows of its group.

    per_session: less the mean of the other sessions of its group; every session counts once. A group of one has
    advantage 0, because there is nothing to compare it with.

    Raises ValueError if a reward is NaN or infinite.
    """
    sessions = batch.session_ids if per_session else None
    return rloo_values(batch.rewards, batch.groups, sessions=sessions)


def grpo_values(
    rewards: Any,
    groups: Sequence[Hashable],
    *,
    std: bool = True,
    weights: Any = None,
    epsilon: float = 1e-6,
) -> NDArray[np.float32]:
    """As grpo, for rewards [B] and the group of each. weights: the weight of each reward in mean and standard deviation."""
    values, group = _finite(rewards), group_indices(groups, len(np.atleast_1d(rewards)))
    weight = np.ones(len(values)) if weights is None else _finite(weights, "weight")
    centred = values - _group_means(values, group, weight)[group]
    centred[_constant(values, group)] = 0.0
    if std:
        centred /= np.sqrt(_group_means(centred**2, group, weight))[group] + epsilon
    return centred.astype(np.float32)


def rloo_values(
    rewards: Any, groups: Sequence[Hashable], *, sessions: Sequence[Hashable] | None = None
) -> NDArray[np.float32]:
    """As rloo, for rewards [B] and the group of each. sessions: rows of one session are not compared with each other."""
    values, group = _finite(rewards), group_indices(groups, len(np.atleast_1d(rewards)))
    unit = np.arange(len(values)) if sessions is None else group_indices(sessions, len(values))
    counts = np.bincount(unit) if len(unit) else np.zeros(0)
    means = np.bincount(unit, weights=values) / np.maximum(counts, 1) if len(unit) else np.zeros(0)
    group_of_unit = np.zeros(len(counts), np.int64)
    group_of_unit[unit] = group
    units_in_group = np.bincount(group_of_unit, minlength=1)
    others = units_in_group[group] - 1
    total = np.bincount(group_of_unit, weights=means, minlength=1)[group] - means[unit]
    baseline = np.divide(total, others, out=values.copy(), where=others > 0)
    advantages = values - baseline
    advantages[_constant(values, group)] = 0.0
    return advantages.astype(np.float32)


def zero_variance(batch: Batch) -> NDArray[np.bool_]:
    """Returns [B]: true for rows of groups whose rewards are all equal. They train nothing; drop them or sample more."""
    return _constant(_finite(batch.rewards), group_indices(batch.groups, len(batch)))


def turn_returns(batch: Batch, discount: float | None = None) -> NDArray[np.float32]:
    """Returns one value per turn: Σ γ^k · own reward over the turns from this one (k = 0) to the last of its row.

    discount: γ from 0 to 1; default: that of the export. The batch must have been exported with `turns=True`. Rewards
        of a whole session and of other branches do not count. Spread the result over tokens with `at_turns`.
    """
    gamma = batch.discount if discount is None else discount
    if not 0 <= gamma <= 1:
        raise ValueError(f"discount must be from 0 to 1; received {gamma}.")
    returns = _finite(batch.turn_column("own_reward"))
    bounds = batch["cu_turns"].tolist()
    for first, last in zip(bounds[:-1], bounds[1:], strict=True):
        for turn in range(last - 2, first - 1, -1):
            returns[turn] += gamma * returns[turn + 1]
    return returns.astype(np.float32)


def session_weights(batch: Batch) -> Floats:
    """Returns [B]: 1 divided by the number of rows of the row's session, so that every session counts once."""
    session = group_indices(batch.session_ids, len(batch))
    return 1.0 / np.bincount(session)[session] if len(batch) else np.zeros(0)


def group_indices(groups: Sequence[Hashable], count: int) -> NDArray[np.int64]:
    """Returns the number of each row's group, from 0 in the order of their first rows."""
    if len(groups) != count:
        raise ValueError(f"There must be one group for each of {count} rewards; received {len(groups)}.")
    numbers = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    return np.array([numbers[name] for name in groups], np.int64)


def _finite(values: Any, what: str = "reward") -> Floats:
    array = np.array(values, np.float64).reshape(-1)
    wrong = np.flatnonzero(~np.isfinite(array))
    if len(wrong):
        raise ValueError(f"Every {what} must be finite; number {wrong[0]} is {array[wrong[0]]}.")
    return array


def _group_means(values: Floats, group: NDArray[np.int64], weights: Floats) -> Floats:
    if len(values) == 0:
        return np.zeros(0)
    return np.bincount(group, weights=values * weights) / np.bincount(group, weights=weights)


def _constant(values: Floats, group: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Returns [B]: true in groups of equal values. Compares instead of subtracting the mean, which is rounded:
    (0.1 + 0.1 + 0.1) / 3 is not 0.1."""
    groups = int(group.max()) + 1 if len(group) else 0
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, group, values)
    np.maximum.at(high, group, values)
    return np.asarray((low == high)[group], np.bool_)
