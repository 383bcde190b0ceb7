"""The images of a batch. See docs/reference/batch-format.md#images."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .runs import copy_runs
from .safetensors import Array

if TYPE_CHECKING:
    from .batch import Batch

# The tensors with one value for each image.
COLUMNS = tuple(f"image_{name}" for name in ("row", "file", "offset", "length", "width", "height"))
Tensors = dict[str, Array]


@dataclass(frozen=True)
class Image:
    """An image of a row.

    row: index of the row.
    offset: its first token in the row, padding not counted; in layout `tree`, among the node's own tokens.
    length: number of its tokens.
    width, height: in pixels, as the picture is shown.
    sha256: of the file, in hexadecimal digits. Images with the same file have the same `data`.
    media_type: such as `image/png`.
    data: the file, which shares the memory of the batch.
    """

    row: int
    offset: int
    length: int
    width: int
    height: int
    sha256: str
    media_type: str
    data: memoryview


def read_images(batch: Batch) -> list[Image]:
    """Raises ValueError, KeyError, IndexError or TypeError if the tensors do not fit each other."""
    if COLUMNS[0] not in batch:
        return []
    described = _described(batch)
    begins, ends = _file_bounds(batch, len(described))
    data = batch["image_bytes"].data
    files = [
        (str(file["sha256"]), str(file["media_type"]), data[begin:end])
        for file, begin, end in zip(described, begins.tolist(), ends.tolist(), strict=True)
    ]
    _require_below("image_row", batch, len(batch))
    _require_below("image_file", batch, len(files))
    columns = [batch[name].tolist() for name in COLUMNS]
    return [
        Image(row, offset, length, width, height, *files[file])
        for row, file, offset, length, width, height in zip(*columns, strict=True)
    ]


def select_images(batch: Batch, rows: Array | slice) -> tuple[Tensors, dict[str, str]]:
    """Returns the tensors and the metadata of the images of these rows, with the files that they need.

    rows: a slice shares the files with the batch.
    """
    if COLUMNS[0] not in batch:
        return {}, {}
    new_rows = np.full(len(batch), -1)
    new_rows[rows] = np.arange(len(new_rows[rows]))
    row = new_rows[batch["image_row"]]
    chosen = np.flatnonzero(row >= 0)
    if not len(chosen):
        return {}, {}
    chosen = chosen[np.argsort(row[chosen], kind="stable")]
    columns = {name: batch[name][chosen] for name in COLUMNS}
    columns["image_row"] = row[chosen].astype(np.int32)
    if isinstance(rows, slice):
        shared = {name: batch[name] for name in ("image_bytes_offsets", "image_bytes")}
        return {**columns, **shared}, {"images": batch.metadata_texts["images"]}
    used, file = np.unique(columns["image_file"], return_inverse=True)
    columns["image_file"] = file.astype(np.int32)
    described = _described(batch)
    begins, ends = _file_bounds(batch, len(described))
    sizes = (ends - begins)[used]
    files = {
        "image_bytes_offsets": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        "image_bytes": copy_runs(batch["image_bytes"], begins[used], sizes),
    }
    return {**columns, **files}, {"images": json.dumps([described[index] for index in used.tolist()])}


def _require_below(name: str, batch: Batch, end: int) -> None:
    values = batch[name]
    if len(values) and not 0 <= values.min() <= values.max() < end:
        raise ValueError(f"`{name}` must be from 0 to {end - 1}; received {values.min()} to {values.max()}")


def _described(batch: Batch) -> list[dict[str, Any]]:
    return list(json.loads(batch.metadata_texts["images"]))


def _file_bounds(batch: Batch, count: int) -> tuple[Array, Array]:
    offsets, size = batch["image_bytes_offsets"], len(batch["image_bytes"])
    whole = offsets.shape == (count + 1,) and offsets[0] == 0 and offsets[-1] == size
    if not whole or (offsets[1:] < offsets[:-1]).any():
        raise ValueError(f"`image_bytes_offsets` does not divide {size} bytes into {count} files")
    return offsets[:-1], offsets[1:]
