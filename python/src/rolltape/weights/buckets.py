"""Tensors that are sent as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Bucket:
    """names, dtypes, shapes: of the tensors, whose bytes follow each other without gaps. dtypes: PyTorch's names."""

    names: list[str] = field(default_factory=list)
    dtypes: list[str] = field(default_factory=list)
    shapes: list[list[int]] = field(default_factory=list)
    size: int = 0
    _parts: list[Any] = field(default_factory=list)

    def has_room(self, tensor: Any, max_bytes: int) -> bool:
        # A receiver reads each tensor in place, so it must begin at a multiple of its item size.
        return not self._parts or (self.size + tensor.nbytes <= max_bytes and self.size % tensor.itemsize == 0)

    def add(self, name: str, tensor: Any, device: Any) -> None:
        import torch

        part = tensor.detach().to(device).contiguous().reshape(-1).view(torch.uint8)
        self.names.append(name)
        self.dtypes.append(str(tensor.dtype).removeprefix("torch."))
        self.shapes.append(list(tensor.shape))
        self.size += part.numel()
        self._parts.append(part)

    def join(self) -> Any:
        """Returns the bytes as one tensor."""
        import torch

        return torch.cat(self._parts)


def fill_buckets(tensors: Iterable[tuple[str, Any]], max_bytes: int, device: Any) -> Iterator[Bucket]:
    """Yields buckets on the device of at most `max_bytes`, or with one larger tensor.

    Raises TypeError if a value is no PyTorch tensor. Raises ValueError if there is no tensor, or if one is empty.
    """
    import torch

    bucket, is_empty = Bucket(), True
    for name, tensor in tensors:
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"{name} must be a PyTorch tensor; received {type(tensor).__name__}.")
        if hasattr(tensor, "full_tensor"):
            raise TypeError(f"{name} must not be sharded; pass its full_tensor(), which all ranks call.")
        if tensor.numel() == 0:
            raise ValueError(f"{name} must have elements; its shape is {list(tensor.shape)}.")
        if not bucket.has_room(tensor, max_bytes):
            yield bucket
            bucket = Bucket()
        bucket.add(name, tensor, device)
        is_empty = False
    if is_empty:
        raise ValueError("The trainer sends no tensor.")
    yield bucket
