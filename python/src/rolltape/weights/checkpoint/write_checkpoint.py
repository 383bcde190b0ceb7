"""Writes a folder in Hugging Face's form from tensors that arrive one at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .base_checkpoint import BaseCheckpoint
from .shard_writer import ShardWriter
from .tensor_bytes import read_tensor

DEFAULT_SHARD_BYTES = 5 * 10**9


def write_checkpoint(
    folder: Path,
    tensors: Iterable[tuple[str, Any]],
    base: BaseCheckpoint,
    *,
    dtype: str | None = None,
    max_shard_bytes: int = DEFAULT_SHARD_BYTES,
) -> None:
    """Writes the tensors, those of `base` that are not among them, and the configuration of `base`.

    One tensor is in memory at a time. dtype: as in read_tensor.

    Raises ValueError if a name is unknown in `base`, or comes twice.
    """
    writer = _Shards(folder, max_shard_bytes)
    sent: set[str] = set()
    try:
        for name, tensor in tensors:
            base.check_name(name)
            if name in sent:
                raise ValueError(f"The trainer sends tensor {name} twice.")
            sent.add(name)
            writer.write(name, *read_tensor(name, tensor, dtype))
        if not sent:
            raise ValueError("The trainer sends no tensor: no parameter of the model is trained.")
        for name, stored in base.missing(sent):
            writer.write(name, stored.dtype, stored.shape, stored.read())
        writer.close()
    except BaseException:
        writer.abort()
        raise
    base.copy_configuration(folder)


class _Shards:
    """`model.safetensors`, or several files with an index, as transformers names them."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._files: list[ShardWriter] = []

    def write(self, name: str, dtype: str, shape: list[int], data: Any) -> None:
        if not self._files or not self._files[-1].has_room(name, memoryview(data).nbytes):
            self._files.append(ShardWriter(self._folder / f"{len(self._files)}.part", self._max_bytes))
        self._files[-1].write(name, dtype, shape, data)

    def abort(self) -> None:
        for file in self._files:
            file.abort()

    def close(self) -> None:
        """Writes the headers and gives the files their names."""
        count = len(self._files)
        weight_map: dict[str, str] = {}
        for number, file in enumerate(self._files, 1):
            file.close()
            name = "model.safetensors" if count == 1 else f"model-{number:05}-of-{count:05}.safetensors"
            file.path.rename(self._folder / name)
            weight_map.update(dict.fromkeys(file.names, name))
        if count > 1:
            total = sum(file.size for file in self._files)
            index = {"metadata": {"total_size": total}, "weight_map": weight_map}
            (self._folder / "model.safetensors.index.json").write_text(json.dumps(index))
