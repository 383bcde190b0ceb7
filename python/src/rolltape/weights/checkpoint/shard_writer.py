"""Writes one safetensors file while its tensors arrive, one at a time."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

# The header comes first in the file, but is known last. This much space is reserved for it and padded with spaces, which
# JSON allows. An entry has about 120 bytes.
HEADER_BYTES = 256 * 1024
_PREFIX_BYTES = 8


class ShardWriter:
    """`write` appends a tensor if it `has_room`. `close` writes the header; `abort` leaves the file as it is."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._header: dict[str, Any] = {"__metadata__": {"format": "pt"}}  # transformers requires the format
        self._header_bytes = len(json.dumps(self._header))
        self._file = open(path, "wb")  # noqa: SIM115
        self._file.seek(_PREFIX_BYTES + HEADER_BYTES)
        self.size = 0

    @property
    def names(self) -> list[str]:
        return [name for name in self._header if name != "__metadata__"]

    def has_room(self, name: str, size: int) -> bool:
        full = self.size > 0 and self.size + size > self._max_bytes
        # Besides its name, an entry has a dtype, a shape and two offsets.
        return not full and self._header_bytes + len(json.dumps(name)) + 256 < HEADER_BYTES

    def write(self, name: str, dtype: str, shape: list[int], data: Any) -> None:
        begin = self.size
        self._file.write(data)
        self.size += memoryview(data).nbytes
        self._header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, self.size]}
        self._header_bytes += len(json.dumps(name)) + len(json.dumps(self._header[name])) + 4

    def close(self) -> None:
        header = json.dumps(self._header).encode()
        if len(header) > HEADER_BYTES:
            raise ValueError(f"The header of {self.path} has {len(header)} bytes; there is space for {HEADER_BYTES}.")
        self._file.seek(0)
        self._file.write(HEADER_BYTES.to_bytes(_PREFIX_BYTES, "little"))
        self._file.write(header.ljust(HEADER_BYTES))
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def abort(self) -> None:
        self._file.close()
