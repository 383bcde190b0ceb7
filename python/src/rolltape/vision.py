"""What a vision-language model needs besides the tokens of a batch. Needs torch, Pillow and the model's image processor."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from PIL import Image, ImageOps

from .batch.predecessors import predecessors
from .batch.runs import run_indices
from .batch.safetensors import Array

if TYPE_CHECKING:
    from . import batch as batches

__all__ = ["inputs", "picture", "position_ids", "sample_inputs"]


def inputs(batch: batches.Batch, processor: Any, device: Any = None) -> dict[str, torch.Tensor]:
    """Returns the keyword arguments of the images of a batch for Qwen2-VL, Qwen2.5-VL and Qwen3-VL of Hugging Face.

    processor: the model's image processor, or its processor, which has it. It must divide images as the engine did that
        sampled the tokens: with the same limits of pixels.

    `pixel_values` [patches, values], `image_grid_thw` int64 [images, 3]: in the order in which images occur in `input_ids`.
    `mm_token_type_ids` int64, in the shape of `input_ids` of `attention.model_arguments`: 1 at tokens of images, else 0.
    `position_ids` int64, those of `position_ids`, which replace the ones of `attention.model_arguments`.
    An empty dictionary if the batch has no images. A file that several rows show is processed once.

    Raises ValueError that names row and image if a file cannot be decoded, or if the processor makes another number of
    tokens of an image than the batch has.
    """
    images = batch.images()
    if not images:
        return {}
    pixels, grids, merge_size = _divide(images, processor)
    return {
        "pixel_values": torch.cat(pixels).to(device),
        "image_grid_thw": grids.to(device),
        "mm_token_type_ids": _token_types(batch).to(device),
        "position_ids": position_ids(batch, grids, merge_size, device),
    }


def sample_inputs(samples: Sequence[batches.Sample], processor: Any) -> list[dict[str, torch.Tensor]]:
    """Returns `pixel_values` and `image_grid_thw` of each sample, as `inputs` does of a batch.

    Samples without images have tensors without rows. An empty list if no sample has images. The samples may be of several
    batches. A file that several of them show is processed once.

    Raises ValueError as `inputs`.
    """
    counts = [len(sample.images()) for sample in samples]
    if not any(counts):
        return []
    pixels, grids, _ = _divide([image for sample in samples for image in sample.images()], processor)
    nothing = pixels[0][:0]
    ends = np.cumsum(counts).tolist()
    return [
        {"pixel_values": torch.cat([nothing, *pixels[end - count : end]]), "image_grid_thw": grids[end - count : end]}
        for end, count in zip(ends, counts, strict=True)
    ]


def _divide(images: Sequence[batches.Image], processor: Any) -> tuple[list[torch.Tensor], torch.Tensor, int]:
    """Returns the patches of each image, the number of patches in each direction int64 [images, 3], and the merge size."""
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
    return [parts[file] for file in of_image], grids[of_image], divide.merge_size


def position_ids(batch: batches.Batch, image_grid_thw: Any, merge_size: int, device: Any = None) -> torch.Tensor:
    """Returns the positions of M-RoPE, as int64 [4, B, T] for a padded batch, [4, 1, N] for a packed or tree batch.

    First come the positions of `attention.model_arguments`, which tell Transformers the rows of a packed batch. Then time,
    height and width of each token. A token of text has three equal ones, which go on after an image with its first position
    and its longer side. Each row begins at 0; a node of a tree goes on after the token that it branches from. Padding has 0.

    image_grid_thw: integers [images, 3]: patches of each image of `batch.images()`. merge_size: patches on a side of a token.
    """
    shape = batch["input_ids"].shape if batch.layout == "padded" else (1, -1)
    images = (batch.tensors.get(f"image_{name}", np.zeros(0)) for name in ("row", "offset", "length"))
    rows, offsets, lengths = (column.astype(np.int64) for column in images)
    grids = np.asarray(image_grid_thw, np.int64).reshape(-1, 3)[:, 1:] // merge_size
    firsts = batch.places.begins[rows] + offsets
    sequence = _sequence_positions(batch)
    text = sequence + _shifts(batch, firsts + lengths - 1, grids.max(1, initial=0) - lengths)
    positions = np.stack([sequence, text, text, text])
    tokens = run_indices(firsts, lengths)
    # Number of each token in its image, and the tokens in a line of it.
    number, line = run_indices(np.zeros_like(lengths), lengths), np.repeat(grids[:, 1], lengths)
    positions[1:, tokens] = np.repeat(text[firsts], lengths) + np.stack([0 * number, number // line, number % line])
    if batch.layout == "padded":
        positions[1:, ~batch["attention_mask"].reshape(-1)] = 0
    return torch.from_numpy(positions.reshape(4, *shape)).to(device)


def _sequence_positions(batch: batches.Batch) -> Array:
    if batch.layout != "padded":
        return batch["position_ids"].astype(np.int64)
    positions: Array = np.maximum(batch["attention_mask"].cumsum(1) - 1, 0).reshape(-1)
    return positions


def _shifts(batch: batches.Batch, lasts: Array, changes: Array) -> Array:
    """Returns the sum of the changes before each token of its sequence.

    lasts: the tokens after which they apply.
    """
    places = batch.places
    own_changes = np.zeros(batch["input_ids"].size, np.int64)
    own_changes[lasts] = changes
    after = own_changes.cumsum()
    filled = np.flatnonzero(places.own)
    begins = places.begins[filled]
    # What the sum must begin with at the first own token of each row.
    starts = np.zeros(len(filled), np.int64)
    skipped = after[begins] - own_changes[begins]
    if batch.layout == "tree":
        before = predecessors(batch)[begins]
        above = np.searchsorted(begins, before, "right") - 1
        starts[before >= 0] = (after[before] - skipped[above])[before >= 0]
        # Nodes come after the ones that they branch from.
        for node in np.flatnonzero(before >= 0).tolist():
            starts[node] += starts[above[node]]
    # Padding before a row counts to the row before it.
    bounds = np.concatenate([[0], begins[1:], [len(after)]])
    return after - own_changes + np.repeat(starts - skipped, np.diff(bounds))


def picture(image: batches.Image) -> Image.Image:
    """Returns an image of a batch as one of Pillow, as it is shown: turned as its Exif data says, as engines do.

    Raises ValueError if the file cannot be decoded.
    """
    try:
        with Image.open(io.BytesIO(image.data)) as opened:
            return ImageOps.exif_transpose(opened)
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"The image with SHA-256 {image.sha256[:12]}… cannot be decoded: {error}") from error


def _decode(images: Sequence[batches.Image], index: int) -> Image.Image:
    try:
        return picture(images[index])
    except ValueError as error:
        raise ValueError(f"{_name(images, index)} cannot be used: {error}") from error


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


def _token_types(batch: batches.Batch) -> torch.Tensor:
    types = torch.from_numpy(batch["mm_token_type_ids"].astype(np.int64))
    return types if batch.layout == "padded" else types[None]
