"""A tiny random Qwen2.5-VL with its processor, and two pictures for it."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from support import REPOSITORY

SCRIPT = REPOSITORY / "test" / "real" / "support" / "vision.py"
# The token of images in the tokenizer of the model.
IMAGE_TOKEN = 514


# Configurations of a smaller model, of each family, for the tokens of `image_batches`.
TEXT = {
    "vocab_size": 16,
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "rope_parameters": {
        "rope_type": "default",
        "rope_theta": 10000.0,
        "mrope_section": [1, 1, 2],
        "partial_rotary_factor": 1.0,
    },
}
SIDE = {"depth": 1, "num_heads": 2, "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2}


def write_vision_model(tokenizer: str, folder: Path) -> str:
    """Writes the model to the folder. tokenizer: folder of the tiny model, whose tokenizer it takes."""
    subprocess.run([sys.executable, SCRIPT, "make", "qwen2_5_vl", tokenizer, folder], check=True)
    return str(folder)


def png(width: int, height: int, seed: int) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


# 4 and 6 tokens.
RED, BLUE = png(56, 56, 1), png(84, 56, 2)
