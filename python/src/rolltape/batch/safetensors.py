"""Reads a safetensors block as numpy arrays that share its memory."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BatchError

Array = NDArray[Any]

_DTYPES: dict[str, np.dtype[Any]] = {
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "F32": np.dtype("<f4"),
    "U16": np.dtype("<u2"),
    "U8": np.dtype("|u1"),
    "BOOL": np.dtype("|b1"),
}
_LENGTH_BYTES = 8
_SHOWN_CHARACTERS = 100


def read_block(block: Any) -> tuple[dict[str, str], dict[str, Array]]:
    """Returns the metadata and the tensors of a block: an object with the buffer protocol. No tensor is copied.

    Raises BatchError `invalid_batch` if the block is not a safetensors file, or is cut.
    """
    data = memoryview(block).cast("B")
    start, header = _read_header(data)
    metadata = _check_metadata(header.pop("__metadata__", {}))
    tensors = {name: _view(name, spec, block, start, data.nbytes) for name, spec in header.items()}
    _refuse_overlaps(header)
    return metadata, tensors


def safetensors_header(metadata: Mapping[str, str], tensors: Mapping[str, Array]) -> bytes:
    """Returns the header of a safetensors file whose tensors follow in this order."""
    names = {dtype: name for name, dtype in _DTYPES.items()}
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    end = 0
    for name, tensor in tensors.items():
        begin, end = end, end + tensor.nbytes
        header[name] = {"dtype": names[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    # Tensors begin at a multiple of their elements' size.
    text += b" " * (-len(text) % _LENGTH_BYTES)
    return len(text).to_bytes(_LENGTH_BYTES, "little") + text


def _read_header(data: memoryview) -> tuple[int, dict[str, Any]]:
    if data.nbytes < _LENGTH_BYTES:
        raise invalid(f"it has {data.nbytes} bytes, fewer than the length of its header")
    start = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    if start > data.nbytes:
        raise invalid(f"its header ends at byte {start}, but it has {data.nbytes} bytes")
    try:
        header = json.loads(bytes(data[_LENGTH_BYTES:start]), object_pairs_hook=_unique)
    except BatchError:
        raise
    except (ValueError, RecursionError) as error:
        raise invalid(f"its header is not JSON ({error})") from error
    if not isinstance(header, dict):
        raise invalid("its header is not a JSON object")
    return start, header


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object of the header. Refuses a name that occurs twice: readers take different values."""
    unique = dict(pairs)
    if len(unique) == len(pairs):
        return unique
    names = [name for name, _ in pairs]
    twice = next(name for name in names if names.count(name) > 1)
    raise invalid(f"its header has {_shorten(twice)} twice")


def _refuse_overlaps(header: Mapping[str, Any]) -> None:
    """Refuses tensors that share bytes, because a change of one would change the other."""
    ranges = sorted((*spec["data_offsets"], name) for name, spec in header.items())
    filled = [each for each in ranges if each[0] < each[1]]
    for (_, end, name), (begin, _, other) in pairwise(filled):
        if begin < end:
            raise invalid(f"tensors {_shorten(name)} and {_shorten(other)} overlap")


def _check_metadata(metadata: Any) -> dict[str, str]:
    if isinstance(metadata, dict) and all(isinstance(value, str) for value in metadata.values()):
        return metadata
    raise invalid("its metadata is not an object of texts")


def _view(name: str, spec: Any, block: Any, start: int, total: int) -> Array:
    try:
        # operator.index refuses texts and fractions, which int() accepts.
        dtype, shape = _DTYPES[spec["dtype"]], tuple(map(operator.index, spec["shape"]))
        begin, end = map(operator.index, spec["data_offsets"])
    except (KeyError, TypeError, ValueError) as error:
        raise invalid(f"tensor {_shorten(name)} has an unknown dtype or no shape: {_shorten(spec)}") from error
    count = math.prod(shape)
    problem = (
        f"tensor {_shorten(name)} of shape {_shorten(shape)} does not fit bytes {begin} to {end} of {total - start}"
    )
    if min(shape, default=0) < 0 or begin < 0 or end - begin != count * dtype.itemsize or start + end > total:
        raise invalid(problem)
    try:
        return np.frombuffer(block, dtype, count, start + begin if count else 0).reshape(shape)
    except ValueError as error:  # Too many axes, or an extent of an empty tensor that numpy cannot have.
        raise invalid(f"{problem} ({error})") from error


def _shorten(value: Any) -> str:
    """Returns the value in ASCII, because a name may be no valid Unicode."""
    text = ascii(list(value) if isinstance(value, tuple) else value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


def invalid(why: str) -> BatchError:
    return BatchError("invalid_batch", f"This is not a batch: {why}.")
