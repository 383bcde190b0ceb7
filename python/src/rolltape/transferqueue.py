"""TransferQueue 0.1: puts batches where verl's v1 trainer reads them. `docs/guides/transferqueue.md` has an example."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import transfer_queue as tq
from tensordict import NonTensorStack, TensorDict

from .batch import Batch
from .batch.safetensors import Array

__all__ = ["put_batch"]


def put_batch(batch: Batch, partition_id: str = "train", *, global_steps: int, finish_groups: bool = True) -> Any:
    """Puts the rows that have a token to train on into TransferQueue, and returns their KVBatchMeta.

    batch: in layout `packed`, with row tensors and whole groups. Export it with `shared_turns: first`, which trains on each
        sampled token in one row only.
    global_steps: the trainer's step that the rows belong to, for the tags.
    finish_groups: afterwards, also put the key of each group, with the status `finished` that verl's replay buffer waits for.

    The key of a row is `{group}_{session}_{index}`. Every row has the reward of its whole episode, at its last token. Raises
    ValueError for another layout, without any row to train on, and for a group id with `_`, where verl would cut the key.
    """
    if batch.layout != "packed":
        raise ValueError(f"put_batch takes a batch in layout `packed`; received `{batch.layout}`.")
    trained = np.concatenate([[0], np.cumsum(batch["loss_mask"])])[batch.places.bounds]
    batch = batch.select(np.diff(trained) > 0)
    if len(batch) == 0:
        raise ValueError("The batch has no token to train on.")
    groups = batch.groups
    wrong = next((group for group in groups if "_" in group), None)
    if wrong is not None:
        raise ValueError(f"The id of a group must not have `_` in TransferQueue; received `{wrong}`.")
    prompts = batch.samples().prompt_lengths
    sessions = _ranks(batch.episode_column("group"))[batch.episode_of_row].tolist()
    places = zip(groups, sessions, batch.column("session_row").tolist(), strict=True)
    meta = tq.kv_batch_put(
        keys=[f"{group}_{session}_{index}" for group, session, index in places],
        fields=_fields(batch, prompts, groups),
        tags=_tags(batch, prompts, global_steps),
        partition_id=partition_id,
    )
    if finish_groups:
        keys = list(dict.fromkeys(groups))
        tag = {"is_prompt": True, "status": "finished", "global_steps": global_steps}
        tq.kv_batch_put(keys=keys, tags=[tag] * len(keys), partition_id=partition_id)
    return meta


def _fields(batch: Batch, prompts: Array, groups: list[str]) -> TensorDict:
    """Returns the fields that verl's agent loop worker puts, with its types."""
    lengths = batch.places.lengths
    responses = lengths - prompts
    is_response = batch["position_ids"] >= np.repeat(prompts, lengths)
    rewards = np.zeros(responses.sum(), np.float32)
    rewards[np.cumsum(responses) - 1] = batch.column("episode_reward")
    ids = batch["input_ids"].astype(np.int64)
    mask = batch["loss_mask"][is_response].astype(np.int64)
    fields = {
        "prompts": _nested(ids[~is_response], prompts),
        "responses": _nested(ids[is_response], responses),
        "input_ids": _nested(ids, lengths),
        "position_ids": _nested(batch["position_ids"].astype(np.int64), lengths),
        "response_mask": _nested(mask, responses),
        "loss_mask": _nested(mask, responses),
        "rollout_log_probs": _nested(batch["logprobs"][is_response], responses),
        "rm_scores": _nested(rewards, responses),
        # verl counts messages: a call is a turn of the user and one of the model.
        "num_turns": torch.from_numpy(2 * batch.column("turns").astype(np.int64)),
        "uid": NonTensorStack(*groups),
    }
    return TensorDict(fields, batch_size=[len(batch)])


def _nested(values: Array, lengths: Array) -> torch.Tensor:
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return torch.nested.nested_tensor_from_jagged(torch.from_numpy(values), torch.from_numpy(offsets))


def _tags(batch: Batch, prompts: Array, global_steps: int) -> list[dict[str, Any]]:
    columns = (prompts, batch.places.lengths, batch.column("min_version"), batch.column("max_version"))
    return [
        {
            "status": "success",
            "prompt_len": prompt,
            "response_len": length - prompt,
            "seq_len": length,
            "global_steps": global_steps,
            "min_global_steps": lowest,
            "max_global_steps": highest,
        }
        for prompt, length, lowest, highest in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _ranks(groups: Array) -> Array:
    """Returns the number of each episode within its group, from 0."""
    order = np.argsort(groups, kind="stable")
    ranks = np.empty(len(groups), np.int64)
    ranks[order] = np.arange(len(groups)) - np.searchsorted(groups[order], groups[order])
    return ranks
