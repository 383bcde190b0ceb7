"""What a vision-language model needs besides the tokens of a batch. Needs torch, Pillow and the model's image processor."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from PIL import Image, ImageOps

from .batch.runs import run_indices
from .batch.safetensors import Array

if TYPE_CHECKING:
    from . import batch as batches

__all__ = ["inputs"]


def inputs(batch: batches.Batch, processor: Any, device: Any = None) -> dict[str, torch.Tensor]:
    """Returns the keyword arguments of the images of a batch for Qwen2-VL, Qwen2.5-VL and Qwen3-VL of Hugging Face.

    processor: the model's image processor, or its processor, which has it. It must divide images as the engine did that
        sampled the tokens: with the same limits of pixels.

    `pixel_values` [patches, values], `image_grid_thw` int64 [images, 3]: in the order in which images occur in `input_ids`.
    `mm_token_type_ids` int64, in the shape of `input_ids` of `attention.model_arguments`: 1 at tokens of images, else 0.
    An empty dictionary if the batch has no images. A file that several rows show is processed once.

    Raises ValueError that names row and image if a file cannot be decoded, or if the processor makes another number of
    tokens of an image than the batch has.
    """
    images = batch.images()
    if not images:
        return {}
    divide = getattr(processor, "image_processor", processor)
    # The first image of each file.
    first = {image.sha256: index for index, image in reversed(list(enumerate(images)))}
    files = {sha256: number for number, sha256 in enumerate(first)}
    decoded = [_decode(images, index) for index in first.values()]
    features = divide(images=decoded, return_tensors="pt")
    grids = torch.as_tensor(features["image_grid_thw"], dtype=torch.int64)
    parts = torch.split(torch.as_tensor(features["pixel_values"]), grids.prod(1).tolist())
    of_image = [files[image.sha256] for image in images]
    _check_lengths(images, grids[of_image].prod(1) // divide.merge_size**2)
    return {
        "pixel_values": torch.cat([parts[file] for file in of_image]).to(device),
        "image_grid_thw": grids[of_image].to(device),
        "mm_token_type_ids": torch.from_numpy(_mark_tokens(batch)).to(device),
    }


def _decode(images: Sequence[batches.Image], index: int) -> Image.Image:
    """Returns the pixels of an image as it is shown: turned as its Exif data says, as engines do."""
    try:
        with Image.open(io.BytesIO(images[index].data)) as opened:
            return ImageOps.exif_transpose(opened)
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"{_name(images, index)} cannot be decoded: {error}") from error


def _check_lengths(images: Sequence[batches.Image], counts: torch.Tensor) -> None:
    for index, (image, count) in enumerate(zip(images, counts.tolist(), strict=True)):
        if image.length != count:
            raise ValueError(
                f"{_name(images, index)} has {image.length} tokens in the batch, but the processor makes {count} of its "
                f"{image.width}x{image.height} pixels. Use the image processor of the model that sampled the tokens, with the "
                "same limits of pixels."
            )


def _name(images: Sequence[batches.Image], index: int) -> str:
    image = images[index]
    number = sum(other.row == image.row for other in images[:index])
    return f"Image {number} of row {image.row} (SHA-256 {image.sha256[:12]}…)"


def _mark_tokens(batch: batches.Batch) -> Array:
    ids = batch["input_ids"]
    marks = np.zeros(ids.size, np.int64)
    rows, offsets, lengths = (batch[f"image_{name}"].astype(np.int64) for name in ("row", "offset", "length"))
    marks[run_indices(batch.places.begins[rows] + offsets, lengths)] = 1
    return marks.reshape(ids.shape if batch.layout == "padded" else (1, -1))
