"""The pixels of images are those that the engines make of the same files."""

from __future__ import annotations

import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from image_batches import RED, image_batch
from rolltape import Batch

pytest.importorskip("torch")
pytest.importorskip("PIL")

from PIL import Image

from rolltape import vision

WIDTH, HEIGHT = 40, 24
CACHE = Path(os.environ.get("ROLLTAPE_CACHE_DIR") or Path.home() / ".cache" / "rolltape")
ORIENTATION, TURNED = 0x0112, 6
# Each reads a list of paths from the command line and writes a numpy file beside each.
SCRIPTS = {
    "vllm": """
import sys
import numpy
from vllm.multimodal.media.image import ImageMediaIO

for path in sys.argv[1:]:
    numpy.save(path + ".npy", ImageMediaIO().load_bytes(open(path, "rb").read()).media)
""",
    "sglang": """
import base64
import sys
import numpy
from sglang.srt.multimodal.processors.base_processor import Modality
from sglang.srt.multimodal.processors.qwen_vl import QwenVLImageProcessor

for path in sys.argv[1:]:
    data = "data:image/png;base64," + base64.b64encode(open(path, "rb").read()).decode()
    numpy.save(path + ".npy", QwenVLImageProcessor._load_single_item(data, Modality.IMAGE))
""",
}


def encode(image: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def gradient() -> Image.Image:
    """Random colors; alpha grows from left to right."""
    pixels = np.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH, 4), np.uint8)
    pixels[..., 3] = np.linspace(0, 255, WIDTH, dtype=np.uint8)
    return Image.fromarray(pixels)


def turned() -> Image.Exif:
    exif = Image.Exif()
    exif[ORIENTATION] = TURNED
    return exif


COLORS = gradient().convert("RGB")
PALETTE = COLORS.quantize(16)
FILES = {
    "rgb": encode(COLORS),
    "rgb-turned": encode(COLORS, exif=turned()),
    "rgb-transparent": encode(COLORS, transparency=COLORS.getpixel((0, 0))),
    "rgba": encode(gradient()),
    "rgba-turned": encode(gradient(), exif=turned()),
    "gray": encode(COLORS.convert("L")),
    "gray-transparent": encode(COLORS.convert("L"), transparency=COLORS.convert("L").getpixel((0, 0))),
    "la": encode(gradient().convert("LA")),
    "palette": encode(PALETTE),
    "palette-transparent": encode(PALETTE, transparency=3),
    # A transparency for each color.
    "palette-alphas": encode(PALETTE, transparency=bytes(range(0, 256, 16))),
    "gif": encode(PALETTE, "GIF", transparency=3),
    "webp": encode(gradient(), "WEBP", lossless=True, exact=True),
    "webp-lossy": encode(gradient(), "WEBP"),
    "cmyk": encode(COLORS.convert("CMYK"), "JPEG", quality=95),
}


# One pixel of (200, 100, 0) with the alpha 51, a fifth.
FAINT = encode(Image.new("RGBA", (1, 1), (200, 100, 0, 51)))
MIXED, DROPPED = (244, 224, 204), (200, 100, 0)


def of_engine(batch: Batch, *engines: str) -> Batch:
    configs = [{"engine": engine} for engine in engines]
    return Batch(batch.tensors, {**batch.metadata, "config": json.dumps(configs if len(configs) > 1 else configs[0])})


def with_file(batch: Batch, file: bytes) -> Batch:
    """Returns the batch with another file in place of its last one."""
    offsets = batch["image_bytes_offsets"].copy()
    offsets[-1] = offsets[-2] + len(file)
    data = np.frombuffer(bytes(batch["image_bytes"][: offsets[-2]]) + file, np.uint8)
    return Batch({**batch.tensors, "image_bytes": data, "image_bytes_offsets": offsets}, batch.metadata)


@pytest.mark.parametrize("engine", SCRIPTS)
def test_pictures_have_the_pixels_of_the_engine(tmp_path: Path, engine: str) -> None:
    pythons = sorted(CACHE.glob(f"engines/{engine}-*/bin/python"))
    if not pythons:
        pytest.skip(f"{engine} is not installed in {CACHE}/engines")
    paths = {name: tmp_path / name for name in FILES}
    for name, path in paths.items():
        path.write_bytes(FILES[name])
    subprocess.run([pythons[-1], "-c", SCRIPTS[engine], *paths.values()], check=True, capture_output=True)
    batch = of_engine(image_batch(tmp_path, RED, FAINT), engine)
    for name, path in paths.items():
        image = with_file(batch, FILES[name]).images()[2]
        found, expected = np.asarray(vision.picture(image)), np.load(f"{path}.npy")
        np.testing.assert_array_equal(found, expected, err_msg=name)


def pixel(image: Any) -> Any:
    return vision.picture(image).getpixel((0, 0))


@pytest.mark.parametrize(
    ("engines", "expected"),
    [(["vllm"], MIXED), (["sglang"], DROPPED), (["sglang", "sglang"], DROPPED), (["sglang", "vllm"], MIXED)],
)
def test_transparency_is_mixed_with_white_unless_sglang_recorded_the_batch(
    tmp_path: Path, engines: list[str], expected: tuple[int, int, int]
) -> None:
    batch = of_engine(image_batch(tmp_path, RED, FAINT, layout="packed"), *engines)
    assert pixel(batch.images()[2]) == expected
    assert pixel(batch.select([1]).images()[1]) == expected
    assert [pixel(image) for image in batch.samples()[1].images()] == [pixel(batch.images()[0]), expected]


def test_transparency_is_mixed_with_white_if_a_batch_names_no_engine(tmp_path: Path) -> None:
    batch = image_batch(tmp_path, RED, FAINT)
    assert batch.images()[2].engine is None
    assert pixel(batch.images()[2]) == MIXED


def test_a_file_of_batches_of_two_engines_is_processed_for_each(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    faint = encode(Image.new("RGBA", (84, 56), (200, 100, 0, 51)))
    batch = image_batch(tmp_path, encode(Image.new("RGB", (56, 56))), faint, layout="packed").select([2])
    samples = [sample for engine in ("vllm", "sglang") for sample in of_engine(batch, engine).samples()]
    with pytest.warns(UserWarning, match="torchvision"):
        white, dropped = vision.sample_inputs(samples, Qwen2VLImageProcessorPil())
    assert (white["pixel_values"] > dropped["pixel_values"]).all()
