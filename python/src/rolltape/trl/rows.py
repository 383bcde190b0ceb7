"""Turns a batch into rows as TRL trains on them, and refuses those whose ratio would be wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..batch import Batch
from ..batch.safetensors import Array
from ..errors import BatchError

# Recorded temperatures are float32.
_TOLERANCE = 1e-5


@dataclass(frozen=True)
class Row:
    """One sequence of tokens.

    index: the row's index in the batch.
    prompt_tokens: number of tokens before the first trained one.
    mask: 1 at tokens that are trained on, else 0. logprobs: in nats; 0 where the mask is 0.
    version: the oldest weight version that sampled one of the trained tokens.
    reward: what the agent returned for the whole episode, undiscounted.
    """

    index: int
    session_id: str
    prompt_tokens: int
    input_ids: list[int]
    mask: list[int]
    logprobs: list[float]
    version: int
    reward: float

    @property
    def trained_tokens(self) -> int:
        return sum(self.mask)


def read_rows(batch: Batch) -> list[Row]:
    """Returns the rows that have a trained token, of episodes with a reward."""
    unrewarded = set(unrewarded_sessions(batch))
    rows = []
    for index, sample in enumerate(batch.samples()):
        if 1 not in sample.response_mask or sample.session_id in unrewarded:
            continue
        before = len(sample.prompt_ids)
        rows.append(
            Row(
                index=index,
                session_id=sample.session_id,
                prompt_tokens=before,
                input_ids=sample.prompt_ids.tolist() + sample.response_ids.tolist(),
                mask=[0] * before + sample.response_mask.tolist(),
                logprobs=[0.0] * before + sample.response_logprobs.tolist(),
                version=sample.min_version,
                reward=sample.episode_reward,
            )
        )
    return rows


def unrewarded_sessions(batch: Batch) -> list[str]:
    """Returns the sessions in which nothing was rewarded. Their reward is not known, so it is not 0."""
    sessions: list[str] = json.loads(batch.metadata.get("rewards_missing", "[]"))
    return sessions


def check_temperatures(batch: Batch, temperature: float) -> None:
    """Checks each turn of a batch, which must be exported with `turns=True`.

    TRL divides all logits by its own temperature. Log probabilities at another one make its ratio wrong by factors.

    Raises BatchError `greedy_rows` or `other_temperature`.
    """
    drawn, divisor = batch.turn_column("sampling_temperature"), batch.turn_column("temperature")
    if len(greedy := np.flatnonzero(drawn == 0)):
        raise BatchError(
            "greedy_rows",
            f"{_call(batch, greedy)} was greedy (temperature 0), so its tokens were not drawn from the policy and "
            f"cannot be trained on. {_advice(temperature)}",
        )
    if len(other := np.flatnonzero(np.abs(divisor - temperature) > _TOLERANCE * max(1.0, temperature))):
        recorded, asked = float(divisor[other[0]]), float(drawn[other[0]])
        why = "" if math.isclose(recorded, asked, rel_tol=1e-5) else f" (drawn at {asked:g})"
        raise BatchError(
            "other_temperature",
            f"{_call(batch, other)} has log probabilities at temperature {recorded:g}{why}, but the trainer divides its "
            f"logits by {temperature:g}. {_advice(temperature)}",
        )


def check_images(batch: Batch, *, in_prompts: bool = False) -> None:
    """Checks that no row has an image that TRL would not be given: it takes none from rollouts.

    in_prompts: allows images before the first trained token. GRPOTrainer has those in its dataset.

    Raises BatchError `images_refused`.
    """
    if "image_row" not in batch:
        return
    for sample in batch.samples():
        prompt = len(sample.prompt_ids) if in_prompts else 0
        if any(image.offset >= prompt for image in sample.images()):
            where = " after its prompt" if in_prompts else ""
            raise BatchError(
                "images_refused",
                f"A row of session {sample.session_id} has images{where}. TRL takes no images from rollouts, so it would train "
                "on their tokens as if they were text. Train such episodes with another trainer.",
            )


def _call(batch: Batch, turns: Array) -> str:
    bounds: Sequence[int] = batch["cu_turns"].tolist()
    row = int(np.searchsorted(bounds, turns[0], side="right")) - 1
    return f"A call of session {batch.session_ids[row]} ({len(turns)} of {bounds[-1]} calls in the batch)"


def _advice(temperature: float) -> str:
    return (
        f"Let the agent request temperature {temperature:g}, or fix it for all agents with the proxy's configuration "
        f"`rollout.agent.sampling_override.temperature`, and set the trainer's `temperature` to the same value."
    )
