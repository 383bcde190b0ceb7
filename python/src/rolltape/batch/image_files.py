"""Moves the images of a batch into files beside it. See docs/reference/batch-format.md#images."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from .batch import Batch
from .images import FILES, file_name
from .safetensors import Array, invalid, safetensors_header


def move_images(path: str | os.PathLike[str]) -> None:
    """Writes the images of a batch into the folder `<path>.images`, and the batch without them.

    Each file appears when it is complete. A file that exists with the same content is not written again. Does nothing if the
    batch has no image files in tensors.

    Raises BatchError `invalid_batch`, OSError.
    """
    with Batch.open(path) as batch:
        if FILES[0] not in batch:
            return
        folder = Path(f"{os.fspath(path)}.images")
        folder.mkdir(mode=0o700, exist_ok=True)
        for image in {image.sha256: image for image in batch.images()}.values():
            if hashlib.sha256(image.data).hexdigest() != image.sha256:
                raise invalid(f"image {image.sha256!r:.100} does not have this SHA-256")
            file = folder / file_name(image.sha256, image.media_type)
            if not (file.exists() and file.read_bytes() == image.data):
                _write(file, [image.data])
        tensors = {name: tensor for name, tensor in batch.tensors.items() if name not in FILES}
        _write(Path(path), _block(batch.metadata_texts, tensors))


def _block(metadata: Mapping[str, str], tensors: Mapping[str, Array]) -> list[bytes | memoryview]:
    return [
        safetensors_header(metadata, tensors),
        *(tensor.data.cast("B") for tensor in tensors.values() if tensor.size),
    ]


def _write(path: Path, parts: list[bytes | memoryview]) -> None:
    partial = path.with_name(f"{path.name}.partial-{os.getpid()}")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
