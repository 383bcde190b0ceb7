"""Makes the inputs of vision-language models from a batch. Needs torch, Pillow and the model's image processor."""

from __future__ import annotations

import contextlib
import io
import warnings
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
    """Returns the keyword arguments of the images of a batch for Qwen2-VL, Qwen2.5-VL, Qwen3-VL and GLM-4.1V of
    Hugging Face.

    Decodes the files like `picture`. Warns if the processor resizes with Pillow instead of torchvision.

    processor: the model's image processor, or its processor, which contains it. It must have the same pixel limits as the
        engine that sampled the tokens.

    `pixel_values` [patches, values], `image_grid_thw` int64 [images, 3]: in the order in which images occur in `input_ids`.
    `mm_token_type_ids` int64, in the shape of `input_ids` of `attention.model_arguments`: 1 at tokens of images, else 0.
    `position_ids` int64: returned by the function of this name. They replace those of `attention.model_arguments`.
    The dictionary is empty if the batch has no images. A file that several rows show is processed once.

    Raises ValueError that names row and image if a file cannot be decoded, or if the processor makes a different number of
    tokens of an image than the batch has. Raises ValueError for processors without `image_grid_thw`, such as LLaVA's.
    """
    images = batch.images()
    if not images:
        return {}
    pixels, grids, merge_size = _process(images, processor)
    return {
        "pixel_values": torch.cat(pixels).to(device),
        "image_grid_thw": grids.to(device),
        "mm_token_type_ids": _token_types(batch).to(device),
        "position_ids": position_ids(batch, grids, merge_size, device),
    }


def sample_inputs(samples: Sequence[batches.Sample], processor: Any) -> list[dict[str, torch.Tensor]]:
    """Returns `pixel_values` and `image_grid_thw` of each sample, like `inputs` for a batch.

    Samples without images have tensors without rows. The list is empty if no sample has images. The samples may come from
    several batches. A file that several samples show is processed once.

    Raises ValueError like `inputs`.
    """
    counts = [len(sample.images()) for sample in samples]
    if not any(counts):
        return []
    pixels, grids, _ = _process([image for sample in samples for image in sample.images()], processor)
    nothing = pixels[0][:0]
    ends = np.cumsum(counts).tolist()
    return [
        {"pixel_values": torch.cat([nothing, *pixels[end - count : end]]), "image_grid_thw": grids[end - count : end]}
        for end, count in zip(ends, counts, strict=True)
    ]


def _process(images: Sequence[batches.Image], processor: Any) -> tuple[list[torch.Tensor], torch.Tensor, int]:
    """Returns the patches of each image, `image_grid_thw`, and the number of patches along a token's side."""
    image_processor = getattr(processor, "image_processor", processor)
    _warn_of_pillow(image_processor)
    # The index of the first image of each file.
    first = {_file(image): index for index, image in reversed(list(enumerate(images)))}
    files = {file: number for number, file in enumerate(first)}
    decoded = [_decode(images, index) for index in first.values()]
    features = image_processor(images=decoded, return_tensors="pt")
    if "image_grid_thw" not in features:
        raise ValueError(
            f"`processor` must make `image_grid_thw`, as Qwen2VLImageProcessor does; {type(image_processor).__name__} does "
            "not. Pass `picture(image)` of each image to the processor of another model."
        )
    grids = torch.as_tensor(features["image_grid_thw"], dtype=torch.int64)
    parts = torch.split(torch.as_tensor(features["pixel_values"]), grids.prod(1).tolist())
    file_of_image = [files[_file(image)] for image in images]
    merge_size = image_processor.merge_size
    _check_lengths(images, grids[file_of_image].prod(1) // merge_size**2)
    return [parts[file] for file in file_of_image], grids[file_of_image], merge_size


def _file(image: batches.Image) -> tuple[str, str | None]:
    """Returns the key of images with the same pixels."""
    return image.sha256, image.engine


def _warn_of_pillow(image_processor: Any) -> None:
    if getattr(image_processor, "backend", None) == "pil":
        warnings.warn(
            f"{type(image_processor).__name__} resizes images with Pillow, so pixels differ slightly from those of the engine. "
            "Install torchvision, and load the processor with AutoImageProcessor.",
            stacklevel=4,
        )


def position_ids(batch: batches.Batch, image_grid_thw: Any, merge_size: int, device: Any = None) -> torch.Tensor:
    """Returns the positions of M-RoPE, as int64 [4, B, T] for a padded batch, [4, 1, N] for a packed or tree batch.

    The first of the four are the positions of `attention.model_arguments`, by which Transformers separates the rows of a packed
    batch. The others are time, height and width. They are equal for a token of text. The text after an image begins at the
    first position of the image plus the longer side of its grid of tokens. Each row begins at 0; a node of a tree continues
    after the token from which it branches. Padding has 0.

    image_grid_thw: integers [images, 3], the patches of each image of `batch.images()`. merge_size: patches along a token's
        side.
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
    # The index of each token in its image, and the number of tokens in a line of that image.
    index, width = run_indices(np.zeros_like(lengths), lengths), np.repeat(grids[:, 1], lengths)
    positions[1:, tokens] = np.repeat(text[firsts], lengths) + np.stack([0 * index, index // width, index % width])
    if batch.layout == "padded":
        positions[1:, ~batch["attention_mask"].reshape(-1)] = 0
    return torch.from_numpy(positions.reshape(4, *shape)).to(device)


def _sequence_positions(batch: batches.Batch) -> Array:
    """Returns the index of each token in its sequence, without padding."""
    if batch.layout != "padded":
        return batch["position_ids"].astype(np.int64)
    positions: Array = np.maximum(batch["attention_mask"].cumsum(1) - 1, 0).reshape(-1)
    return positions


def _shifts(batch: batches.Batch, lasts: Array, changes: Array) -> Array:
    """Returns, for each token, the sum of the changes before it in its sequence.

    lasts: the token after which each change applies.
    """
    places = batch.places
    own_changes = np.zeros(batch["input_ids"].size, np.int64)
    own_changes[lasts] = changes
    after = own_changes.cumsum()
    filled = np.flatnonzero(places.own)
    begins = places.begins[filled]
    # The sum at the first own token of each row. Not 0 for nodes of a tree, whose sequences begin at their ancestors.
    starts = np.zeros(len(filled), np.int64)
    skipped = after[begins] - own_changes[begins]
    if batch.layout == "tree":
        before = predecessors(batch)[begins]
        above = np.searchsorted(begins, before, "right") - 1
        starts[before >= 0] = (after[before] - skipped[above])[before >= 0]
        # Nodes come after the ones that they branch from.
        for node in np.flatnonzero(before >= 0).tolist():
            starts[node] += starts[above[node]]
    # Padding before a row is treated as part of the row before it.
    bounds = np.concatenate([[0], begins[1:], [len(after)]])
    return after - own_changes + np.repeat(starts - skipped, np.diff(bounds))


def picture(image: batches.Image) -> Image.Image:
    """Returns an image of a batch as an RGB image of Pillow, with the pixels that the engine makes of the file.

    `sglang`: transparency is dropped, and the orientation in Exif data is ignored. SGLang treats GLM-4V differently; that is
    not reproduced.
    vllm, and batches that name no engine: rotated according to Exif data. Transparent pixels are mixed with white.

    Raises ValueError if the file cannot be decoded.
    """
    try:
        with Image.open(io.BytesIO(image.data)) as opened:
            if image.engine == "sglang":
                return opened.convert("RGB")
            return _on_white(_turned(opened))
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"The image with SHA-256 {image.sha256[:12]}… cannot be decoded: {error}") from error


def _turned(image: Image.Image) -> Image.Image:
    # vLLM ignores every error of this step, such as those of damaged Exif data. Damaged pixels raise an error again later.
    with contextlib.suppress(Exception):
        return ImageOps.exif_transpose(image)
    return image


def _on_white(image: Image.Image) -> Image.Image:
    # vLLM ignores the transparent color of an RGB file.
    if image.mode == "RGB" or not image.has_transparency_data:
        return image.convert("RGB")
    with_alpha = image.convert("RGBA")
    white = Image.new("RGB", image.size, "white")
    white.paste(with_alpha, mask=with_alpha.getchannel("A"))
    return white


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
                "same pixel limits."
            )


def _name(images: Sequence[batches.Image], index: int) -> str:
    image = images[index]
    number = sum(other.row == image.row for other in images[:index])
    return f"Image {number} of row {image.row} (SHA-256 {image.sha256[:12]}…)"


def _token_types(batch: batches.Batch) -> torch.Tensor:
    types = torch.from_numpy(batch["mm_token_type_ids"].astype(np.int64))
    return types if batch.layout == "padded" else types[None]
