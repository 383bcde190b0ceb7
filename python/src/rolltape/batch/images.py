"""The images of a batch. See docs/reference/batch-format.md#images."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import BatchError
from .runs import copy_runs
from .safetensors import Array, invalid

if TYPE_CHECKING:
    from .batch import Batch

# The tensors with one value for each image.
COLUMNS = tuple(f"image_{name}" for name in ("row", "file", "offset", "length", "width", "height"))
# The tensors of the files. A batch whose files are beside it has none of them.
FILES = ("image_bytes_offsets", "image_bytes")
Tensors = dict[str, Array]
_FILE_NAME = re.compile(r"[0-9a-f]{64}\.[a-z0-9.+-]+")


@dataclass(frozen=True)
class Image:
    """An image of a row.

    row: index of the row.
    offset: its first token in the row, padding not counted; in layout `tree`, among the node's own tokens.
    length: number of its tokens.
    width, height: in pixels, as the picture is shown.
    sha256: of the file, in hexadecimal digits. Images with the same file have the same `data`.
    media_type: such as `image/png`.
    engine: type of the engine that recorded the batch, such as `vllm`. None if the batch does not say, or has several.
    """

    row: int
    offset: int
    length: int
    width: int
    height: int
    sha256: str
    media_type: str
    engine: str | None
    _read: Callable[[], memoryview] = field(repr=False, compare=False)

    @property
    def data(self) -> memoryview:
        """The file. It shares the memory of the batch; a file beside the batch is read on first use.

        Raises BatchError `image_file_missing` if the file is not in the batch's `image_folder`, or its SHA-256 does not match.
        """
        return self._read()


def read_images(batch: Batch) -> list[Image]:
    """Returns the images of a batch in the order of rows, then of tokens.

    Raises ValueError, KeyError, IndexError or TypeError if the tensors do not fit each other.
    """
    if COLUMNS[0] not in batch:
        return []
    described = _described(batch)
    names = [(str(file["sha256"]), str(file["media_type"])) for file in described]
    engine = _engine(batch)
    files = [(*name, engine, read) for name, read in zip(names, _readers(batch, names), strict=True)]
    _require_below("image_row", batch, len(batch))
    _require_below("image_file", batch, len(files))
    columns = [batch[name].tolist() for name in COLUMNS]
    return [
        Image(row, offset, length, width, height, *files[file])
        for row, file, offset, length, width, height in zip(*columns, strict=True)
    ]


def _engine(batch: Batch) -> str | None:
    # A list of configurations if the batch is of several workers.
    config = json.loads(batch.metadata_texts.get("config", "{}"))
    engines = {each.get("engine") for each in (config if isinstance(config, list) else [config])}
    return engines.pop() if len(engines) == 1 else None


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
        shared = {name: batch[name] for name in FILES if name in batch}
        return {**columns, **shared}, {"images": batch.metadata_texts["images"]}
    used, file = np.unique(columns["image_file"], return_inverse=True)
    columns["image_file"] = file.astype(np.int32)
    described = _described(batch)
    files = _select_files(batch, used, len(described)) if FILES[0] in batch else {}
    return {**columns, **files}, {"images": json.dumps([described[index] for index in used.tolist()])}


def _select_files(batch: Batch, used: Array, count: int) -> Tensors:
    begins, ends = _file_bounds(batch, count)
    sizes = (ends - begins)[used]
    return {
        "image_bytes_offsets": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        "image_bytes": copy_runs(batch["image_bytes"], begins[used], sizes),
    }


def _readers(batch: Batch, names: list[tuple[str, str]]) -> list[Callable[[], memoryview]]:
    """Returns for each file a function that returns its bytes."""
    if not any(name in batch for name in FILES):
        return [cache(partial(_read_file, batch.image_folder, *name)) for name in names]
    begins, ends = _file_bounds(batch, len(names))
    data = batch["image_bytes"].data
    parts = [data[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    return [partial(_same, part) for part in parts]


def _same(data: memoryview) -> memoryview:
    return data


def file_name(sha256: str, media_type: str) -> str:
    """Returns the name of an image file beside a batch.

    Raises BatchError `invalid_batch` if the name is not that of a file in the folder.
    """
    name = f"{sha256}.{media_type.rpartition('/')[2]}"
    if _FILE_NAME.fullmatch(name) is None:
        raise invalid(f"its images cannot be read ({name!r:.100} is not the name of an image file)")
    return name


def _read_file(folder: Path | None, sha256: str, media_type: str) -> memoryview:
    name = file_name(sha256, media_type)
    if folder is None:
        raise BatchError(
            "image_file_missing", "The images of the batch are files beside it. Set `image_folder` to their folder."
        )
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        raise BatchError("image_file_missing", f"An image of the batch cannot be read: {error}") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise BatchError(
            "image_file_missing", f"{folder / name} was changed: it does not have the SHA-256 of its name."
        )
    return memoryview(data)


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
