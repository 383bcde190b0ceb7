"""The images of batches as arguments of a vision-language model of Hugging Face."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from image_batches import PAD, image_batch
from rolltape import Batch

torch = pytest.importorskip("torch")
pytest.importorskip("PIL")
transformers = pytest.importorskip("transformers")

from PIL import Image  # noqa: E402

from rolltape import attention, vision  # noqa: E402

# Its Exif data says that viewers turn the picture by 90 degrees.
ORIENTATION, TURNED = 0x0112, 6


def picture(width: int, height: int, seed: int) -> Image.Image:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    return Image.fromarray(pixels)


def encode(image: Image.Image, form: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def turned() -> bytes:
    exif = Image.Exif()
    exif[ORIENTATION] = TURNED
    return encode(picture(56, 84, 2), "JPEG", exif=exif, quality=95)


RED = encode(picture(56, 56, 1), "PNG")
BLUE = turned()
# One token is 28 x 28 pixels.
RED_GRID, BLUE_GRID = [1, 4, 4], [1, 4, 6]


@pytest.fixture(scope="module")
def processor() -> Any:
    return transformers.models.qwen2_vl.image_processing_pil_qwen2_vl.Qwen2VLImageProcessorPil()


LAYOUTS: list[tuple[dict[str, Any], list[list[int]]]] = [
    ({"padSide": "left", "padToMultipleOf": 16}, [RED_GRID, RED_GRID, BLUE_GRID, BLUE_GRID]),
    ({"layout": "packed"}, [RED_GRID, RED_GRID, BLUE_GRID, BLUE_GRID]),
    ({"layout": "tree"}, [RED_GRID, BLUE_GRID, BLUE_GRID]),
]


@pytest.mark.parametrize(("options", "grids"), LAYOUTS)
def test_inputs_are_those_of_the_processor_for_each_image_in_the_order_of_tokens(
    tmp_path: Path, processor: Any, options: dict[str, Any], grids: list[list[int]]
) -> None:
    batch = image_batch(tmp_path, RED, BLUE, **options)
    made = vision.inputs(batch, processor)
    assert made["image_grid_thw"].tolist() == grids
    blue = Image.open(io.BytesIO(BLUE)).transpose(Image.Transpose.ROTATE_270)
    alone = [
        processor(images=[Image.open(io.BytesIO(RED)) if grid == RED_GRID else blue], return_tensors="pt")
        for grid in grids
    ]
    assert torch.equal(made["pixel_values"], torch.cat([each["pixel_values"] for each in alone]))
    ids = attention.model_arguments(batch)["input_ids"]
    assert torch.equal(made["mm_token_type_ids"], (ids == PAD).long())


def test_a_processor_is_accepted_for_its_image_processor(tmp_path: Path, processor: Any) -> None:
    class Processor:
        image_processor = processor

    batch = image_batch(tmp_path, RED, BLUE)
    assert torch.equal(
        vision.inputs(batch, Processor())["pixel_values"], vision.inputs(batch, processor)["pixel_values"]
    )


def test_a_batch_without_images_needs_no_inputs(tmp_path: Path, processor: Any) -> None:
    assert vision.inputs(image_batch(tmp_path, RED, BLUE).select([3]), processor) == {}


def test_another_number_of_tokens_is_refused_with_row_and_image(tmp_path: Path, processor: Any) -> None:
    larger = type(processor)(size={"shortest_edge": 6 * 28 * 28, "longest_edge": 1 << 20})
    batch = image_batch(tmp_path, RED, BLUE)
    message = r"Image 0 of row 0 \(SHA-256 \w{12}…\) has 4 tokens in the batch, but the processor makes 9 of its 56x56 pixels\."
    with pytest.raises(ValueError, match=message):
        vision.inputs(batch, larger)
    lengths = batch["image_length"].copy()
    lengths[2] = 5
    changed = Batch({**batch.tensors, "image_length": lengths}, batch.metadata)
    with pytest.raises(ValueError, match=r"Image 1 of row 1 .* has 5 tokens .* makes 6 of its 84x56 pixels"):
        vision.inputs(changed, processor)


def test_a_file_that_cannot_be_decoded_is_named(tmp_path: Path, processor: Any) -> None:
    batch = image_batch(tmp_path, RED, BLUE)
    data = batch["image_bytes"].copy()
    data[len(RED) :] = 0
    with pytest.raises(ValueError, match=r"Image 1 of row 1 .* cannot be decoded"):
        vision.inputs(Batch({**batch.tensors, "image_bytes": data}, batch.metadata), processor)


def tiny_model() -> Any:
    torch.manual_seed(0)
    config = transformers.Qwen2VLConfig(
        text_config={
            "vocab_size": 16,
            "hidden_size": 32,
            "intermediate_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]},
        },
        vision_config={"depth": 1, "embed_dim": 32, "hidden_size": 32, "num_heads": 2, "mlp_ratio": 1},
        image_token_id=PAD,
        video_token_id=10,
        vision_start_token_id=11,
        vision_end_token_id=12,
    )
    return transformers.Qwen2VLForConditionalGeneration(config).eval()


def logits_of(model: Any, batch: Batch, processor: Any) -> Any:
    arguments = attention.model_arguments(batch)
    # The model gives the tokens of images positions in two dimensions.
    del arguments["position_ids"]
    with torch.no_grad():
        logits = model(**arguments, **vision.inputs(batch, processor)).logits
    return [logits.reshape(-1, logits.shape[-1])[torch.from_numpy(place)] for place in batch.places.all]


def test_a_model_gives_each_row_the_logits_that_it_has_alone(tmp_path: Path, processor: Any) -> None:
    batch = image_batch(tmp_path, RED, BLUE, padSide="left", padToMultipleOf=16)
    model = tiny_model()
    together = logits_of(model, batch, processor)
    for row in range(4):
        (alone,) = logits_of(model, batch.select([row]), processor)
        torch.testing.assert_close(together[row], alone, rtol=1e-4, atol=1e-5)
    (other,) = logits_of(model, image_batch(tmp_path, encode(picture(56, 56, 9), "PNG"), BLUE).select([0]), processor)
    assert not torch.allclose(together[0], other, atol=1e-4)
