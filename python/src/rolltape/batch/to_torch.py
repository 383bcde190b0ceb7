"""Copies or shares the tensors of a batch with PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from .safetensors import Array

if TYPE_CHECKING:
    from .batch import Batch


def to_torch(tensors: Mapping[str, Array], device: Any = None) -> dict[str, torch.Tensor]:
    """Returns the tensors on the device. On the CPU they share the memory of the arrays."""
    target = torch.device("cpu" if device is None else device)
    return {name: _move(_share(array), target) for name, array in tensors.items()}


def to_nested(batch: Batch, name: str, device: Any = None) -> torch.Tensor:
    """Returns a token tensor as a nested tensor with one component for each row. See Batch.nested."""
    shape = batch["input_ids"].shape
    tensor = batch[name]
    if tensor.shape[: len(shape)] != shape:
        raise ValueError(f"`{name}` has no value for each token: its shape is {list(tensor.shape)}.")
    flat = tensor.reshape(-1, *tensor.shape[len(shape) :])
    places = batch.places
    if batch.layout == "padded":
        # Rows with gaps between them: offsets say where each begins, lengths how long it is.
        parts = {"values": flat, "offsets": np.append(places.begins, len(flat)), "lengths": places.lengths}
    else:
        parts = {"values": flat[places.flat] if batch.layout == "tree" else flat, "offsets": places.bounds}
    moved = to_torch(parts, device)
    longest = int(places.lengths.max(initial=0))
    return torch.nested.nested_tensor_from_jagged(
        moved["values"], moved["offsets"], moved.get("lengths"), max_seqlen=longest
    )


def _share(array: Array) -> torch.Tensor:
    with warnings.catch_warnings():
        # Memory of `bytes` cannot be written to. Batches of this package are in writable memory; others are the
        # caller's own, and nothing here writes to them.
        warnings.filterwarnings("ignore", "The given NumPy array is not writable", UserWarning)
        return torch.from_numpy(array)


def _move(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    if device.type == "cpu":
        return tensor
    if device.type != "cuda":
        return tensor.to(device)
    if tensor.is_pinned():
        # Memory of `shared_batch(pin=True)`, which waits for the copies before it gives the memory back.
        return tensor.to(device, non_blocking=True)
    # PyTorch's allocator of page-locked memory reuses a block only when the copies from it have ended.
    return tensor.pin_memory().to(device, non_blocking=True)
