"""Copies or shares the tensors of a batch with PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import torch

from .safetensors import Array


def to_torch(tensors: Mapping[str, Array], device: Any = None) -> dict[str, torch.Tensor]:
    """Returns the tensors on the device. On the CPU they share the memory of the arrays."""
    target = torch.device("cpu" if device is None else device)
    return {name: _move(_share(array), target) for name, array in tensors.items()}


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
    # PyTorch's allocator of page-locked memory reuses a block only when the copies from it have ended.
    return tensor.pin_memory().to(device, non_blocking=True)
