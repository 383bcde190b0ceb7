"""Channels: values of tokens in addition to ids and log probabilities. See docs/reference/batch-format.md."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .runs import run_indices
from .safetensors import Array

if TYPE_CHECKING:
    from .batch import Batch


@dataclass(frozen=True)
class Channel:
    """The tensors of a channel.

    name: name of the channel and of the tensor of items: one for each token, or all items of a ragged channel.
    of: the tokens that may have items: `output` or `sequence`.
    mask: name of the tensor that says which tokens have an item; None for a ragged channel.
    offsets: name of the tensor with the index of each token's first item, and then the number of items; None for a
        fixed channel.
    token_ids: the token ids that the values of an item belong to, in order; None if they belong to none.
    """

    name: str
    of: str
    mask: str | None
    offsets: str | None
    token_ids: tuple[int, ...] | None = None


def read_channels(text: str) -> dict[str, Channel]:
    """Reads the metadata `channels`."""
    return {
        each["name"]: Channel(
            each["name"],
            each["of"],
            each.get("mask"),
            each.get("offsets"),
            tuple(each["token_ids"]) if "token_ids" in each else None,
        )
        for each in json.loads(text)
    }


def token_tensors(batch: Batch) -> list[str]:
    """Returns the names of the tensors of fixed channels, which have an entry for each token."""
    return [name for channel in batch.channels.values() if channel.mask for name in (channel.name, channel.mask)]


def has_ragged(batch: Batch) -> bool:
    return any(channel.offsets is not None for channel in batch.channels.values())


def select_ragged(batch: Batch, tokens: Array) -> dict[str, Array]:
    """Returns the tensors of the ragged channels for some tokens, given as indices into all of them."""
    selected: dict[str, Array] = {}
    for channel in batch.channels.values():
        if channel.offsets is None:
            continue
        offsets = batch[channel.offsets]
        begins = offsets[tokens]
        counts = offsets[tokens + 1] - begins
        items = batch[channel.name][run_indices(begins, counts)]
        selected |= {channel.name: items, channel.offsets: np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)}
    return selected


def row_values(batch: Batch, row: int, name: str) -> Array | list[Array]:
    """Returns the values of a row's tokens. See Batch.row_values."""
    place = batch.places.of_row(row)
    channel = batch.channels.get(name)
    if channel is not None and channel.offsets is not None:
        offsets = batch[channel.offsets]
        return [batch[name][offsets[token] : offsets[token + 1]] for token in place.tolist()]
    shape = batch["input_ids"].shape
    tensor = batch[name]
    if tensor.shape[: len(shape)] != shape:
        raise ValueError(f"`{name}` has no value for each token: its shape is {list(tensor.shape)}.")
    return tensor.reshape(-1, *tensor.shape[len(shape) :])[place]
