"""The rows of a batch one by one, for trainers that have sample types of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .safetensors import Array

if TYPE_CHECKING:
    from .batch import Batch, RowInfo

# Prompt ids, and ids, mask, log probabilities and versions of the response.
TokenParts = tuple[Array, Array, Array, Array, Array]


class Turn(NamedTuple):
    """A model call within a response.

    start, end: its output is response_ids[start:end].
    own_reward: the reward that was set for the call itself; None without one.
    finish_reason: why it ended; `length`: it reached its token limit.
    interaction: index of the call in its session.
    """

    start: int
    end: int
    own_reward: float | None
    finish_reason: str | None
    interaction: int


@dataclass(frozen=True, eq=False)
class Sample:
    """One row. The response begins with the first token that is trained on, so it may contain prompts of later turns.

    The arrays share the memory of the batch, but for prompt_ids of a `tree` batch. `.tolist()` makes plain lists of them.

    prompt_ids: int32, token ids before the response.
    response_ids: int32, token ids from the first output token to the row's end.
    response_mask: int32, 1 at tokens that the model sampled and that are trained on, else 0. As long as response_ids.
    response_logprobs: float32, recorded log probabilities in nats; 0 where the mask is 0.
    response_versions: int32, weight version of each token; -1 where the mask is 0.
    reward: the row's reward, after discount.
    temperature: divisor of the logits that reproduces response_logprobs; 1 without row tensors. See also
        `mixed_temperatures` in docs/reference/batch-format.md.
    session_id, task_id, group_id, interaction_id: where the row comes from. group_id is None without a group.
    episode_reward: what the agent returned for the whole session, undiscounted; 0 without any reward.
    episode_return: the same, discounted from the first turn.
    session_row, is_last: position among the session's rows of the export, from 0, and whether it is the last one.
    truncated: the last turn reached its token limit, or the export cut the row.
    finish_reason: why the last turn ended.
    min_version, max_version: lowest and highest weight version of the trained tokens; -1 without any.
    created_at: when the last turn completed, in seconds since the Unix epoch.
    turns: the calls that the row trains on. Empty unless the batch was exported with `turns=True`.

    Without row tensors, temperature is 1, and the fields from episode_reward on have the values of a single row without
    rewards.
    """

    prompt_ids: Array
    response_ids: Array
    response_mask: Array
    response_logprobs: Array
    response_versions: Array
    reward: float
    temperature: float
    session_id: str
    task_id: str
    group_id: str | None
    interaction_id: str
    episode_reward: float = 0.0
    episode_return: float = 0.0
    session_row: int = 0
    is_last: bool = True
    truncated: bool = False
    finish_reason: str | None = None
    min_version: int = -1
    max_version: int = -1
    created_at: float = 0.0
    turns: Sequence[Turn] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sample):
            return NotImplemented
        return all(np.array_equal(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))

    __hash__ = None  # type: ignore[assignment]


def to_samples(batch: Batch) -> list[Sample]:
    described = _described(batch)
    temperatures = batch["row_temperature"].tolist() if "row_temperature" in batch else [1.0] * len(batch)
    prompts = _prompt_lengths(batch)
    parts: Iterable[tuple[RowInfo, TokenParts, float, float, Sequence[Turn], dict[str, Any]]] = zip(
        batch.rows,
        _token_parts(batch, prompts),
        batch.rewards.tolist(),
        temperatures,
        _turns(batch, prompts),
        described,
        strict=True,
    )
    return [
        Sample(
            *tokens,
            reward=reward,
            temperature=temperature,
            session_id=info["session_id"],
            task_id=info["task_id"],
            group_id=info.get("group_id"),
            interaction_id=info["interaction_id"],
            turns=turns,
            **fields,
        )
        for info, tokens, reward, temperature, turns, fields in parts
    ]


def _prompt_lengths(batch: Batch) -> Array:
    """Returns int64 [B]: how many tokens of each row come before the first own token that is trained on."""
    places = batch.places
    trained = np.flatnonzero(batch["loss_mask"])
    # The number of trained tokens before the row's own ones is the index of its first trained token, if it has one.
    at = np.searchsorted(trained, places.begins)
    first = trained[np.minimum(at, len(trained) - 1)] if len(trained) else np.zeros(len(at), np.int64)
    found = (at < len(trained)) & (first < places.begins + places.own)
    return np.where(found, places.lengths - places.own + first - places.begins, places.lengths)


def _token_parts(batch: Batch, prompts: Array) -> Iterator[TokenParts]:
    """Yields the tokens of each row."""
    ids, mask, logprobs, versions = (
        batch[name].reshape(-1) for name in ("input_ids", "loss_mask", "logprobs", "versions")
    )
    places = batch.places
    ends = places.begins + places.own
    # A response begins with an own token, so all layouts have it in one piece. So have padded and packed batches the prompt.
    responses = ends - (places.lengths - prompts)
    if batch.layout == "tree":
        # The outputs of earlier nodes are trained on in their own rows.
        tokens, bounds = ids[places.flat], places.bounds[:-1]
    else:
        tokens, bounds = ids, places.begins
    for begin, count, start, end in zip(*(each.tolist() for each in (bounds, prompts, responses, ends)), strict=True):
        yield tokens[begin : begin + count], ids[start:end], mask[start:end], logprobs[start:end], versions[start:end]


def _described(batch: Batch) -> list[dict[str, Any]]:
    """Returns the fields of each sample that row columns have."""
    if "row_session_row" not in batch:
        return [{}] * len(batch)
    names = ("episode_reward", "episode_return", "session_row", "truncated", "min_version", "max_version")
    columns: dict[str, list[Any]] = {name: batch.column(name).tolist() for name in names}
    columns["is_last"] = (batch.column("session_row") == batch.column("session_rows") - 1).tolist()
    columns["finish_reason"] = list(batch.texts("finish_reason"))
    columns["created_at"] = (batch.column("created_at") + batch.column("created_at_ms") / 1000).tolist()
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _turns(batch: Batch, prompts: Array) -> Iterator[Sequence[Turn]]:
    """Yields the turns of each row."""
    if "cu_turns" not in batch:
        yield from repeat((), len(batch))
        return
    bounds = batch["cu_turns"].tolist()
    before = np.repeat(prompts, np.diff(batch["cu_turns"]))
    rewarded = zip(batch["turn_own_reward"].tolist(), batch["turn_has_reward"].tolist(), strict=True)
    turns = list(
        map(
            Turn,
            (batch["turn_start"] - before).tolist(),
            (batch["turn_end"] - before).tolist(),
            [reward if has_reward else None for reward, has_reward in rewarded],
            batch.texts("finish_reason", turns=True),
            batch["turn_interaction"].tolist(),
        )
    )
    for first, last in zip(bounds[:-1], bounds[1:], strict=True):
        yield tuple(turns[first:last])
