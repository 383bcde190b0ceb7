"""The policy and its GRPO step."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForCausalLM
from transformers.utils import logging

from rolltape import Batch, advantages
from rolltape.attention import model_arguments, token_logprobs

LEARNING_RATE = 3e-3
CLIP = 0.2

logging.disable_progress_bar()


class Learner:
    """Holds the policy's weights and trains them, one step for each batch."""

    def __init__(self, folder: str) -> None:
        """folder: a Hugging Face model folder, the same that the engine has loaded."""
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=LEARNING_RATE)

    def step(self, batch: Batch, rewards: np.ndarray) -> float:
        """Makes one step of GRPO with a clipped ratio.

        batch: padded, one row for each turn.
        rewards: [B], the reward of each row.

        Returns the greatest distance of a token's ratio from 1. The engine sampled with the same weights, so it is as small as
        the precision of both.
        """
        values = torch.from_numpy(advantages.grpo_values(rewards, groups_of_turns(batch)))
        tensors = batch.torch()
        mask = tensors["loss_mask"]
        new = token_logprobs(self.model(**model_arguments(batch)).logits, batch)
        ratio = (new - tensors["logprobs"]).exp()
        gain = torch.minimum(ratio * values[:, None], ratio.clamp(1 - CLIP, 1 + CLIP) * values[:, None])
        loss = -(gain * mask).sum() / mask.sum()
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return ((ratio - 1).abs() * mask).max().item()

    def save(self, folder: Path) -> None:
        """Writes `config.json` and `model.safetensors`, from which the engine loads."""
        self.model.save_pretrained(folder)


def groups_of_turns(batch: Batch) -> list[tuple[str, int]]:
    """Returns for each row its group and the number of its turn: a turn is compared with the same turn of other episodes."""
    turns: Counter[str] = Counter()
    groups = []
    for row, group in zip(batch.rows, batch.groups, strict=True):
        groups.append((group, turns[row["session_id"]]))
        turns[row["session_id"]] += 1
    return groups
