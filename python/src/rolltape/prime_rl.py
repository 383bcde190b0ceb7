"""prime-rl 0.8: rows as the training samples that its packer takes. `docs/guides/prime-rl.md` has an example."""

from __future__ import annotations

from typing import Any

import numpy as np
from prime_rl.transports.rollouts.types import RoutedExperts, TrainingSample

from .batch import Batch, Sample
from .batch.token_values import at_rows, token_temperatures
from .experts import routed_experts

__all__ = ["training_samples"]


def training_samples(batch: Batch, advantages: Any, *, env_name: str = "rolltape") -> list[TrainingSample]:
    """Returns a TrainingSample for each row that has a token to train on, in order.

    batch: in layout `packed` or `padded`. Export it with `shared_turns: first`, which trains on each sampled token in one row
        only.
    advantages: one for each row, or one for each token in the shape of `input_ids`. Tokens that are not trained on have 0.
    env_name: the name under which prime-rl shows the metrics of these samples.

    Raises ValueError for layout `tree`, and if the turns of a row differ in temperature and the batch has no turn tensors.
    """
    if batch.layout == "tree":
        raise ValueError("training_samples takes a batch in layout `packed` or `padded`; received `tree`.")
    mask = batch["loss_mask"] == 1
    values = np.asarray(advantages)
    of_tokens = values if values.shape == mask.shape else at_rows(batch, values)
    tensors = {
        "token_ids": batch["input_ids"],
        "mask": mask,
        "logprobs": batch["logprobs"],
        "temperatures": token_temperatures(batch),
        "advantages": np.where(mask, of_tokens, 0),
    }
    lists = {name: tensor.reshape(-1)[batch.places.flat].tolist() for name, tensor in tensors.items()}
    bounds = batch.places.bounds.tolist()
    ends = zip(bounds[:-1], bounds[1:], strict=True)
    rows = ({name: each[begin:end] for name, each in lists.items()} for begin, end in ends)
    return [
        TrainingSample(**row, env_name=env_name, routed_experts=_experts(sample))
        for sample, row in zip(batch.samples(), rows, strict=True)
        if any(row["mask"])
    ]


def _experts(sample: Sample) -> RoutedExperts | None:
    experts = routed_experts(sample, repeat_last=True)
    if experts is None:
        return None
    return RoutedExperts(data=experts.tobytes(), shape=list(experts.shape), dtype=experts.dtype.name)
