"""Reads the tensors of a batch in S3, each when it is used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import BatchError
from .safetensors import Array, TensorPlace, header_bytes, invalid, read_header, view

_ADDRESS = re.compile(r"s3://([^/]+)/(.+)")
# Most headers are smaller, so that one request reads them.
_FIRST_BYTES = 1 << 20


def is_stored(path: object) -> bool:
    """Returns true for an `s3://` address."""
    return isinstance(path, str) and path.startswith("s3://")


class StoredTensors(Mapping[str, Array]):
    """The tensors of a safetensors file in S3. Each is downloaded when it is first used, by one request for its bytes."""

    def __init__(self, file: _StoredFile, places: Mapping[str, TensorPlace]) -> None:
        self._file = file
        self._places = places
        self._read: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self._read:
            place = self._places[name]
            self._read[name] = view(place, self._file.read(place.begin, place.items * place.dtype.itemsize), 0)
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def open_stored(address: str) -> tuple[StoredTensors, dict[str, str]]:
    """Reads the header of a batch at an `s3://` address. The environment of boto3 sets the endpoint and the credentials.

    Raises BatchError `invalid_batch`, ImportError without boto3, or the errors of boto3.
    """
    file = _StoredFile(address)
    first = file.read(0, min(file.size, _FIRST_BYTES))
    length = header_bytes(first, file.size)
    header = first[:length] + file.read(len(first), length - len(first))
    metadata, places = read_header(bytes(header), file.size)
    return StoredTensors(file, places), metadata


class _StoredFile:
    def __init__(self, address: str) -> None:
        try:
            import boto3
        except ImportError as error:
            raise ImportError("Batches in S3 need boto3: pip install rolltape[s3]") from error
        match = _ADDRESS.fullmatch(address)
        if match is None:
            raise BatchError("invalid_batch", f"{address} must have the form s3://bucket/key.")
        self._place = {"Bucket": match[1], "Key": match[2]}
        self._client: Any = boto3.client("s3")
        head = self._client.head_object(**self._place)
        self.size: int = head["ContentLength"]
        self._etag: str = head["ETag"]

    def read(self, begin: int, length: int) -> bytearray:
        if length <= 0:
            return bytearray()
        # Another file must not take the place of this one while it is read.
        wanted = {"Range": f"bytes={begin}-{begin + length - 1}", "IfMatch": self._etag}
        body = self._client.get_object(**self._place, **wanted)["Body"]
        # Arrays of immutable bytes could not be written, which PyTorch warns of.
        data = bytearray(body.read())
        if len(data) != length:
            raise invalid(f"it has {len(data)} bytes where {length} were read")
        return data
