"""Reads a safetensors block as numpy arrays that share its memory."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BatchError

Array = NDArray[Any]

_DTYPES = {"I32": np.dtype("<i4"), "F32": np.dtype("<f4"), "BOOL": np.dtype("|b1")}
_LENGTH_BYTES = 8


def read_block(block: Any) -> tuple[dict[str, str], dict[str, Array]]:
    """Returns the metadata and the tensors of a block: an object with the buffer protocol. No tensor is copied.

    Raises BatchError `invalid_batch` if the block is not a safetensors file, or is cut.
    """
    data = memoryview(block).cast("B")
    start, header = _read_header(data)
    metadata = header.pop("__metadata__", {})
    tensors = {name: _view(name, spec, block, start, data.nbytes) for name, spec in header.items()}
    return metadata, tensors


def _read_header(data: memoryview) -> tuple[int, dict[str, Any]]:
    if data.nbytes < _LENGTH_BYTES:
        raise invalid(f"it has {data.nbytes} bytes, fewer than the length of its header")
    start = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    if start > data.nbytes:
        raise invalid(f"its header ends at byte {start}, but it has {data.nbytes} bytes")
    try:
        header = json.loads(bytes(data[_LENGTH_BYTES:start]))
    except ValueError as error:
        raise invalid(f"its header is not JSON ({error})") from error
    if not isinstance(header, dict):
        raise invalid("its header is not a JSON object")
    return start, header


def _view(name: str, spec: Any, block: Any, start: int, total: int) -> Array:
    try:
        dtype, shape = _DTYPES[spec["dtype"]], tuple(int(size) for size in spec["shape"])
        begin, end = (int(offset) for offset in spec["data_offsets"])
    except (KeyError, TypeError, ValueError) as error:
        raise invalid(f"tensor `{name}` has an unknown dtype or no shape: {spec}") from error
    count = math.prod(shape)
    if min(shape, default=0) < 0 or begin < 0 or end - begin != count * dtype.itemsize or start + end > total:
        raise invalid(f"tensor `{name}` of shape {list(shape)} does not fit bytes {begin} to {end} of {total - start}")
    return np.frombuffer(block, dtype, count, start + begin if count else 0).reshape(shape)


def invalid(why: str) -> BatchError:
    return BatchError("invalid_batch", f"This is not a batch: {why}.")
