"""Reads a safetensors block as numpy arrays that share its memory."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

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
    start = header_bytes(data, data.nbytes)
    metadata, places = read_header(data[:start], data.nbytes)
    return metadata, {name: view(place, block, place.begin) for name, place in places.items()}


class TensorPlace(NamedTuple):
    """Where a tensor of a file is. `begin` counts from the first byte of the file."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    items: int


def header_bytes(data: memoryview | bytearray | bytes, total: int) -> int:
    """Returns the length of a file's header with its first 8 bytes, which `data` must have.

    total: size of the file. Raises BatchError `invalid_batch` if the header does not end in it.
    """
    if total < _LENGTH_BYTES:
        raise invalid(f"it has {total} bytes, fewer than the length of its header")
    start = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    if start > total:
        raise invalid(f"its header ends at byte {start}, but it has {total} bytes")
    return start


def read_header(header: memoryview | bytes, total: int) -> tuple[dict[str, str], dict[str, TensorPlace]]:
    """Returns the metadata and the places of the tensors of a file.

    header: the first bytes of the file, as many as `header_bytes` says. total: size of the file.
    """
    specs = _parse_header(header)
    metadata = _check_metadata(specs.pop("__metadata__", {}))
    places = {name: _place(name, spec, len(header), total) for name, spec in specs.items()}
    _refuse_overlaps(specs)
    return metadata, places


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


def _parse_header(data: memoryview | bytes) -> dict[str, Any]:
    try:
        header = json.loads(bytes(data[_LENGTH_BYTES:]), object_pairs_hook=_unique)
    except BatchError:
        raise
    except (ValueError, RecursionError) as error:
        raise invalid(f"its header is not JSON ({error})") from error
    if not isinstance(header, dict):
        raise invalid("its header is not a JSON object")
    return header


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


def _place(name: str, spec: Any, start: int, total: int) -> TensorPlace:
    try:
        # operator.index refuses texts and fractions, which int() accepts.
        dtype, shape = _DTYPES[spec["dtype"]], tuple(map(operator.index, spec["shape"]))
        begin, end = map(operator.index, spec["data_offsets"])
    except (KeyError, TypeError, ValueError) as error:
        raise invalid(f"tensor {_shorten(name)} has an unknown dtype or no shape: {_shorten(spec)}") from error
    count = math.prod(shape)
    if min(shape, default=0) < 0 or begin < 0 or end - begin != count * dtype.itemsize or start + end > total:
        fit = f"does not fit bytes {begin} to {end} of {total - start}"
        raise invalid(f"tensor {_shorten(name)} of shape {_shorten(shape)} {fit}")
    return TensorPlace(name, dtype, shape, start + begin, count)


def view(place: TensorPlace, block: Any, begin: int) -> Array:
    """Returns a tensor that shares the memory of a block, in which it begins at `begin`."""
    try:
        return np.frombuffer(block, place.dtype, place.items, begin if place.items else 0).reshape(place.shape)
    except ValueError as error:  # Too many axes, or an extent of an empty tensor that numpy cannot have.
        named = f"tensor {_shorten(place.name)} of shape {_shorten(place.shape)}"
        raise invalid(f"{named} cannot be an array ({error})") from error


def _shorten(value: Any) -> str:
    """Returns the value in ASCII, because a name may be no valid Unicode."""
    text = ascii(list(value) if isinstance(value, tuple) else value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


def invalid(why: str) -> BatchError:
    return BatchError("invalid_batch", f"This is not a batch: {why}.")
