"""The comparison of docs/guides/images.md, run as a program on a batch with the log probabilities of a tiny Qwen2.5-VL."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from image_batches import PAD, image_batch
from rolltape import Batch
from support import REPOSITORY

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")
numpy_files = pytest.importorskip("safetensors.numpy")
pytest.importorskip("PIL")

from PIL import Image  # noqa: E402

from tiny_vision import SIDE, TEXT  # noqa: E402

VIDEO_PAD = 10
BIAS = "logits[..., [model.config.image_token_id, model.config.video_token_id]] -= 100\n"
# Red is opaque; the upper half of blue is transparent. They have 4 and 6 tokens.
RED, BLUE = Image.new("RGBA", (56, 56), "red"), Image.new("RGBA", (84, 56), (0, 0, 255, 0))
BLUE.paste((0, 0, 255, 255), (0, 28, 84, 56))


def png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def write_model(folder: Path) -> None:
    torch.manual_seed(0)
    config = transformers.Qwen2_5_VLConfig(
        text_config=TEXT,
        vision_config={
            **SIDE,
            "hidden_size": 32,
            "intermediate_size": 32,
            "out_hidden_size": 32,
            "fullatt_block_indexes": [0],
        },
        image_token_id=PAD,
        video_token_id=VIDEO_PAD,
        vision_start_token_id=11,
        vision_end_token_id=12,
    )
    model = transformers.Qwen2_5_VLForConditionalGeneration(config)
    with torch.no_grad():
        for weights in model.parameters():
            if weights.ndim >= 2:
                weights.normal_(0, 0.2)
    model.save_pretrained(folder)
    transformers.models.qwen2_vl.image_processing_pil_qwen2_vl.Qwen2VLImageProcessorPil().save_pretrained(folder)


def engine_logprobs(folder: Path, batch: Batch, pictures: list[list[Image.Image]]) -> np.ndarray[Any, Any]:
    """Returns the log probabilities of each row alone, with positions of the model, if tokens of images are never sampled."""
    model = transformers.AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).eval()
    processor = transformers.AutoImageProcessor.from_pretrained(folder)
    result = np.zeros_like(batch["logprobs"])
    for row, images in enumerate(pictures):
        ids = torch.from_numpy(batch.row_values(row, "input_ids").astype(np.int64))[None]
        seen = dict(processor(images=images, return_tensors="pt")) if images else {}
        with torch.no_grad():
            logits = model(input_ids=ids, mm_token_type_ids=(ids == PAD).long(), **seen).logits[0, :-1]
        logits[:, [PAD, VIDEO_PAD]] = -torch.inf
        logprobs = logits.log_softmax(-1).gather(1, ids[0, 1:, None])[:, 0].numpy()
        result[row, batch["attention_mask"][row] == 1] = np.concatenate([[0], logprobs])
    return np.where(batch["loss_mask"] == 1, result, np.float32(0))


def run(program: str) -> tuple[int, float]:
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(REPOSITORY / "python" / "src")},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    found = re.fullmatch(r"(\d+) tokens, largest difference (\S+)\n", result.stdout)
    assert found, result.stdout
    return int(found[1]), float(found[2])


def test_the_comparison_of_the_guide_finds_the_log_probabilities_of_the_engine(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "guides" / "images.md").read_text()
    (program,) = (each for each in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if BIAS in each)
    folder, file = tmp_path / "model", tmp_path / "batch.safetensors"
    write_model(folder)
    batch = image_batch(tmp_path, png(RED), png(BLUE))
    white = Image.new("RGBA", BLUE.size, "white")
    white.alpha_composite(BLUE)
    red, blue = RED.convert("RGB"), white.convert("RGB")
    logprobs = engine_logprobs(folder, batch, [[red], [red, blue], [blue], []])
    numpy_files.save_file({**batch.tensors, "logprobs": logprobs}, file, batch.metadata)

    program = program.replace("/models/Qwen3-VL-8B-Instruct", str(folder)).replace("out/batch.safetensors", str(file))
    tokens, difference = run(program)
    assert tokens == batch["loss_mask"].sum()
    assert difference < 1e-5
    # A random model gives the tokens of images some probability.
    assert run(program.replace(BIAS, ""))[1] > 1e-3
