"""The images of batches as arguments of a vision-language model of Hugging Face."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from types import SimpleNamespace
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
from tiny_vision import SIDE, TEXT  # noqa: E402

# torchvision is not needed to test positions and places.
pytestmark = pytest.mark.filterwarnings("ignore:.*resizes images with Pillow")

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
    processors = SimpleNamespace(image_token_ids=[PAD], video_token_ids=[10], audio_token_ids=[])
    types = transformers.Qwen2VLProcessor.create_mm_token_type_ids(processors, ids.tolist())
    assert made["mm_token_type_ids"].tolist() == types
    assert batch["mm_token_type_ids"].dtype == np.uint8


def test_a_processor_is_accepted_for_its_image_processor(tmp_path: Path, processor: Any) -> None:
    class Processor:
        image_processor = processor

    batch = image_batch(tmp_path, RED, BLUE)
    assert torch.equal(
        vision.inputs(batch, Processor())["pixel_values"], vision.inputs(batch, processor)["pixel_values"]
    )


def test_a_processor_that_resizes_with_pillow_causes_a_warning(tmp_path: Path, processor: Any) -> None:
    batch = image_batch(tmp_path, RED, BLUE)
    with pytest.warns(
        UserWarning, match=r"^Qwen2VLImageProcessorPil resizes images with Pillow, .* Install torchvision"
    ):
        vision.inputs(batch, processor)

    class WithTorchvision:
        backend, merge_size = "torchvision", processor.merge_size

        def __call__(self, **arguments: Any) -> Any:
            return processor(**arguments)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vision.inputs(batch, WithTorchvision())


def test_the_processor_of_a_model_without_grids_is_refused(tmp_path: Path) -> None:
    processor = transformers.models.clip.image_processing_pil_clip.CLIPImageProcessorPil()
    batch = image_batch(tmp_path, RED, BLUE)
    message = r"`processor` must make `image_grid_thw`, .* CLIPImageProcessorPil does not\. Pass `picture\(image\)`"
    with pytest.raises(ValueError, match=message):
        vision.inputs(batch, processor)
    with pytest.raises(ValueError, match=message):
        vision.sample_inputs(list(batch.samples()), processor)


def test_each_sample_has_its_own_inputs(tmp_path: Path, processor: Any) -> None:
    batch = image_batch(tmp_path, RED, BLUE, layout="tree")
    whole = vision.inputs(image_batch(tmp_path, RED, BLUE, layout="packed"), processor)
    made = vision.sample_inputs(list(batch.samples()), processor)
    assert [each["image_grid_thw"].tolist() for each in made] == [[RED_GRID], [RED_GRID, BLUE_GRID], [BLUE_GRID], []]
    assert torch.equal(torch.cat([each["pixel_values"] for each in made]), whole["pixel_values"])
    assert vision.sample_inputs(list(batch.samples())[3:], processor) == []


def test_a_picture_is_turned_as_its_exif_data_says(tmp_path: Path) -> None:
    image = image_batch(tmp_path, RED, BLUE).images()[2]
    assert vision.picture(image).size == (image.width, image.height) == (84, 56)


@pytest.mark.parametrize("exif", [b"IIII\x08\0\0\0", b"II+\0\x08\0\0\0"])
def test_damaged_exif_data_is_ignored_as_vllm_does(tmp_path: Path, exif: bytes) -> None:
    red = encode(picture(56, 56, 1), "PNG", exif=exif)
    image = image_batch(tmp_path, red, BLUE).images()[0]
    assert image.data == red
    assert vision.picture(image).tobytes() == picture(56, 56, 1).tobytes()


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
    with pytest.raises(ValueError, match=r"Image 1 of row 1 .* cannot be used: .* cannot be decoded"):
        vision.inputs(Batch({**batch.tensors, "image_bytes": data}, batch.metadata), processor)


# The configuration of the vision model of each family.
FAMILIES: dict[str, dict[str, Any]] = {
    "Qwen2VL": {"embed_dim": 32, "hidden_size": 32, "mlp_ratio": 1},
    "Qwen2_5_VL": {"hidden_size": 32, "intermediate_size": 32, "out_hidden_size": 32, "fullatt_block_indexes": [0]},
    "Glm4v": {"hidden_size": 32, "intermediate_size": 32, "out_hidden_size": 32, "image_size": 56},
    "Qwen3VL": {
        "hidden_size": 32,
        "intermediate_size": 32,
        "out_hidden_size": 32,
        "num_position_embeddings": 16,
        "deepstack_visual_indexes": [0],
    },
}


# The tokens around images and videos, which each family names in its own way. No batch has them.
MARKS = [
    *("vision_start_token_id", "vision_end_token_id"),
    *("image_start_token_id", "image_end_token_id", "video_start_token_id", "video_end_token_id"),
]


@pytest.fixture(scope="module", params=FAMILIES)
def model(request: pytest.FixtureRequest) -> Any:
    torch.manual_seed(0)
    config = getattr(transformers, f"{request.param}Config")(
        text_config=TEXT,
        vision_config={**SIDE, **FAMILIES[request.param]},
        image_token_id=PAD,
        video_token_id=10,
        **{name: 11 + index for index, name in enumerate(MARKS)},
    )
    return getattr(transformers, f"{request.param}ForConditionalGeneration")(config).eval()


def rows_of(batch: Batch, values: Any) -> list[Any]:
    """Returns the entries of each row's tokens, of a tensor that begins with the dimensions of the tokens."""
    return [values.flatten(0, 1)[torch.from_numpy(place)] for place in batch.places.all]


def logits_of(model: Any, batch: Batch, processor: Any) -> list[Any]:
    arguments = attention.model_arguments(batch) | vision.inputs(batch, processor)
    with torch.no_grad():
        return rows_of(batch, model(**arguments).logits)


@pytest.mark.parametrize("side", ["left", "right"])
def test_positions_of_a_padded_batch_are_those_of_the_model(
    tmp_path: Path, model: Any, processor: Any, side: str
) -> None:
    batch = image_batch(tmp_path, RED, BLUE, branches=True, padSide=side, padToMultipleOf=16)
    made, arguments = vision.inputs(batch, processor), attention.model_arguments(batch)
    named = {name: made[name] for name in ("image_grid_thw", "mm_token_type_ids")}
    expected, _ = model.model.get_rope_index(
        input_ids=arguments["input_ids"], attention_mask=arguments["attention_mask"], **named
    )
    assert torch.equal(made["position_ids"][0], arguments["position_ids"])
    assert torch.equal(made["position_ids"][1:], expected)
    # The blue image of row 1 begins after 7 tokens, 4 of which take 2 positions.
    first = int(batch.places.begins[1]) + 7
    assert expected.reshape(3, -1)[:, first : first + 7].tolist() == [
        [5, 5, 5, 5, 5, 5, 8],
        [5, 5, 5, 6, 6, 6, 8],
        [5, 6, 7, 5, 6, 7, 8],
    ]


OTHERS: list[dict[str, Any]] = [{"layout": "packed"}, {"layout": "tree"}]


@pytest.mark.parametrize("options", OTHERS)
def test_each_row_of_another_layout_has_the_positions_that_it_has_alone(
    tmp_path: Path, processor: Any, options: dict[str, Any]
) -> None:
    def positions(batch: Batch) -> list[Any]:
        return rows_of(batch, vision.inputs(batch, processor)["position_ids"].movedim(0, -1))

    padded = image_batch(tmp_path, RED, BLUE, branches=True)
    batch = image_batch(tmp_path, RED, BLUE, branches=True, **options)
    order = [[row["length"] for row in each.rows] for each in (padded, batch)]
    assert sorted(order[0]) == sorted(order[1])
    ids = [
        [row.tolist() for row in rows_of(each, attention.model_arguments(each)["input_ids"])]
        for each in (padded, batch)
    ]
    for row, found in zip(ids[1], positions(batch), strict=True):
        assert torch.equal(found, positions(padded)[ids[0].index(row)])


def test_a_batch_without_images_has_the_positions_of_text(tmp_path: Path, processor: Any) -> None:
    batch = image_batch(tmp_path, RED, BLUE).select([3])
    expected = attention.model_arguments(batch)["position_ids"]
    assert torch.equal(vision.position_ids(batch, [], 2), expected.expand(4, -1, -1))


@pytest.mark.parametrize("options", [{"padSide": "left", "padToMultipleOf": 16}, *OTHERS])
def test_a_model_gives_each_row_the_logits_that_it_has_alone(
    tmp_path: Path, model: Any, processor: Any, options: dict[str, Any]
) -> None:
    batch = image_batch(tmp_path, RED, BLUE, branches=True, **options)
    padded = image_batch(tmp_path, RED, BLUE, branches=True)
    alone = {}
    for row in range(len(padded)):
        only = padded.select([row])
        alone[only["input_ids"].reshape(-1)[only.places.all[0]].tobytes()] = logits_of(model, only, processor)[0]
    together = logits_of(model, batch, processor)
    for place, logits in zip(batch.places.all, together, strict=True):
        expected = alone[batch["input_ids"].reshape(-1)[place].tobytes()]
        # Rounding changed logits of up to 0.4 by at most 1.6e-7, with 1 and 2 threads.
        torch.testing.assert_close(logits, expected, rtol=1e-4, atol=1e-5)


def test_logits_are_those_of_the_picture(tmp_path: Path, model: Any, processor: Any) -> None:
    first, other = (
        logits_of(model, image_batch(tmp_path, red, BLUE).select([0]), processor)[0]
        for red in (RED, encode(picture(56, 56, 9), "PNG"))
    )
    assert not torch.allclose(first, other, atol=1e-4)
